import type { IncomingMessage } from 'node:http';
import type { Readable } from 'node:stream';
import type { EarshotError } from '../../../library/core/errors.ts';
import { closeAnswer, sendRequest } from '../../../library/core/outgoing-request.ts';
import { hostOf, objection } from './check-link.ts';
import { openSecureConnection, publicNetwork, type Network } from './secure-connection.ts';

export interface LinkOptions {
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
  /** Until the head of the answer is there, and between two pieces of what is sent. Default 30 s. */
  readonly headersMs: number;
  /** Between two pieces of the body. Default 30 s. */
  readonly idleMs: number;
  /** Everything together, redirects and body. Default an hour; the caller's signal may be sooner. */
  readonly totalMs: number;
}

const defaults: LinkTimeouts = { connectMs: 10_000, headersMs: 30_000, idleMs: 30_000, totalMs: 3_600_000 };
const maxRedirects = 5;

export interface LinkAnswer {
  readonly url: URL;
  readonly response: IncomingMessage;
  /** Closes the connection. */
  drop(): void;
}

/** What is asked at every hop. */
export interface LinkRequest {
  readonly method: 'GET' | 'PUT';
  readonly headers: Readonly<Record<string, string>>;
  /** Asked for anew at every hop. Default: no body. */
  readonly body?: () => Promise<Readable>;
  /** Statuses that lead on. */
  readonly redirects: readonly number[];
  /** A failure in the words of what was wanted. */
  readonly failed: (host: string, reason: string, retryable: boolean, cause?: unknown) => EarshotError;
  /** Makes such a failure of whatever a hop failed with. */
  readonly describe: (host: string, thrown: unknown) => EarshotError;
}

/** Asks public HTTPS links. Every hop is judged anew and connected to exactly the addresses that were judged. */
export interface LinkRequests {
  readonly ports: readonly number[];
  readonly timeouts: LinkTimeouts;
  /**
   * The first answer that does not lead on; whoever gets it drops it.
   * @throws EarshotError fetch_failed; AbortError
   */
  follow(first: URL, request: LinkRequest, signal: AbortSignal): Promise<LinkAnswer>;
}

export function createLinkRequests(options: LinkOptions): LinkRequests {
  const { ports = [443], network = publicNetwork } = options;
  const timeouts: LinkTimeouts = { ...defaults, ...options.timeouts };

  const ask = async (url: URL, request: LinkRequest, signal: AbortSignal): Promise<LinkAnswer> => {
    const host = hostOf(url);
    const lookedUp = withTimeout(network, timeouts.connectMs);
    const socket = await openSecureConnection(
      lookedUp,
      host,
      url.port === '' ? 443 : Number(url.port),
      timeouts.connectMs,
      signal,
      request.failed,
    );
    let body: Readable | undefined;
    try {
      body = await request.body?.();
      const response = await sendRequest(url, {
        method: request.method,
        headers: request.headers,
        ...(body === undefined ? {} : { body }),
        signal,
        headersMs: timeouts.headersMs,
        // This one alone was judged.
        connection: { createConnection: () => socket },
      });
      return {
        url,
        response,
        drop() {
          closeAnswer(response);
          socket.destroy();
        },
      };
    } catch (thrown) {
      body?.destroy();
      socket.destroy();
      throw thrown;
    }
  };

  return {
    ports,
    timeouts,
    /** Follows redirects by hand, since every address on the way has to be judged. */
    async follow(first, request, signal) {
      let url = first;
      for (let hop = 0; hop <= maxRedirects; hop += 1) {
        const answer = await ask(url, request, signal).catch((thrown: unknown) => {
          throw signal.aborted ? thrown : request.describe(hostOf(url), thrown);
        });
        const { statusCode = 0, headers } = answer.response;
        if (!request.redirects.includes(statusCode) || headers.location === undefined) return answer;
        answer.drop();
        const host = hostOf(url);
        if (!URL.canParse(headers.location, url.href))
          throw request.failed(host, 'it redirects to something that is not an address', false);
        url = new URL(headers.location, url);
        url.hash = '';
        const reason = objection(url, ports);
        if (reason !== null)
          throw request.failed(host, `it redirects to a link that is not public HTTPS (${reason})`, false);
      }
      throw request.failed(hostOf(first), `it redirects more than ${maxRedirects} times`, false);
    },
  };
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
