import { Readable } from 'node:stream';
import { Client, type Dispatcher } from 'undici';
import { AbortError } from '../../core/abort.ts';
import { EarshotError } from '../../core/errors.ts';
import type { LinkFetcher } from '../../service/ports.ts';
import { hostOf, objection, parseLink } from './check-link.ts';
import { describeFetchFailure, fetchFailed } from './failures.ts';
import { linkFilename } from './link-filename.ts';
import { openSecureConnection, publicNetwork, type Network } from './secure-connection.ts';

export interface LinkFetcherOptions {
  /** Default [443]. */
  readonly ports?: readonly number[];
  /** Default: the system's resolver, sockets and trusted certificates. */
  readonly network?: Network;
  readonly timeouts?: Partial<LinkTimeouts>;
}

/** Milliseconds. */
export interface LinkTimeouts {
  /** Looking the name up, connecting and the TLS handshake, each. Default 10 s. */
  readonly connectMs: number;
  /** Until the head of the answer is there. Default 30 s. */
  readonly headersMs: number;
  /** Between two pieces of the body. Default 30 s. */
  readonly idleMs: number;
  /** Everything together, redirects and body. Default an hour; the caller's signal may be sooner. */
  readonly totalMs: number;
}

const defaults: LinkTimeouts = { connectMs: 10_000, headersMs: 30_000, idleMs: 30_000, totalMs: 3_600_000 };
const maxRedirects = 5;
const redirects: readonly number[] = [301, 302, 303, 307, 308];

interface Answer {
  readonly url: URL;
  readonly client: Client;
  readonly response: Dispatcher.ResponseData;
}

/** Fetches public HTTPS links. Every hop is judged anew and connected to exactly the addresses that were judged. */
export function createLinkFetcher(options: LinkFetcherOptions = {}): LinkFetcher {
  const { ports = [443], network = publicNetwork } = options;
  const timeouts: LinkTimeouts = { ...defaults, ...options.timeouts };

  const ask = async (url: URL, signal: AbortSignal): Promise<Answer> => {
    const host = hostOf(url);
    const lookedUp = withTimeout(network, timeouts.connectMs);
    const socket = await openSecureConnection(
      lookedUp,
      host,
      url.port === '' ? 443 : Number(url.port),
      timeouts.connectMs,
      signal,
    );
    let handedOut = false;
    const client = new Client(url.origin, {
      headersTimeout: timeouts.headersMs,
      bodyTimeout: timeouts.idleMs,
      // One connection for one request; a second one would not have been judged.
      connect: (_options, callback) => {
        const first = !handedOut;
        handedOut = true;
        // Never at once: the client is not ready for its socket before this call has returned.
        queueMicrotask(() =>
          first
            ? callback(null, socket)
            : callback(Object.assign(new Error('The connection was closed'), { code: 'ECONNRESET' }), null),
        );
      },
    });
    try {
      const response = await client.request({
        method: 'GET',
        path: url.pathname + url.search,
        headers: { accept: '*/*', 'accept-encoding': 'identity', 'user-agent': 'Earshot link import' },
        signal,
      });
      return { url, client, response };
    } catch (thrown) {
      drop(client);
      socket.destroy();
      throw thrown;
    }
  };

  /** Follows redirects by hand, since every address on the way has to be judged. */
  const follow = async (first: URL, signal: AbortSignal): Promise<Answer> => {
    let url = first;
    for (let hop = 0; hop <= maxRedirects; hop += 1) {
      const answer = await ask(url, signal).catch((thrown: unknown) => {
        throw signal.aborted ? thrown : describeFetchFailure(hostOf(url), thrown);
      });
      const location = answer.response.headers.location;
      if (!redirects.includes(answer.response.statusCode) || location === undefined) return answer;
      drop(answer.client, answer.response.body);
      const host = hostOf(url);
      const target = String(location);
      if (!URL.canParse(target, url.href))
        throw fetchFailed(host, 'it redirects to something that is not an address', false);
      url = new URL(target, url);
      url.hash = '';
      const reason = objection(url, ports);
      if (reason !== null)
        throw fetchFailed(host, `it redirects to a link that is not public HTTPS (${reason})`, false);
    }
    throw fetchFailed(hostOf(first), `it redirects more than ${maxRedirects} times`, false);
  };

  return {
    check: (text) => parseLink(text, ports),

    async fetch(link, { maxBytes, signal: callerSignal }) {
      const reason = objection(link, ports);
      if (reason !== null) throw fetchFailed(hostOf(link), reason, false);
      const timeout = AbortSignal.timeout(timeouts.totalMs);
      const signal = AbortSignal.any([callerSignal, timeout]);
      /** The caller's own abort is no failure of the link; running out of time is. */
      const describe = (host: string, thrown: unknown): Error => {
        if (callerSignal.aborted) return new AbortError();
        if (timeout.aborted) return fetchFailed(host, `it took longer than ${timeouts.totalMs / 1000} s`, true, thrown);
        return describeFetchFailure(host, thrown);
      };
      const answer = await follow(link, signal).catch((thrown: unknown) => {
        throw describe(hostOf(link), thrown);
      });
      const { url, client, response } = answer;
      const host = hostOf(url);
      try {
        const sizeBytes = judge(response, host, maxBytes);
        const contentType = one(response.headers['content-type']);
        return {
          body: streamBody(answer, maxBytes, signal, (thrown) => describe(host, thrown)),
          filename: linkFilename(one(response.headers['content-disposition']), url),
          contentType,
          sizeBytes,
        };
      } catch (thrown) {
        drop(client, response.body);
        throw thrown;
      }
    },
  };
}

