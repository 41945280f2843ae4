/**
 * How an attempt of a job may end without settling it, and how often. An error of the job itself settles it, the first
 * time; a stop of the service and an outage of the store hand it back without a limit.
 *
 * - processCrashed: its process ended while its worker lived and said so. `EARSHOT_JOB_ATTEMPTS` is the budget.
 * - leaseLost: its worker was cut off for longer than its lease, and lives.
 * - workerGone: its worker has not been heard of since.
 *
 * Only the first says something about the job. The others give the attempt back, and their budget only keeps a job that
 * takes its worker with it from running for ever.
 */
export const attemptBudgets = { processCrashed: null, leaseLost: 10, workerGone: 10 } as const;

/** A reason of an attempt's end that is not the job's fault. */
export type LostAttempt = Exclude<keyof typeof attemptBudgets, 'processCrashed'>;

/** Number of such ends of a job's attempts, by reason. Default: 0. */
export type LostAttempts = Readonly<Partial<Record<LostAttempt, number>>>;

const meaning: Readonly<Record<LostAttempt, string>> = {
  leaseLost: 'was cut off from the database',
  workerGone: 'was lost',
};

/**
 * Why the job may not start again; null: it may.
 * @param counted attempts that were not given back
 * @param mostCrashes `EARSHOT_JOB_ATTEMPTS`
 */
export function startsUsedUp(counted: number, lost: LostAttempts, mostCrashes: number): string | null {
  if (counted >= mostCrashes) return `The job's process crashed ${counted} times`;
  for (const reason of ['leaseLost', 'workerGone'] as const)
    if ((lost[reason] ?? 0) >= attemptBudgets[reason])
      return `The machine of the job ${meaning[reason]} ${lost[reason]} times, and nothing was charged; order it again`;
  return null;
}
