import type { EarshotError, ErrorCode } from '../../../library/core/errors/errors.ts';
import type { ErrorAnswer } from '../server/dialect.ts';
import { statusByCode, statusOf } from '../server/errors.ts';

/** Codes that programs written for OpenAI's API look for; other errors keep our own codes. */
const knownCodes: Readonly<Partial<Record<ErrorCode, string>>> = {
  unauthorized: 'invalid_api_key',
  insufficient_balance: 'insufficient_quota',
  over_spending_cap: 'insufficient_quota',
  rate_limited: 'rate_limit_exceeded',
  upload_limit_reached: 'rate_limit_exceeded',
};

/** What is wrong with a file is a bad request there. */
const statuses: Readonly<Record<ErrorCode, number>> = {
  ...statusByCode,
  unsupported_format: 400,
  wrong_file_type: 400,
  file_invalid: 400,
  file_too_long: 400,
  text_too_long: 400,
  no_audio: 400,
};

const types: Readonly<Partial<Record<ErrorCode, string>>> = {
  insufficient_balance: 'insufficient_quota',
  over_spending_cap: 'insufficient_quota',
  rate_limited: 'rate_limit_error',
  upload_limit_reached: 'rate_limit_error',
  limit_exceeded: 'rate_limit_error',
  internal_error: 'server_error',
  tool_unavailable: 'server_error',
};

/** The error in the shape of OpenAI's API, with its status where it has one. Its clients obey `x-should-retry`. */
export function errorAnswer(error: EarshotError): ErrorAnswer & { readonly body: { readonly error: object } } {
  const { code, message, nextAction, details, retryable } = error;
  const status = statusOf(error, statuses);
  const field = details?.['field'];
  return {
    status,
    headers: { 'x-should-retry': String(retryable) },
    body: {
      error: {
        message: `${message}. ${nextAction}`,
        type: types[code] ?? 'invalid_request_error',
        param: typeof field === 'string' ? field : null,
        code: code === 'not_found' && field === 'model' ? 'model_not_found' : (knownCodes[code] ?? code),
      },
    },
  };
}