/** The announced size. @throws EarshotError when the answer is not a file that we take */
function judge({ statusCode, headers }: Dispatcher.ResponseData, host: string, maxBytes: number): number | null {
  if (statusCode !== 200) throw fetchFailed(host, `it answered ${statusCode}`, statusCode >= 500 || statusCode === 429);
  const encoding = one(headers['content-encoding']);
  if (encoding !== null && encoding !== 'identity')
    throw fetchFailed(host, `it sent the file compressed (${encoding.slice(0, 20)})`, false);
  const length = one(headers['content-length']);
  const sizeBytes = length === null ? null : Number(length);
  if (sizeBytes !== null && sizeBytes > maxBytes) throw tooLarge(maxBytes);
  return sizeBytes;
}

function streamBody(
  { client, response }: Answer,
  maxBytes: number,
  signal: AbortSignal,
  describe: (thrown: unknown) => Error,
): Readable {
  async function* limited(): AsyncGenerator<Buffer> {
    let sizeBytes = 0;
    try {
      for await (const chunk of response.body as AsyncIterable<Buffer>) {
        sizeBytes += chunk.length;
        if (sizeBytes > maxBytes) throw tooLarge(maxBytes);
        yield chunk;
      }
    } catch (thrown) {
      throw describe(thrown);
    }
  }
  const body = Readable.from(limited(), { objectMode: false });
  const stop = (): void => drop(client, response.body);
  signal.addEventListener('abort', stop, { once: true });
  if (signal.aborted) stop();
  body.once('close', () => {
    signal.removeEventListener('abort', stop);
    stop();
  });
  return body;
}

const tooLarge = (maxBytes: number): EarshotError =>
  new EarshotError('file_too_large', `Expected a file of at most ${maxBytes} bytes behind the link but it is larger`, {
    details: { maxBytes },
  });

const one = (header: string | string[] | undefined): string | null =>
  Array.isArray(header) ? (header[0] ?? null) : (header ?? null);

/** Closes a connection that is of no more use; what its body may still complain about is nobody's concern. */
function drop(client: Client, body?: Readable): void {
  body?.on('error', () => {});
  void client.destroy().catch(() => {});
}

/** A resolver that gives up. */
function withTimeout(network: Network, connectMs: number): Network {
  return {
    ...network,
    dial: (addresses, port) => network.dial(addresses, port),
    resolve: (host) =>
      new Promise((resolve, reject) => {
        const timer = setTimeout(
          () => reject(Object.assign(new Error('The name server took too long'), { code: 'EAI_AGAIN' })),
          connectMs,
        );
        network
          .resolve(host)
          .then(resolve, reject)
          .finally(() => clearTimeout(timer));
      }),
  };
}
