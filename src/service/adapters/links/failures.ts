import { EarshotError } from '../../../library/core/errors/errors.ts';

/**
 * Reasons by error code. They never contain the IP address, which could reveal the internal network.
 */
const reasons: Readonly<Record<string, string>> = {
  ENOTFOUND: 'its name does not resolve to a public address',
  EAI_AGAIN: 'its name could not be resolved',
  ECONNREFUSED: 'it refused the connection',
  EHOSTUNREACH: 'it cannot be reached',
  ENETUNREACH: 'it cannot be reached',
  ETIMEDOUT: 'it did not respond in time',
  ERR_ANSWER_TOO_SLOW: 'it did not respond in time',
  ERR_BODY_TOO_SLOW: 'it stopped sending',
  ECONNRESET: 'the connection was closed',
  EPIPE: 'the connection was closed',
  EPROTO: 'the TLS handshake failed',
};

/** Happy Eyeballs throws one error for all attempts; use the first of them. */
function codeOf(thrown: unknown): string {
  if (!(thrown instanceof Error)) return '';
  const code = (thrown as NodeJS.ErrnoException).code ?? '';
  if (code === '' && thrown instanceof AggregateError) return codeOf(thrown.errors[0]);
  return code;
}

function reasonFor(thrown: unknown): string {
  const code = codeOf(thrown);
  const known = reasons[code];
  if (known !== undefined) return known;
  if (code.startsWith('HPE_')) return 'its response is not valid HTTP';
  if (/CERT|ALTNAME|SIGNATURE|ISSUER|CHAIN|CRL/.test(code)) return `its certificate is not valid (${code})`;
  if (/^ERR_(TLS|SSL)_/.test(code)) return 'the TLS handshake failed';
  return 'the transfer failed';
}

/** Errors of the name, the certificate and the protocol are permanent; all others may be temporary. */
const mayBeTemporary = (thrown: unknown): boolean =>
  !/^ENOTFOUND$|^EPROTO$|^HPE_|^ERR_(TLS|SSL)_|^UND_ERR_HEADERS_OVERFLOW$|CERT|ALTNAME|SIGNATURE|ISSUER|CHAIN|CRL/.test(
    codeOf(thrown),
  );

/** Statuses of temporary errors. */
export const isTemporaryStatus = (status: number): boolean =>
  status >= 500 || status === 408 || status === 425 || status === 429;

/** @param retryable false: the link would fail again */
type LinkFailure = (host: string, reason: string, retryable: boolean, cause?: unknown) => EarshotError;

const failureOf =
  (wanted: string): LinkFailure =>
  (host, reason, retryable, cause) =>
    new EarshotError('fetch_failed', `${wanted} ${host}: ${reason}`, {
      retryable,
      details: { host },
      ...(cause === undefined ? {} : { cause }),
    });

/** Maps every error of a request to fetch_failed; an EarshotError is unchanged. */
const describeAs =
  (failed: LinkFailure) =>
  (host: string, thrown: unknown): EarshotError =>
    thrown instanceof EarshotError ? thrown : failed(host, reasonFor(thrown), mayBeTemporary(thrown), thrown);

export const fetchFailed = failureOf('Could not fetch the link from');
export const describeFetchFailure = describeAs(fetchFailed);
export const sendFailed = failureOf('Could not send the result to');
export const describeSendFailure = describeAs(sendFailed);
export const webhookFailed = failureOf('Could not reach');
export const describeWebhookFailure = describeAs(webhookFailed);
