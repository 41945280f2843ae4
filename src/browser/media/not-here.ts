// What a browser's tab cannot do, and who can.
import { EarshotError } from '../../library/core/errors/errors.ts';

/**
 * @param what as the beginning of a sentence: "Moving pictures are not written"
 * @param otherwise a sentence that says what to do here, with a space behind it; default: nothing
 */
export const notHere = (what: string, otherwise = ''): EarshotError =>
  new EarshotError('unsupported_format', `${what} in a browser's tab`, {
    nextAction: `${otherwise}Send the file to Earshot's service, or run the library in Node: both take it.`,
  });
