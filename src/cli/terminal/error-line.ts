import { EarshotError } from '../../library/core/errors/errors.ts';
import { harmless } from './values.ts';
import { terminalAction, withFlags } from './wording.ts';

/** One readable line: `earshot: <file>: <message> <nextAction>`. */
export function errorLine(thrown: unknown, subject?: string): string {
  const error = EarshotError.from(thrown);
  // The message of a missing file already names it.
  const prefix = subject === undefined || error.message.includes(subject) ? 'earshot' : `earshot: ${subject}`;
  const message = withFlags(error);
  const sentence = /[.!?]$/.test(message) ? message : `${message}.`;
  const line = `${prefix}: ${sentence} ${terminalAction(error)}`;
  return harmless(line.replaceAll(/\s+/g, (blanks) => (blanks.includes('\n') ? ' ' : blanks)));
}
