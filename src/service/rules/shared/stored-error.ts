import { EarshotError, errorCatalogue, type ErrorDetails } from '../../../library/core/errors/errors.ts';
import type { Refusal } from '../../../library/contract/tool-facts.ts';

/** Why a file or a job failed. Records show the code and the message. */
export interface StoredError extends Refusal {
  /** May the request be retried? Absent: as in the catalogue. */
  readonly retryable?: boolean;
  /** Absent: as in the catalogue. */
  readonly nextAction?: string;
  /** Facts for programs; also decide the HTTP status. */
  readonly details?: ErrorDetails;
}

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
