import { ApiError, ConnectionError } from './errors.ts';
import type { ErrorCode } from './api-types.ts';
import type { Body, SendBody } from './send-body.ts';

/** How often and how long the client retries. */
export interface RetrySettings {
  /** Attempts at one request, the first included, at least 1. */
  readonly attempts: number;
  /** Is it sent again after this failure of that attempt? Default: as long as `attempts` are left */
  readonly mayRetry?: (failure: ApiError | ConnectionError, tried: number) => boolean;
  /** A request that is asked to wait longer than so many seconds fails instead. */
  readonly longestWaitSeconds: number;
}

/** One request. */
export interface Call<Sent = Body> {
  readonly method?: 'GET' | 'POST' | 'PUT' | 'DELETE';
  /** A path of the API, or a whole URL, which is a link: its token is the credential, and the API key is not sent. */
  readonly to: string;
  readonly query?: Readonly<Record<string, string | number | undefined>>;
  readonly json?: unknown;
  readonly body?: Sent;
  readonly headers?: Readonly<Record<string, string>>;
  readonly signal?: AbortSignal | undefined;
  /** An attempt without an answer for so many seconds has failed. Default: no limit */
  readonly timeoutSeconds?: number;
  /** false: not sent again if the service may have received it. Default: true */
  readonly repeatable?: boolean;
  /** Default: the client's */
  readonly retry?: Partial<RetrySettings> | undefined;
  /** Called with the bytes of the body that were sent, again from 0 with each attempt. Default: none */
  readonly onSent?: (sentBytes: number, totalBytes?: number) => void;
  /** Called before the pause after which it is sent again. Default: none */
  readonly onRetry?: ((failure: ApiError | ConnectionError) => void) | undefined;
}

/** Sends requests, with retries. */
export interface Requests<Sent = Body> {
  /** A successful response. */
  send(call: Call<Sent>): Promise<Response>;
  /** Its body as JSON; undefined without a body. */
  json<Answer>(call: Call<Sent>): Promise<Answer>;
}

export interface RequestDeps<Sent> {
  /** With the path before /api, without a final slash. */
  readonly baseUrl: string;
  /** Headers of each request. A link is a credential of its own. Default: none */
  readonly headersOf?: (isLink: boolean) => Promise<Readonly<Record<string, string>>>;
  readonly fetch: typeof globalThis.fetch;
  /** Fetches links. Default: fetch */
  readonly fetchLink?: typeof globalThis.fetch;
  readonly sendBody: SendBody<Sent>;
  readonly retry: RetrySettings;
  /** Why there was no answer, if a retry cannot help; null: it may. Default: it may */
  readonly explain?: () => Promise<string | null>;
}

const firstPauseMs = 300;
const longestPauseMs = 15_000;
/** A body of which nothing goes for so long is on a connection that is dead. */
const stalledMs = 120_000;
/** Answers of proxies and of servers that are full or starting: a retry may succeed. */
const passingStatuses: ReadonlySet<number> = new Set([408, 429, 502, 503, 504]);

