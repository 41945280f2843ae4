import { EarshotError, errorCatalogue } from '../../library/core/errors.ts';
import type { StoredError } from './records.ts';

/** What is kept of an error: what the catalogue says of its code is not said again. */
export function toStored({ code, message, retryable, nextAction }: EarshotError): StoredError {
  const usual = errorCatalogue[code];
  return {
    code,
    message,
    ...(retryable === usual.retryable ? {} : { retryable }),
    ...(nextAction === usual.nextAction ? {} : { nextAction }),
  };
}

/** @param more beside the details that were kept */
export const fromStored = (
  { code, message, retryable, nextAction, details }: StoredError,
  more: Readonly<Record<string, unknown>> = {},
): EarshotError =>
  new EarshotError(code, message, {
    ...(retryable === undefined ? {} : { retryable }),
    ...(nextAction === undefined ? {} : { nextAction }),
    details: { ...details, ...more },
  });
