// Errors of runs that have reached one of their limits.
import { EarshotError } from '../../core/errors/errors.ts';
import { boundOf, type RunBound } from '../../core/machine/run-bounds.ts';

/** Where library callers set them. */
const settings: Readonly<Record<RunBound, string>> = {
  maxJobMemoryBytes: 'maxJobMemoryBytes of createEngine',
  maxJobSeconds: 'maxJobSeconds of createEngine, maxSeconds of the run',
  maxOutputBytes: 'maxOutputBytes of the run',
};

/** @param received null or Infinity: unknown */
function exceeded(limit: RunBound, expected: number, received: number | null): EarshotError {
  const { amount } = boundOf(limit, expected);
  return new EarshotError('limit_exceeded', `The job needed more than its limit of ${amount}`, {
    nextAction: `Use a shorter file or split it, or raise the limit (${settings[limit]}).`,
    details: { limit, expected, received: received !== null && Number.isFinite(received) ? received : null },
  });
}

/** @param usedBytes null: the system refused it more memory */
export const memoryExceeded = (limitBytes: number, usedBytes: number | null): EarshotError =>
  exceeded('maxJobMemoryBytes', limitBytes, usedBytes);

/** @param writtenBytes null: the system refused to write more */
export const outputExceeded = (limitBytes: number, writtenBytes: number | null): EarshotError =>
  exceeded('maxOutputBytes', limitBytes, writtenBytes);

export const timeExceeded = (limitSeconds: number): EarshotError =>
  exceeded('maxJobSeconds', limitSeconds, limitSeconds);
