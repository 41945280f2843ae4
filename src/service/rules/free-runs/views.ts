import { canPay } from '../settings/can-pay.ts';
import type { FreeRun } from './free-run-store.ts';
import type { FreeRunView } from './free-run-use-cases.ts';
import { withOutputs } from '../jobs/jobs.ts';
import type { JobSummary } from '../jobs/stored-job.ts';
import type { FreeRunsDeps } from './deps.ts';

/** Two ways of measuring a length may differ by this much. */
const durationToleranceSeconds = 0.05;

/** Runs as shown to the holders of their links. */
export class FreeRunViews {
  private readonly deps: FreeRunsDeps;

  constructor(deps: FreeRunsDeps) {
    this.deps = deps;
  }

  /** The latest possible expiry of the run's files; its record has the actual one. */
  private linkEnd({ createdAt }: FreeRun): Date {
    const { freeRetentionSeconds, retentionSeconds } = this.deps.config;
    return new Date(createdAt.getTime() + (freeRetentionSeconds + retentionSeconds) * 1000);
  }

  private statusUrl(run: FreeRun, jobId: string): string {
    const { tokens, baseUrl } = this.deps;
    return `${baseUrl()}/api/try/jobs/${jobId}?t=${tokens.sign('status', jobId, this.linkEnd(run))}`;
  }

  /** Was less processed than the quoted length, apart from rounding? */
  private isCutShort(run: FreeRun, job: JobSummary | null): boolean {
    if (job?.status !== 'succeeded' || !job.free || job.processedSeconds === null || run.whole === null) return false;
    const { tools, config } = this.deps;
    const { seconds } = tools[run.tool].free[config.freeVariant];
    const whole = run.whole.billing.seconds;
    return seconds !== null && whole > seconds && whole - job.processedSeconds > durationToleranceSeconds;
  }

  async view(run: FreeRun, asked = run.id): Promise<FreeRunView> {
    const { jobs, files, tokens, config, baseUrl, now } = this.deps;
    // A run that waited for its payment has only the paid job.
    const jobId = asked !== run.id || run.status === 'waiting' ? run.finishJobId : run.id;
    const summary = jobId === null || run.status === 'arriving' ? null : await jobs.getSummary(jobId);
    const [shown] = summary === null ? [] : await withOutputs(files, [summary], now());
    const cutShort = asked === run.id && this.isCutShort(run, summary);
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
      statusUrl: this.statusUrl(run, asked),
      cutShort,
      finish:
        unpaid && run.whole !== null && (cutShort || run.status === 'waiting')
          ? {
              url: `${baseUrl()}/finish/${tokens.sign('finish', run.id, this.linkEnd(run))}`,
              priceCredits: Math.max(config.minimumPaymentCents, run.whole.credits),
            }
          : null,
      finishedBy:
        asked === run.id && run.finishJobId !== null
          ? { jobId: run.finishJobId, statusUrl: this.statusUrl(run, run.finishJobId) }
          : null,
    };
  }
}
