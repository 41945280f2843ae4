import type { IncomingMessage } from 'node:http';
import type { Readable } from 'node:stream';
import type { EarshotError } from '../../../library/core/errors/errors.ts';
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
  /** DNS lookup, connecting and the TLS handshake, each. Default 10 s. */
  readonly connectMs: number;
  /** Until the response's headers, and between two chunks of a sent body. Default 30 s. */
  readonly headersMs: number;
  /** Between two chunks of the response's body. Default 30 s. */
  readonly idleMs: number;
  /** The whole transfer, with redirects and body. Default 1 h; the caller's signal may be aborted sooner. */
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

/** The request to send at every hop. */
export interface LinkRequest {
  readonly method: 'GET' | 'PUT' | 'POST';
  readonly headers: Readonly<Record<string, string>>;
  /** Called again at every hop. Default: no body. */
  readonly body?: () => Promise<Readable>;
  /** Statuses that are followed. */
  readonly redirects: readonly number[];
  /** Makes the error of a failed request. */
  readonly failed: (host: string, reason: string, retryable: boolean, cause?: unknown) => EarshotError;
  /** Maps the error of a hop to such an error. */
  readonly describe: (host: string, thrown: unknown) => EarshotError;
}

/** Requests to public HTTPS links. Every hop is checked, and connects only to the addresses that were checked. */
export interface LinkRequests {
  readonly ports: readonly number[];
  readonly timeouts: LinkTimeouts;
  /**
   * The first response that is not a redirect. The caller must drop it.
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
        // Only this connection was checked.
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
    /** Follows redirects itself, because every URL has to be checked. */
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
        const target = URL.parse(headers.location, url.href);
        if (target === null) throw request.failed(host, 'it redirects to an invalid URL', false);
        url = target;
        url.hash = '';
        const reason = objection(url, ports);
        if (reason !== null)
          throw request.failed(host, `it redirects to a link that is not public HTTPS (${reason})`, false);
      }
      throw request.failed(hostOf(first), `it redirects more than ${maxRedirects} times`, false);
    },
  };
}

/** A network whose lookups time out. */
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
