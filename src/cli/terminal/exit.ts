import { isAbortError } from '../../library/core/abort.ts';
import { EarshotError, type ErrorCode } from '../../library/core/errors/errors.ts';

/** The exit codes of the process; those from 65 on are the usual ones of Unix (sysexits), which job engines act by. */
export const exitCodes = {
  ok: 0,
  failed: 1,
  usage: 2,
  /** The input is at fault: another try fails, too. */
  badInput: 65,
  /** Something is missing here, or refuses us. */
  unavailable: 69,
  /** Try again. */
  again: 75,
  interrupted: 130,
} as const;

export type ExitCode = (typeof exitCodes)[keyof typeof exitCodes];

export function exitCodeOf(thrown: unknown): ExitCode {
  if (isAbortError(thrown)) return exitCodes.interrupted;
  return thrown instanceof EarshotError && thrown.code === 'bad_request' ? exitCodes.usage : exitCodes.failed;
}

const missing: readonly ErrorCode[] = ['tool_unavailable', 'unauthorized', 'forbidden'];
const ofTheInput: readonly ErrorCode[] = [
  'bad_request',
  'not_found',
  'conflict',
  'unsupported_format',
  'wrong_file_type',
  'file_invalid',
  'file_too_large',
  'file_too_long',
  'text_too_long',
  'no_audio',
  'ranges_outside',
  'limit_exceeded',
  'fetch_failed',
];

/** For commands that job engines start: they try again after `again`, and never after `badInput`. */
export function engineExitOf(thrown: unknown): ExitCode {
  // An engine that took the machine away starts the job again.
  if (isAbortError(thrown)) return exitCodes.again;
  if (!(thrown instanceof EarshotError)) return exitCodes.failed;
  if (thrown.retryable) return exitCodes.again;
  if (missing.includes(thrown.code)) return exitCodes.unavailable;
  return ofTheInput.includes(thrown.code) ? exitCodes.badInput : exitCodes.failed;
}
