import { isAbortError } from '../../library/core/abort.ts';
import { EarshotError } from '../../library/core/errors/errors.ts';

/** The process's exit codes. */
export const exitCodes = { ok: 0, failed: 1, usage: 2, interrupted: 130 } as const;

export type ExitCode = (typeof exitCodes)[keyof typeof exitCodes];

export function exitCodeOf(thrown: unknown): ExitCode {
  if (isAbortError(thrown)) return exitCodes.interrupted;
  return thrown instanceof EarshotError && thrown.code === 'bad_request' ? exitCodes.usage : exitCodes.failed;
}
