import type { LegacyStatus } from './legacy-jobs.ts';
import type { LegacyJobLook } from '../legacy-job-store.ts';

/** What a look at a job comes to. */
export function statusOf({ legacy, arriving, job, jobsAhead, output }: LegacyJobLook): LegacyStatus {
  if (legacy.error !== null) return { state: 'failed', reason: legacy.error.message };
  if (job === null) return legacy.fromLink && arriving ? { state: 'downloading' } : { state: 'queued', jobsAhead };
  if (job.status === 'failed') return { state: 'failed', reason: job.error?.message ?? 'The job failed' };
  if (job.status === 'cancelled') return { state: 'failed', reason: 'The job was cancelled' };
  if (job.status === 'succeeded') {
    // The result still goes to the address that was given.
    if (legacy.outputUrl !== null) return { state: 'in_progress', percent: 100 };
    return output === null ? { state: 'failed', reason: 'The job came to no result' } : { state: 'succeeded', output };
  }
  // One that was started before goes on being shown as it was: its process died, and another one begins.
  if (job.status === 'queued' && !job.started) return { state: 'queued', jobsAhead };
  return { state: 'in_progress', percent: Math.floor(job.furthest * 100) };
}

export const sameStatus = (a: LegacyStatus, b: LegacyStatus): boolean =>
  a === b || JSON.stringify(a) === JSON.stringify(b);

const order: readonly LegacyStatus['state'][] = ['downloading', 'queued', 'in_progress', 'succeeded', 'failed'];

/** Was `status` true before `known` was? What people are shown never goes back. */
export function isBehind(status: LegacyStatus, known: LegacyStatus): boolean {
  if (status.state === 'in_progress' && known.state === 'in_progress') return status.percent < known.percent;
  return order.indexOf(status.state) < order.indexOf(known.state);
}