export function createRequests<Sent = Body>(deps: RequestDeps<Sent>): Requests<Sent> {
  const { baseUrl, headersOf, fetch, fetchLink = fetch, sendBody, explain } = deps;

  async function attempt(call: Call<Sent>): Promise<Response> {
    const { method = 'GET', to, query = {}, json, body, timeoutSeconds } = call;
    const isLink = /^https?:/.test(to);
    const url = new URL(isLink ? to : baseUrl + to);
    for (const [name, value] of Object.entries(query))
      if (value !== undefined) url.searchParams.set(name, String(value));
    const stall = new AbortController();
    const signals = [stall.signal];
    if (call.signal) signals.push(call.signal);
    if (timeoutSeconds !== undefined) signals.push(AbortSignal.timeout(timeoutSeconds * 1000));
    const init = {
      method,
      headers: {
        accept: 'application/json',
        ...(await headersOf?.(isLink)),
        ...(json === undefined ? {} : { 'content-type': 'application/json' }),
        ...call.headers,
      },
      signal: AbortSignal.any(signals),
    };
    if (body === undefined)
      return (isLink && method === 'GET' ? fetchLink : fetch)(
        url,
        json === undefined ? init : { ...init, body: JSON.stringify(json) },
      );
    let timer: ReturnType<typeof setTimeout> | undefined;
    try {
      return await sendBody(url, { ...init, body }, (sentBytes, totalBytes) => {
        clearTimeout(timer);
        timer = setTimeout(() => stall.abort(new Error('nothing could be sent for a while')), stalledMs);
        call.onSent?.(sentBytes, totalBytes);
      });
    } finally {
      clearTimeout(timer);
    }
  }

  async function send(call: Call<Sent>): Promise<Response> {
    const { signal, repeatable = true } = call;
    const retry = { ...deps.retry, ...call.retry };
    for (let tried = 1; ; tried++) {
      signal?.throwIfAborted();
      let failure: ApiError | ConnectionError;
      let mayRepeat = repeatable;
      try {
        const response = await attempt(call);
        if (response.ok) return response;
        const refusal = await readError(response, call);
        failure = refusal;
        mayRepeat = passingStatuses.has(response.status) || (repeatable && refusal.retryable);
      } catch (thrown) {
        signal?.throwIfAborted();
        if (thrown instanceof ApiError) throw thrown;
        const explained = (await explain?.()) ?? null;
        const reason = explained ?? `got no answer: ${reasonOf(thrown)}`;
        failure = new ConnectionError(`${nameOf(call)} ${reason}`, { cause: thrown });
        if (explained !== null) mayRepeat = false;
      }
      const asked = failure instanceof ApiError ? failure.retryAfterSeconds : null;
      // Half of it random, so that clients that failed together do not retry together.
      const pauseMs =
        asked === null
          ? Math.min(longestPauseMs, firstPauseMs * 2 ** (tried - 1)) * (0.5 + Math.random() / 2)
          : asked * 1000;
      const hasLeft = retry.mayRetry?.(failure, tried) ?? tried < retry.attempts;
      if (!mayRepeat || !hasLeft || pauseMs > retry.longestWaitSeconds * 1000) throw failure;
      call.onRetry?.(failure);
      await pause(pauseMs, signal);
    }
  }

  return {
    send,
    async json<Answer>(call: Call<Sent>) {
      const response = await send({ timeoutSeconds: 90, ...call });
      if (response.status === 204) return undefined as Answer;
      try {
        return (await response.json()) as Answer;
      } catch (thrown) {
        call.signal?.throwIfAborted();
        throw new ApiError('unexpected_answer', `${nameOf(call)} answered no JSON: ${reasonOf(thrown)}`, {
          status: response.status,
        });
      }
    },
  };
}

/** For messages. Links are credentials and must not appear in them. */
const nameOf = ({ method = 'GET', to }: Pick<Call, 'method' | 'to'>): string =>
  `${method} ${/^https?:/.test(to) ? `a link of ${new URL(to).origin}` : to}`;

function reasonOf(thrown: unknown): string {
  if (!(thrown instanceof Error)) return String(thrown);
  return thrown.cause instanceof Error ? thrown.cause.message : thrown.message;
}

async function readError(response: Response, call: Pick<Call, 'method' | 'to'>): Promise<ApiError> {
  const { status, headers } = response;
  const text = await response.text().catch(() => '');
  const error = errorIn(text);
  const { nextAction = null, details = null } = error ?? {};
  const asked = details?.['retryAfterSeconds'];
  return new ApiError(
    error?.code ?? 'unexpected_answer',
    error?.message ?? `${nameOf(call)} answered ${status} without an error of the service: ${text.slice(0, 200)}`,
    {
      status,
      // A service that is away for a while does not always say so in its error.
      retryable: status === 503 || (error?.retryable ?? status >= 500),
      nextAction,
      details,
      retryAfterSeconds: retryAfter(headers) ?? (typeof asked === 'number' ? asked : null),
      requestId: headers.get('x-request-id'),
    },
  );
}

interface ErrorObject {
  readonly code: ErrorCode;
  readonly message: string;
  readonly retryable: boolean;
  readonly nextAction?: string;
  readonly details?: Readonly<Record<string, unknown>>;
}

function errorIn(text: string): ErrorObject | null {
  try {
    const { error } = JSON.parse(text) as { error?: Partial<ErrorObject> };
    return typeof error?.code === 'string' && typeof error.message === 'string' ? (error as ErrorObject) : null;
  } catch {
    return null;
  }
}

/** Seconds, or a date (RFC 9110, 10.2.3). */
function retryAfter(headers: Headers): number | null {
  const value = headers.get('retry-after');
  if (value === null) return null;
  const seconds = /^\d+$/.test(value) ? Number(value) : (Date.parse(value) - Date.now()) / 1000;
  return Number.isFinite(seconds) ? Math.max(0, seconds) : null;
}

/** Waits, at most until a browser says that the connection is back; throws the signal's reason when it fires first. */
export function pause(ms: number, signal?: AbortSignal): Promise<void> {
  // Only browsers have events of the whole platform.
  const page = globalThis as Partial<Pick<EventTarget, 'addEventListener' | 'removeEventListener'>>;
  return new Promise((resolve, reject) => {
    const end = (): void => {
      clearTimeout(timer);
      page.removeEventListener?.('online', end);
      signal?.removeEventListener('abort', end);
      if (signal?.aborted) reject(signal.reason as Error);
      else resolve();
    };
    const timer = setTimeout(end, ms);
    if (signal?.aborted) return end();
    page.addEventListener?.('online', end);
    return signal?.addEventListener('abort', end);
  });
}
