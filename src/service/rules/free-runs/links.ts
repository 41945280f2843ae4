import { EarshotError } from '../../../library/core/errors/errors.ts';
import type { FreeRun } from './free-run-store.ts';
import type { FreeRuns, FreeRunView } from './free-run-use-cases.ts';
import { createJobWatch } from '../jobs/watch.ts';
import type { TokenPurpose } from '../shared/tokens.ts';
import type { FreeRunsDeps } from './deps.ts';
import type { FreeRunViews } from './views.ts';

/** Status and finish links. */
export function createLinks(
  { freeRuns, files, jobs, changes, tokens, now }: FreeRunsDeps,
  views: FreeRunViews,
  drive: (id: string) => Promise<string>,
): Pick<FreeRuns, 'byStatusLink' | 'followStatusLink' | 'byFinishLink' | 'cancel'> {
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

  const byLink = async (id: string): Promise<FreeRun | null> =>
    (await freeRuns.get(id)) ?? (await freeRuns.finishedBy(id));

  async function byStatusLink(id: string, token: string): Promise<FreeRunView> {
    if ((await readToken('status', token)) !== id) throw missingRun(id);
    return views.view(requireFresh(await byLink(id)), id);
  }

  const watch = createJobWatch(
    changes,
    async (id) => {
      const run = await byLink(id);
      return run === null || run.expiresAt <= now() ? null : views.view(run, id);
    },
    ({ run, job }) => job ?? (run.status === 'refused' ? { status: 'failed', progress: 0 } : null),
  );

  const hasEnded = watch.isFinal;

  return {
    byStatusLink,

    async followStatusLink(id, token, listener) {
      const first = await byStatusLink(id, token);
      listener(first, hasEnded(first));
      if (hasEnded(first)) return { stop: () => undefined };
      return watch.follow(id, first, (next) => listener(next, hasEnded(next)));
    },

    async cancel(id, token) {
      const { job } = await byStatusLink(id, token);
      if (job === null) throw new EarshotError('job_not_cancellable', `The run ${id} has not started yet`);
      await jobs.requestCancel(job.id);
    },

    async byFinishLink(token) {
      const run = requireFresh(await freeRuns.get(await readToken('finish', token)));
      const found = await files.getMany(Object.values(run.request.inputs).flat());
      return { view: await views.view(run), files: found.filter((file) => file !== null) };
    },
  };
}

export const missingRun = (id: string): EarshotError =>
  new EarshotError('not_found', `There is no run ${id}`, { details: { id } });

const linkExpired = (): EarshotError =>
  new EarshotError('file_expired', 'This link has expired', { nextAction: 'Send the file again for a new one.' });
