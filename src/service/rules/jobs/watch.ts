import type { Changes } from '../ports.ts';
import { type JobSummary, terminalJobStatuses } from '../records.ts';
import { createWatch, type Watch } from '../watch.ts';

/**
 * Follows something around a job.
 * @param load null: it is not known any more, which is its end
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
    // A look that began before another one ended.
    isBehind: (view, known) => isFinal(known) && !isFinal(view),
    isFinal,
  });
  return { ...watch, isFinal };
}
