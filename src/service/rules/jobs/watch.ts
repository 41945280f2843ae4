import type { Changes } from '../shared/wait-for.ts';
import { type JobSummary, terminalJobStatuses } from './stored-job.ts';
import { createWatch, type Watch } from '../shared/watch.ts';

/**
 * Follows a view of a job.
 * @param load null: it was deleted, the final state
 * @param jobOf null: there is no job yet
 */
export function createJobWatch<View>(
  changes: Changes,
  load: (id: string) => Promise<View | null>,
  jobOf: (view: View) => Pick<JobSummary, 'status' | 'progress'> | null,
): Watch<View | null> & { isFinal(view: View | null): boolean } {
  const isFinal = (view: View | null): boolean =>
    view === null || terminalJobStatuses.includes(jobOf(view)?.status ?? 'queued');
  const watch = createWatch<View | null>(changes, {
    load,
    isSame: (view, other) => JSON.stringify(view) === JSON.stringify(other),
    // A load that began before a newer one ended.
    isBehind: (view, known) => isFinal(known) && !isFinal(view),
    isFinal,
  });
  return { ...watch, isFinal };
}
