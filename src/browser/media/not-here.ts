// What a browser's tab cannot do, and who can.
import { EarshotError } from '../../library/core/errors/errors.ts';

/** @param what as the beginning of a sentence: "Moving pictures are not written" */
export const notHere = (what: string): EarshotError =>
  new EarshotError('unsupported_format', `${what} in a browser's tab`, {
    nextAction: "Send the file to Earshot's service, or run the library in Node: both take it.",
  });
