import type { EarshotError, ErrorCode } from '../../../library/core/errors/errors.ts';
import type { ErrorAnswer } from '../server/dialect.ts';
import { statusOf } from '../server/errors.ts';

/** Statuses of the older API, see open point 21. */
const statusByCode: Readonly<Record<ErrorCode, number>> = {
  bad_request: 400,
  insufficient_balance: 400,
  over_spending_cap: 400,
  conflict: 400,
  idempotency_key_reused: 400,
  file_not_ready: 400,
  file_too_large: 400,
  text_too_long: 400,
  ranges_outside: 400,
  free_disabled: 400,
  job_not_cancellable: 400,
  build_mismatch: 400,
  fetch_failed: 400,
  unauthorized: 401,
  forbidden: 401,
  not_found: 404,
  file_expired: 404,
  unsupported_format: 422,
  wrong_file_type: 422,
  file_invalid: 422,
  file_too_long: 422,
  no_audio: 422,
  free_limit_reached: 429,
  free_budget_exhausted: 429,
  limit_exceeded: 429,
  upload_limit_reached: 429,
  rate_limited: 429,
  internal_error: 500,
  tool_unavailable: 503,
};

/** Retry-After of permanent 429 errors; clients of this API sleep for it. The server sets it for retryable errors. */
const usualWaitSeconds = 60;

/** {"detail": text}, with the statuses of the older API. */
export function errorAnswer(error: EarshotError): ErrorAnswer {
  const { message, nextAction, details, retryable } = error;
  const status = statusOf(error, statusByCode);
  return {
    status,
    headers: status === 429 && !retryable ? { 'retry-after': String(usualWaitSeconds) } : {},
    // The one place for where credits are bought.
    body: { detail: details?.['buyUrl'] === undefined ? message : `${message}. ${nextAction}` },
  };
}
