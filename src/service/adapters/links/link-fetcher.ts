import type { IncomingMessage } from 'node:http';
import { Readable } from 'node:stream';
import { AbortError } from '../../../library/core/abort.ts';
import { EarshotError } from '../../../library/core/errors/errors.ts';
import { readBody } from '../../../library/core/outgoing-request.ts';
import type { LinkFetcher } from '../../rules/files/links.ts';
import { hostOf, objection, parseLink } from './check-link.ts';
import { describeFetchFailure, fetchFailed, isTemporaryStatus } from './failures.ts';
import { linkFilename } from './link-filename.ts';
import { createLinkRequests, type LinkAnswer, type LinkOptions, type LinkRequest } from './link-requests.ts';

const request: LinkRequest = {
  method: 'GET',
  headers: { accept: '*/*', 'accept-encoding': 'identity', 'user-agent': 'Earshot link import' },
  redirects: [301, 302, 303, 307, 308],
  failed: fetchFailed,
  describe: describeFetchFailure,
};

/** Fetches public HTTPS links. */
export function createLinkFetcher(options: LinkOptions = {}): LinkFetcher {
  const { ports, timeouts, follow } = createLinkRequests(options);

  return {
    check: (text, field) => parseLink(text, ports, field),

    async fetch(link, { maxBytes, signal: callerSignal }) {
      const reason = objection(link, ports);
      if (reason !== null) throw fetchFailed(hostOf(link), reason, false);
      const timeout = AbortSignal.timeout(timeouts.totalMs);
      const signal = AbortSignal.any([callerSignal, timeout]);
      /** An abort by the caller stays an AbortError; a timeout is a failure of the link. */
      const describe = (host: string, thrown: unknown): Error => {
        if (callerSignal.aborted) return new AbortError();
        if (timeout.aborted) return fetchFailed(host, `it took longer than ${timeouts.totalMs / 1000} s`, true, thrown);
        return describeFetchFailure(host, thrown);
      };
      const answer = await follow(link, request, signal).catch((thrown: unknown) => {
        throw describe(hostOf(link), thrown);
      });
      const { url, response } = answer;
      const host = hostOf(url);
      try {
        const sizeBytes = checkResponse(response, host, maxBytes);
        const contentType = response.headers['content-type'] ?? null;
        return {
          body: streamBody(answer, { maxBytes, idleMs: timeouts.idleMs, signal }, (thrown) => describe(host, thrown)),
          filename: linkFilename(response.headers['content-disposition'] ?? null, url),
          contentType,
          sizeBytes,
        };
      } catch (thrown) {
        answer.drop();
        throw thrown;
      }
    },
  };
}

/** The size from Content-Length. @throws EarshotError when the response is not an acceptable file */
function checkResponse({ statusCode = 0, headers }: IncomingMessage, host: string, maxBytes: number): number | null {
  if (statusCode !== 200)
    throw fetchFailed(host, `it responded with status ${statusCode}`, isTemporaryStatus(statusCode));
  const encoding = headers['content-encoding'] ?? null;
  if (encoding !== null && encoding !== 'identity')
    throw fetchFailed(host, `it sent the file compressed (${encoding.slice(0, 20)})`, false);
  const length = headers['content-length'] ?? null;
  const sizeBytes = length === null ? null : Number(length);
  if (sizeBytes !== null && sizeBytes > maxBytes) throw tooLarge(maxBytes);
  return sizeBytes;
}

function streamBody(
  { response, drop }: LinkAnswer,
  { maxBytes, idleMs, signal }: { readonly maxBytes: number; readonly idleMs: number; readonly signal: AbortSignal },
  describe: (thrown: unknown) => Error,
): Readable {
  async function* limited(): AsyncGenerator<Buffer> {
    let sizeBytes = 0;
    try {
      for await (const chunk of readBody(response, idleMs)) {
        sizeBytes += chunk.length;
        if (sizeBytes > maxBytes) throw tooLarge(maxBytes);
        yield chunk;
      }
    } catch (thrown) {
      throw describe(thrown);
    }
  }
  const body = Readable.from(limited(), { objectMode: false });
  signal.addEventListener('abort', drop, { once: true });
  if (signal.aborted) drop();
  body.once('close', () => {
    signal.removeEventListener('abort', drop);
    drop();
  });
  return body;
}

const tooLarge = (maxBytes: number): EarshotError =>
  new EarshotError('file_too_large', `Expected a link to a file of at most ${maxBytes} bytes but it is larger`, {
    details: { maxBytes },
  });
