import { EarshotError } from '../../../library/core/errors/errors.ts';

/** How much clocks may differ. */
export const clockToleranceSeconds = 30;

export const refuse = (why: string): EarshotError =>
  new EarshotError('unauthorized', `The access token is not valid: ${why}`);
