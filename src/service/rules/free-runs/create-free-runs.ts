import { setTimeout as sleep } from 'node:timers/promises';
import { EarshotError } from '../../../library/core/errors.ts';
import type { ToolId } from '../../../library/contract/tool-ids.ts';
import { deleted } from '../files/guards.ts';
import { nextUtcMidnight, usesLeft, utcDay } from '../free.ts';
import { terminalJobStatuses, type JobSummary } from '../records.ts';
import { freeOffer } from '../tool-facts.ts';
import type { TokenPurpose } from '../tokens.ts';
import { canPay } from '../payments/can-pay.ts';
import { waitFor } from '../wait-for.ts';
import { withOutputs } from '../jobs/jobs.ts';
import { createJobWatch } from '../jobs/watch.ts';
import { createAdmission } from './admission.ts';
import { createDriver } from './drive.ts';
import type { Allowance, FreeRuns, FreeRunView } from '../free-run-use-cases.ts';
import type { FreeRunsDeps } from './deps.ts';
import type { FreeRun } from '../free-run-store.ts';

/** Two ways of measuring a length may differ by this much. */
const durationToleranceSeconds = 0.05;

/** The use cases of the free API. */
export function createFreeRuns(deps: FreeRunsDeps): FreeRuns {
  const { freeRuns, freeUses, files, jobs, objects, changes, tokens, visitors, tools, config, baseUrl, now } = deps;
  const drive = createDriver(deps);

  /** The latest possible expiry of the run's files; its record has the actual one. */
  const linkEnd = ({ createdAt }: FreeRun): Date =>
    new Date(createdAt.getTime() + (config.freeRetentionSeconds + config.retentionSeconds) * 1000);
  const statusUrl = (run: FreeRun, jobId: string): string =>
    `${baseUrl()}/api/try/jobs/${jobId}?t=${tokens.sign('status', jobId, linkEnd(run))}`;

  /** Was less processed than the quoted length, apart from rounding? */
  function isCutShort(run: FreeRun, job: JobSummary | null): boolean {
    if (job?.status !== 'succeeded' || !job.free || job.processedSeconds === null || run.whole === null) return false;
    const { seconds } = tools[run.tool].free[config.freeVariant];
    const whole = run.whole.billing.seconds;
    return seconds !== null && whole > seconds && whole - job.processedSeconds > durationToleranceSeconds;
  }

  async function view(run: FreeRun, asked = run.id): Promise<FreeRunView> {
    // A run that waited for its payment has only the paid job.
    const jobId = asked !== run.id || run.status === 'waiting' ? run.finishJobId : run.id;
    const summary = jobId === null || run.status === 'arriving' ? null : await jobs.getSummary(jobId);
    const [shown] = summary === null ? [] : await withOutputs(files, [summary]);
    const cutShort = asked === run.id && isCutShort(run, summary);
    const unpaid = canPay(config) && run.finishJobId === null && run.whole !== null;
    const outputs = shown?.outputs.filter(({ status }) => status === 'ready') ?? [];
    return {
      run,
      job: summary,
      outputs: outputs.map((file) => ({
        file,
        url: `${baseUrl()}/f/${tokens.sign('download', file.id, file.expiresAt)}/${encodeURIComponent(file.filename)}`,
        expiresAt: file.expiresAt,
      })),
      statusUrl: statusUrl(run, asked),
      cutShort,
      finish:
        unpaid && run.whole !== null && (cutShort || run.status === 'waiting')
          ? {
              url: `${baseUrl()}/finish/${tokens.sign('finish', run.id, linkEnd(run))}`,
              priceCredits: Math.max(config.minimumPaymentCents, run.whole.credits),
            }
          : null,
      finishedBy:
        asked === run.id && run.finishJobId !== null
          ? { jobId: run.finishJobId, statusUrl: statusUrl(run, run.finishJobId) }
          : null,
    };
  }

  const missing = (id: string): EarshotError =>
    new EarshotError('not_found', `There is no run ${id}`, { details: { id } });

  async function readToken(purpose: TokenPurpose, token: string): Promise<string> {
    const reading = await tokens.read(purpose, token, now());
    if (reading.ok) return reading.id;
    throw reading.reason === 'expired'
      ? linkExpired()
      : new EarshotError('not_found', 'There is no such link', { nextAction: 'Check that the link is complete.' });
  }

  function requireFresh(run: FreeRun | null): FreeRun {
    if (run === null || run.expiresAt <= now()) throw linkExpired();
    if (run.status === 'arriving') void drive(run.id).catch(() => undefined);
    return run;
  }

  const load = async (id: string): Promise<FreeRunView> => {
    const run = await freeRuns.get(id);
    if (run === null) throw missing(id);
    return view(run);
  };

  const byLink = async (id: string): Promise<FreeRun | null> =>
    (await freeRuns.get(id)) ?? (await freeRuns.finishedBy(id));

  async function byStatusLink(id: string, token: string): Promise<FreeRunView> {
    if ((await readToken('status', token)) !== id) throw missing(id);
    return view(requireFresh(await byLink(id)), id);
  }

  const watch = createJobWatch(
    changes,
    async (id) => {
      const run = await byLink(id);
      return run === null || run.expiresAt <= now() ? null : view(run, id);
    },
    ({ run, job }) => job ?? (run.status === 'refused' ? { status: 'failed', progress: 0 } : null),
  );
  const hasEnded = watch.isFinal;

  function allowanceOf(id: ToolId, taken: Readonly<Partial<Record<ToolId, number>>>, at: Date): Allowance {
    const offer = freeOffer(tools[id], config);
    return {
      tool: id,
      dailyUses: offer.enabled ? offer.dailyUses : 0,
      usesLeft: usesLeft(offer, taken[id] ?? 0),
      seconds: offer.seconds,
      resetsAt: nextUtcMidnight(at),
    };
  }

  return {
    visitor: (account, address) => ({ account, subject: account?.id ?? visitors.subjectOf(address) }),

    async allowance({ subject }, id) {
      const at = now();
      return allowanceOf(id, await freeUses.taken({ id: subject, day: utcDay(at) }), at);
    },

    async overview({ subject }) {
      const at = now();
      const [taken, waiting] = await Promise.all([
        freeUses.taken({ id: subject, day: utcDay(at) }),
        freeRuns.waitingRuns(subject, at),
      ]);
      const ids = Object.keys(tools) as ToolId[];
      return { allowances: ids.map((id) => allowanceOf(id, taken, at)), waiting };
    },

    admit: createAdmission(deps, drive),

    async follow(id, waitSeconds, until, signal) {
      const end = performance.now() + waitSeconds * 1000;
      const left = (): number => Math.max(0, end - performance.now());
      const over = new AbortController();
      const job = await Promise.race([
        drive(id),
        sleep(left(), id, { signal: AbortSignal.any([over.signal, signal]), ref: false }).catch(() => id),
      ]).finally(() => over.abort());
      const done = ({ run, job: current }: FreeRunView): boolean =>
        run.status === 'refused' ||
        run.status === 'waiting' ||
        (run.status === 'started' &&
          (until === 'started' || (current !== null && terminalJobStatuses.includes(current.status))));
      return waitFor(changes, job, () => load(job), done, left() / 1000, signal);
    },

    byStatusLink,

    async followStatusLink(id, token, listener) {
      const first = await byStatusLink(id, token);
      listener(first, hasEnded(first));
      if (hasEnded(first)) return { stop: () => undefined };
      return watch.follow(id, first, (next) => listener(next, hasEnded(next)));
    },

    async byFinishLink(token) {
      const run = requireFresh(await freeRuns.get(await readToken('finish', token)));
      const found = await files.getMany(Object.values(run.request.inputs).flat());
      return { view: await view(run), files: found.filter((file) => file !== null) };
    },

    finishOf: async (run) => (run.finishJobId === null ? null : view(run, run.finishJobId)),

    async open(file) {
      const { objectKey } = file;
      const stat = objectKey === null ? null : await objects.stat(objectKey);
      if (objectKey === null || stat === null) throw deleted(file);
      return { sizeBytes: stat.sizeBytes, read: () => objects.read(objectKey) };
    },
  };
}

const linkExpired = (): EarshotError =>
  new EarshotError('file_expired', 'This link has expired', { nextAction: 'Send the file again for a new one.' });
