import type { FastifyReply, FastifyRequest } from 'fastify';
import { isAbortError } from '../../../library/core/abort.ts';
import { isNoRoomToKeep } from '../../../library/core/errors/disk-full.ts';
import { EarshotError, type ErrorCode } from '../../../library/core/errors/errors.ts';
import { shownName } from '../../../library/core/checks/names.ts';
import { metBound } from '../../../library/core/machine/run-bounds.ts';
import type { Dialect } from './dialect.ts';
import { pathOf } from './paths.ts';

/** HTTP status by error code (open point 13), unless a dialect has its own map. */
export const statusByCode: Readonly<Record<ErrorCode, number>> = {
  bad_request: 400,
  unauthorized: 401,
  insufficient_balance: 402,
  over_spending_cap: 402,
  forbidden: 403,
  free_disabled: 403,
  not_found: 404,
  conflict: 409,
  idempotency_key_reused: 409,
  file_not_ready: 409,
  job_not_cancellable: 409,
  build_mismatch: 409,
  file_expired: 410,
  file_too_large: 413,
  unsupported_format: 415,
  wrong_file_type: 422,
  file_invalid: 422,
  file_too_long: 422,
  text_too_long: 422,
  no_audio: 422,
  ranges_outside: 422,
  fetch_failed: 422,
  free_limit_reached: 429,
  free_budget_exhausted: 429,
  limit_exceeded: 429,
  upload_limit_reached: 429,
  rate_limited: 429,
  internal_error: 500,
  tool_unavailable: 503,
};

/** Status of a run that reached a limit of memory, time or disk: unlike a quota, retrying later does not help. */
export const boundStatus = 422;

/**
 * The HTTP status of an error.
 * @param byCode the dialect's own map
 */
export const statusOf = (
  error: Pick<EarshotError, 'code' | 'details'>,
  byCode: Readonly<Record<ErrorCode, number>> = statusByCode,
): number => (metBound(error) === null ? byCode[error.code] : boundStatus);

/** Status in logs and metrics when the client disconnected before the response. */
export const clientGoneStatus = 499;

/**
 * The error as clients see it: internal errors without their reason, with the request id to find it in the log, and the
 * job's id.
 */
export function forClient(error: EarshotError, requestId: string): EarshotError {
  if (error.code !== 'internal_error') return error;
  // A full disk needs no look into the log.
  if (isNoRoomToKeep(error))
    return new EarshotError(error.code, error.message, {
      retryable: error.retryable,
      ...(error.nextAction === undefined ? {} : { nextAction: error.nextAction }),
      details: { requestId },
    });
  return new EarshotError(
    'internal_error',
    `Internal error; the request was valid. The operator can find the reason in the log under ${requestId}`,
    {
      retryable: error.retryable,
      nextAction: 'Try again; if it happens again, report the request id to the operator.',
      details: {
        requestId,
        ...(typeof error.details?.['jobId'] === 'string' ? { jobId: error.details['jobId'] } : {}),
      },
    },
  );
}

/** Default Retry-After by status, seconds. */
const usualWaits: Readonly<Partial<Record<number, number>>> = { 409: 1, 422: 10, 429: 10, 500: 5, 503: 60 };

/**
 * Seconds for Retry-After; null for errors that are not retryable.
 */
export function retryAfterSeconds(error: EarshotError, now: Date = new Date()): number | null {
  if (!error.retryable) return null;
  const { retryAfterSeconds: told, resetsAt } = error.details ?? {};
  if (typeof told === 'number' && Number.isFinite(told)) return Math.max(1, Math.ceil(told));
  const resetTime = typeof resetsAt === 'string' || resetsAt instanceof Date ? new Date(resetsAt).getTime() : NaN;
  if (Number.isFinite(resetTime)) return Math.max(1, Math.ceil((resetTime - now.getTime()) / 1000));
  // Free uses reset at midnight UTC.
  if (error.code === 'free_limit_reached')
    return Math.ceil((Date.UTC(now.getUTCFullYear(), now.getUTCMonth(), now.getUTCDate() + 1) - now.getTime()) / 1000);
  return isOutage(error) ? 5 : (usualWaits[statusOf(error)] ?? 10);
}

