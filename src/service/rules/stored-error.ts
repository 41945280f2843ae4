import { EarshotError, errorCatalogue } from '../../library/core/errors/errors.ts';
import type { StoredError } from './records.ts';

/** The fields of an error to store, without those that equal the catalogue's defaults. */
export function toStored({ code, message, retryable, nextAction }: EarshotError): StoredError {
  const usual = errorCatalogue[code];
  return {
    code,
    message,
    ...(retryable === usual.retryable ? {} : { retryable }),
    ...(nextAction === usual.nextAction ? {} : { nextAction }),
  };
}

/** @param more further details */
export const fromStored = (
  { code, message, retryable, nextAction, details }: StoredError,
  more: Readonly<Record<string, unknown>> = {},
): EarshotError =>
  new EarshotError(code, message, {
    ...(retryable === undefined ? {} : { retryable }),
    ...(nextAction === undefined ? {} : { nextAction }),
    details: { ...details, ...more },
  });
