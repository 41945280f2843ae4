import { isAbortError } from '../../library/core/abort.ts';
import type { Display } from './display.ts';
import { exitCodeOf, type ExitCode } from './exit.ts';

/**
 * Reports why a command ended, and answers its exit code.
 * @param left what an interrupted one leaves
 */
export function reportFailure(
  display: Display,
  subject: string | undefined,
  thrown: unknown,
  left = 'partial files were removed',
): ExitCode {
  display.close();
  if (isAbortError(thrown)) display.note(`earshot: interrupted; ${left}`);
  else display.error(subject, thrown);
  return exitCodeOf(thrown);
}
