// What a run is told that has reached one of its bounds.
import { EarshotError } from '../core/errors.ts';
import { boundOf, type RunBound } from '../core/run-bounds.ts';

/** Where callers of the library set them. */
const settings: Readonly<Record<RunBound, string>> = {
  maxJobMemoryBytes: 'maxJobMemoryBytes of createEngine',
  maxJobSeconds: 'maxJobSeconds of createEngine, maxSeconds of the run',
  maxOutputBytes: 'maxOutputBytes of the run',
};

/** @param received null: not known */
function exceeded(limit: RunBound, expected: number, received: number | null): EarshotError {
  const { amount } = boundOf(limit, expected);
  return new EarshotError('limit_exceeded', `The job needed more than the ${amount} that one run is given`, {
    nextAction: `Use a shorter file or split it, or raise the limit (${settings[limit]}).`,
    details: { limit, expected, received },
  });
}

/** @param usedBytes null: it asked for more than the system gave it */
export const memoryExceeded = (limitBytes: number, usedBytes: number | null): EarshotError =>
  exceeded('maxJobMemoryBytes', limitBytes, usedBytes);

/** @param writtenBytes null: the system refused it more */
export const outputExceeded = (limitBytes: number, writtenBytes: number | null): EarshotError =>
  exceeded('maxOutputBytes', limitBytes, writtenBytes);

export const timeExceeded = (limitSeconds: number): EarshotError =>
  exceeded('maxJobSeconds', limitSeconds, limitSeconds);
