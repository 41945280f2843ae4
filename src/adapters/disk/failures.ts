import { isDiskFull } from '../../core/disk-full.ts';
import { EarshotError } from '../../core/errors.ts';

export const codeOf = (thrown: unknown): string | undefined =>
  thrown instanceof Error ? (thrown as NodeJS.ErrnoException).code : undefined;

/** A full disk, a quota and a file size limit look alike to a client: try later. All else is answered as it came. */
export function describeWriteFailure(thrown: unknown): unknown {
  if (!isDiskFull(thrown)) return thrown;
  return new EarshotError('internal_error', `The service has no room left for this file (${codeOf(thrown)})`, {
    cause: thrown,
    retryable: true,
    nextAction: 'Try again later; the operator has to make room on the disk.',
  });
}
