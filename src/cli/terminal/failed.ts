import { isAbortError } from '../../library/core/abort.ts';
import { createDisplay, type Display, type DisplayOptions } from './display.ts';
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

interface Reporting extends DisplayOptions {
  /** Of errors. */
  readonly subject?: string;
  /** As in `reportFailure`. */
  readonly left?: string;
}

/** What a command does, with a display that is closed at its end; what ends it is reported. */
export async function reporting(
  { subject, left, ...options }: Reporting,
  work: (display: Display) => ExitCode | Promise<ExitCode>,
): Promise<ExitCode> {
  const display = createDisplay(options);
  try {
    return await work(display);
  } catch (thrown) {
    return reportFailure(display, subject, thrown, left);
  } finally {
    display.close();
  }
}
