import { EarshotError } from '../../../library/core/errors/errors.ts';

/** What an error of the SDK says of itself. */
interface Failure {
  readonly name?: string;
  readonly code?: string;
  readonly $metadata?: { readonly httpStatusCode?: number };
}

const failureOf = (thrown: unknown): Failure => (typeof thrown === 'object' && thrown !== null ? thrown : {});

/** The error's name in S3, such as "NoSuchUpload"; HEAD requests only have a status, which the SDK calls "NotFound". */
export const nameOf = (thrown: unknown): string => failureOf(thrown).name ?? '';

export const isMissing = (thrown: unknown): boolean => ['NoSuchKey', 'NotFound'].includes(nameOf(thrown));

export const missing = (cause?: unknown): EarshotError =>
  new EarshotError('not_found', 'There is no such object', { cause });

/** Did the store not answer, or ask for patience? The same call may succeed later. */
function isOutage(thrown: unknown): boolean {
  const { name = '', code = '', $metadata } = failureOf(thrown);
  const status = $metadata?.httpStatusCode ?? 0;
  return (
    status >= 500 ||
    status === 429 ||
    /^(?:SlowDown|Throttl|RequestTimeout|TimeoutError|RequestLimitExceeded)/.test(name) ||
    /^(?:ECONN|EPIPE|ETIMEDOUT|EHOST|ENET|ENOTFOUND|EAI_)/.test(code)
  );
}

/**
 * Errors for the callers of the store: messages of S3 have hosts, buckets and keys in them. EarshotErrors and aborts
 * stay what they are, as do errors of the source of a write.
 */
export function describeFailure(thrown: unknown): unknown {
  const { $metadata, code } = failureOf(thrown);
  const isOfStore = $metadata !== undefined || isOutage(thrown) || code === 'CredentialsProviderError';
  if (thrown instanceof EarshotError || !isOfStore) return thrown;
  return isOutage(thrown)
    ? new EarshotError('internal_error', 'The object store does not answer at the moment', {
        cause: thrown,
        retryable: true,
        details: { outage: true },
      })
    : new EarshotError('internal_error', 'The object store refused the operation', { cause: thrown, retryable: true });
}