/** Is a dependency of the service, such as the database, unreachable? Set by the adapters. */
const isOutage = ({ code, details }: EarshotError): boolean =>
  code === 'internal_error' && details?.['outage'] === true;

/** Maps Fastify's own errors to the catalogue. */
function toEarshotError(thrown: unknown, request: Pick<FastifyRequest, 'method' | 'url' | 'headers'>): EarshotError {
  if (thrown instanceof EarshotError) return thrown;
  const { code, statusCode } =
    thrown instanceof Error ? (thrown as Error & { code?: unknown; statusCode?: unknown }) : {};
  switch (code) {
    case 'FST_ERR_CTP_INVALID_MEDIA_TYPE':
      return new EarshotError(
        'unsupported_format',
        'Expected a body of type application/json but received ' +
          shownName(request.headers['content-type'] ?? 'one without a type'),
        {
          nextAction: 'Send the body as JSON with Content-Type: application/json.',
        },
      );
    case 'FST_ERR_CTP_BODY_TOO_LARGE':
      return new EarshotError('file_too_large', `The body is too large for ${request.method} ${pathOf(request.url)}`, {
        nextAction: 'Send a smaller body.',
      });
    case 'FST_ERR_CTP_INVALID_JSON_BODY':
    case 'FST_ERR_CTP_EMPTY_JSON_BODY':
      return new EarshotError('bad_request', 'Expected a JSON body but received something that is not JSON', {
        nextAction: 'Send a valid JSON object.',
      });
    case 'FST_ERR_CTP_INVALID_CONTENT_LENGTH':
      return new EarshotError('bad_request', 'The length of the body differs from Content-Length');
    case 'FST_ERR_BAD_URL':
      return new EarshotError('bad_request', 'The path of this request is not a valid URL path', {
        nextAction: 'Percent-encode the path (RFC 3986).',
      });
    case 'FST_ERR_MAX_PARAM_LENGTH':
      return new EarshotError('not_found', 'A segment of the path is too long');
    default:
      if (typeof statusCode === 'number' && statusCode >= 400 && statusCode < 500 && thrown instanceof Error)
        return new EarshotError('bad_request', thrown.message, { cause: thrown });
      return EarshotError.from(thrown);
  }
}

type Speaker = Pick<Dialect, 'errorAnswer'>;

/** Sends the error of a request, formatted by its dialect. */
export function handleError(thrown: unknown, request: FastifyRequest, reply: FastifyReply, speaker: Speaker): void {
  if (isAbortError(thrown) && !(thrown instanceof EarshotError)) {
    void reply.code(clientGoneStatus).send();
    return;
  }
  const error = toEarshotError(thrown, request);
  if (error.code === 'internal_error') request.log.error({ err: thrown }, 'request failed');
  sendError(error, request, reply, speaker);
}

/** @param fixedStatus a status required by HTTP itself, such as 416 for ranges */
export function sendError(
  error: EarshotError,
  request: FastifyRequest,
  reply: FastifyReply,
  speaker: Speaker,
  fixedStatus?: number,
): void {
  const { status, headers = {}, body } = speaker.errorAnswer(forClient(error, request.id), request);
  // Outages and a full disk have their own statuses, but the same code internal_error.
  const outage = isNoRoomToKeep(error) ? 507 : isOutage(error) ? 503 : undefined;
  const retryAfter = retryAfterSeconds(error);
  if (retryAfter !== null) reply.header('retry-after', String(retryAfter));
  request.errorCode = error.code;
  void reply
    .code(fixedStatus ?? outage ?? status)
    .headers(headers)
    .header('cache-control', 'no-store')
    .type(typeof body === 'string' ? 'text/html; charset=utf-8' : 'application/json; charset=utf-8')
    .serializer((value: unknown) => (typeof value === 'string' ? value : JSON.stringify(value)))
    .send(body);
}
