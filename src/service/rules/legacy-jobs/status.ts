import type { LegacyStatus } from './legacy-job-use-cases.ts';
import type { LegacyJobLook } from './legacy-job-store.ts';

/** The status of a job. */
export function statusOf({ legacy, arriving, job, jobsAhead, output }: LegacyJobLook): LegacyStatus {
  if (legacy.error !== null) return { state: 'failed', reason: legacy.error.message };
  if (job === null) return legacy.fromLink && arriving ? { state: 'downloading' } : { state: 'queued', jobsAhead };
  if (job.status === 'failed') return { state: 'failed', reason: job.error?.message ?? 'The job failed' };
  if (job.status === 'cancelled') return { state: 'failed', reason: 'The job was cancelled' };
  if (job.status === 'succeeded') {
    // The result is still being sent to the output URL.
    if (legacy.outputUrl !== null) return { state: 'in_progress', percent: 100 };
    return output === null ? { state: 'failed', reason: 'The job produced no result' } : { state: 'succeeded', output };
  }
  // A job that was started before is being restarted: its progress must not fall.
  if (job.status === 'queued' && !job.started) return { state: 'queued', jobsAhead };
  return { state: 'in_progress', percent: Math.floor(job.furthest * 100) };
}

export const sameStatus = (a: LegacyStatus, b: LegacyStatus): boolean =>
  a === b || JSON.stringify(a) === JSON.stringify(b);

const order: readonly LegacyStatus['state'][] = ['downloading', 'queued', 'in_progress', 'succeeded', 'failed'];

/** Is `status` older than `known`? Clients never see a job go back. */
export function isBehind(status: LegacyStatus, known: LegacyStatus): boolean {
  if (status.state === 'in_progress' && known.state === 'in_progress') return status.percent < known.percent;
  return order.indexOf(status.state) < order.indexOf(known.state);
}
