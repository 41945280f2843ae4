// Messages for jobs that reached a limit of memory, time or disk. The limits are the operator's, not quotas of the
// account.
import { metBound, type RunBound } from '../../../library/core/machine/run-bounds.ts';
import type { EarshotError } from '../../../library/core/errors/errors.ts';
import type { StoredError } from '../shared/stored-error.ts';
import type { Config } from '../settings/config.ts';
import { settings } from '../settings/settings.ts';

const raise = ({ env }: { readonly env: string }): string =>
  `Use a shorter file or split it, or ask the operator to raise ${env}`;

const advice: Readonly<Record<RunBound, string>> = {
  maxJobMemoryBytes: raise(settings.jobMemoryBytes),
  // For the limit of the files' length (time-bound.ts); see below for the one of all jobs.
  maxJobSeconds: raise(settings.jobTimeFactor),
  // Estimated from the files (output-estimate.ts): there is no setting for it.
  maxOutputBytes: 'Use a shorter file or split it; if that does not help, report the job to the operator',
};

/** The message contains the advice, too: job records and the older API show only the message. */
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
