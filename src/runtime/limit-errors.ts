// What a run is told that has reached one of its bounds.
import { EarshotError } from '../core/errors.ts';

/** @param usedBytes null: it asked for more than the system gave it */
export function memoryExceeded(limitBytes: number, usedBytes: number | null): EarshotError {
  const mebibytes = (bytes: number): string => `${Math.round(bytes / 2 ** 20)} MiB`;
  return new EarshotError(
    'limit_exceeded',
    `Expected the job to use at most ${mebibytes(limitBytes)} of memory but it ${usedBytes === null ? 'asked for more' : `used ${mebibytes(usedBytes)}`}`,
    {
      details: { limit: 'maxJobMemoryBytes', expected: limitBytes, received: usedBytes },
    },
  );
}

/** @param writtenBytes null: the system refused it more */
export function outputExceeded(limitBytes: number, writtenBytes: number | null): EarshotError {
  const megabytes = (bytes: number): string => `${Math.round(bytes / 1e6)} MB`;
  return new EarshotError(
    'limit_exceeded',
    `Expected the job to write at most ${megabytes(limitBytes)} but it ${writtenBytes === null ? 'would have written more' : `had written ${megabytes(writtenBytes)}`}`,
    { details: { limit: 'maxOutputBytes', expected: limitBytes, received: writtenBytes } },
  );
}

export function timeExceeded(limitSeconds: number): EarshotError {
  return new EarshotError(
    'limit_exceeded',
    `Expected the job to end within ${limitSeconds} s but it was still running`,
    {
      details: { limit: 'maxJobSeconds', expected: limitSeconds, received: limitSeconds },
    },
  );
}
