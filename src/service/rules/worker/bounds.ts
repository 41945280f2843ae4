// What clients read of a job that met a bound of memory, time or disk. The bound is the operator's, for one job; it is no
// quota of theirs.
import { metBound, type RunBound } from '../../../library/core/run-bounds.ts';
import type { EarshotError } from '../../../library/core/errors.ts';
import type { StoredError } from '../records.ts';
import type { Config } from '../config.ts';
import { settings } from '../settings.ts';

const raise = ({ env }: { readonly env: string }): string =>
  `Use a shorter file or split it, or ask the operator to raise ${env}`;

const advice: Readonly<Record<RunBound, string>> = {
  maxJobMemoryBytes: raise(settings.jobMemoryBytes),
  // For the usual bound, which follows from the files (time-bound.ts); see below for the one of all jobs.
  maxJobSeconds: raise(settings.jobTimeFactor),
  // Follows from the files (output-estimate.ts): the operator has no setting for it.
  maxOutputBytes: 'Use a shorter file or split it; if that does not help, report the job to the operator',
};

/** The same in every interface, so the message has the advice, too: job records and the older API show nothing else. */
export function boundFailure(
  { code, details }: EarshotError,
  { jobSeconds }: Pick<Config, 'jobSeconds'>,
): StoredError | null {
  const met = metBound({ code, details });
  if (met === null) return null;
  const isForAll = met.limit === 'maxJobSeconds' && details?.['expected'] === jobSeconds;
  const helps = isForAll ? raise(settings.jobSeconds) : advice[met.limit];
  return {
    code,
    message: `The job needed more than the ${met.amount} that this service gives one job. ${helps}`,
    nextAction: `${helps}.`,
    details: { limit: met.limit, expected: details?.['expected'] },
  };
}
