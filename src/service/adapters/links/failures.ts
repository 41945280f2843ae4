import { EarshotError } from '../../../library/core/errors.ts';

/**
 * What went wrong, in words, by the code of the failure. None says which address was tried: that is the network's
 * business, not the client's.
 */
const reasons: Readonly<Record<string, string>> = {
  ENOTFOUND: 'its name does not lead to a public address',
  EAI_AGAIN: 'its name could not be looked up',
  ECONNREFUSED: 'it refused the connection',
  EHOSTUNREACH: 'it cannot be reached',
  ENETUNREACH: 'it cannot be reached',
  ETIMEDOUT: 'it did not answer in time',
  ERR_ANSWER_TOO_SLOW: 'it did not answer in time',
  ERR_BODY_TOO_SLOW: 'it stopped sending',
  ECONNRESET: 'the transfer was cut off',
  EPIPE: 'the transfer was cut off',
  EPROTO: 'a secure connection could not be made',
};

/** Happy Eyeballs answers one error for all attempts; the first of them says as much. */
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
  if (code.startsWith('HPE_')) return 'its answer is not HTTP as expected';
  if (/CERT|ALTNAME|SIGNATURE|ISSUER|CHAIN|CRL/.test(code)) return `its certificate is not valid (${code})`;
  if (/^ERR_(TLS|SSL)_/.test(code)) return 'a secure connection could not be made';
  return 'it could not be read';
}

/** What the same link fails with again until somebody mends it: its name, its certificate, what it speaks. */
const mayPass = (thrown: unknown): boolean =>
  !/^ENOTFOUND$|^EPROTO$|^HPE_|^ERR_(TLS|SSL)_|^UND_ERR_HEADERS_OVERFLOW$|CERT|ALTNAME|SIGNATURE|ISSUER|CHAIN|CRL/.test(
    codeOf(thrown),
  );

/** Which refusals are for now. */
export const mayPassStatus = (status: number): boolean =>
  status >= 500 || status === 408 || status === 425 || status === 429;

/** @param retryable false when the same link will fail the same way */
type LinkFailure = (host: string, reason: string, retryable: boolean, cause?: unknown) => EarshotError;

const failureOf =
  (wanted: string): LinkFailure =>
  (host, reason, retryable, cause) =>
    new EarshotError('fetch_failed', `${wanted} ${host}: ${reason}`, {
      retryable,
      details: { host },
      ...(cause === undefined ? {} : { cause }),
    });

/** Everything that a request fails with becomes fetch_failed; an EarshotError stays what it is. */
const describeAs =
  (failed: LinkFailure) =>
  (host: string, thrown: unknown): EarshotError =>
    thrown instanceof EarshotError ? thrown : failed(host, reasonFor(thrown), mayPass(thrown), thrown);

export const fetchFailed = failureOf('Could not fetch the link from');
export const describeFetchFailure = describeAs(fetchFailed);
export const sendFailed = failureOf('Could not send the result to');
export const describeSendFailure = describeAs(sendFailed);
