import type { Agent, IncomingMessage } from 'node:http';
import { getProxyForUrl } from 'proxy-from-env';
import { EarshotError } from '../core/errors/errors.ts';
import { closeAnswer, readBody, readWholeBody, sendRequest } from '../core/outgoing-request.ts';

export interface RequestSettings {
  readonly method?: 'GET' | 'HEAD';
  /** An Authorization is not sent to another host after a redirect. */
  readonly headers?: Readonly<Record<string, string>>;
  readonly signal?: AbortSignal | undefined;
  /** false: returns redirects. Default true. */
  readonly followRedirects?: boolean;
}

/** Timeout in milliseconds for a response, and for each piece of it. */
const patienceMs = 60_000;
const mostRedirects = 10;
const redirects: ReadonlySet<number> = new Set([301, 302, 303, 307, 308]);

/**
 * The agent for the environment's proxy (HTTPS_PROXY, HTTP_PROXY, NO_PROXY); undefined: none. Of ALL_PROXY only an HTTP
 * proxy is used.
 * @throws EarshotError bad_request
 */
async function proxyFor(url: URL): Promise<Agent | undefined> {
  const proxy = getProxyForUrl(url);
  if (proxy === '') return undefined;
  if (URL.parse(proxy) === null)
    throw new EarshotError('bad_request', `Expected the address of a proxy in the environment but it is ${proxy}`, {
      nextAction: 'Set HTTPS_PROXY and HTTP_PROXY as in http://proxy.example:3128, or to nothing.',
    });
  if (!/^https?:/.test(proxy)) return undefined;
  // Loaded only when there is a proxy.
  const { HttpsProxyAgent } = await import('https-proxy-agent');
  return new HttpsProxyAgent(proxy);
}

/**
 * Requests a URL.
 * @throws connection errors; AbortError
 */
export async function ask(address: string, settings: RequestSettings = {}): Promise<IncomingMessage> {
  const { method = 'GET', signal, followRedirects = true } = settings;
  let headers: Readonly<Record<string, string>> = { 'accept-encoding': 'identity', ...settings.headers };
  let url = new URL(address);
  for (let hop = 0; hop <= mostRedirects; hop += 1) {
    signal?.throwIfAborted();
    const agent = await proxyFor(url);
    const answer = await sendRequest(url, {
      method,
      headers,
      signal,
      headersMs: patienceMs,
      ...(agent === undefined ? {} : { connection: { agent } }),
    });
    const { location } = answer.headers;
    if (!followRedirects || !redirects.has(answer.statusCode ?? 0) || location === undefined) return answer;
    closeAnswer(answer);
    const next = URL.parse(location, url.href);
    if (next === null || !/^https?:$/.test(next.protocol)) throw new Error('it redirects to an invalid URL');
    if (next.origin !== url.origin)
      headers = Object.fromEntries(Object.entries(headers).filter(([name]) => name.toLowerCase() !== 'authorization'));
    url = next;
  }
  throw new Error(`it redirects more than ${mostRedirects} times`);
}

/** The body, piece by piece; the connection is closed when reading ends. */
export const piecesOf = (answer: IncomingMessage): AsyncGenerator<Buffer, void> => readBody(answer, patienceMs);

/** A whole body. @throws Error when it is longer than `mostBytes` */
export const bodyOf = (answer: IncomingMessage, mostBytes: number): Promise<Buffer<ArrayBuffer>> =>
  readWholeBody(answer, patienceMs, mostBytes);
