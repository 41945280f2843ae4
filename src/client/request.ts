import { ApiError, ConnectionError } from './errors.ts';
import type { ErrorCode } from './api-types.ts';

/** How often and how long the client retries. */
export interface RetrySettings {
  /** Attempts at one request, the first included, at least 1. */
  readonly attempts: number;
  /** A request that is asked to wait longer than so many seconds fails instead. */
  readonly longestWaitSeconds: number;
}

/** One request. */
export interface Call {
  readonly method: 'GET' | 'POST' | 'PUT' | 'DELETE';
  /** A path of the API, or a whole URL, which is a link: its token is the credential, and the API key is not sent. */
  readonly to: string;
  readonly query?: Readonly<Record<string, string | number | undefined>>;
  readonly json?: unknown;
  readonly body?: Blob | Uint8Array<ArrayBuffer>;
  readonly headers?: Readonly<Record<string, string>>;
  readonly signal?: AbortSignal | undefined;
  /** An attempt without an answer for so many seconds has failed. Default: no limit */
  readonly timeoutSeconds?: number;
  /** false: not sent again if the service may have received it. Default: true */
  readonly repeatable?: boolean;
}

/** Sends requests, with retries. */
export interface Requests {
  /** A successful response. */
  send(call: Call): Promise<Response>;
  /** Its body as JSON; undefined without a body. */
  json<Answer>(call: Call): Promise<Answer>;
}

export interface RequestDeps {
  /** With the path before /api, without a final slash. */
  readonly baseUrl: string;
  readonly apiKey: string | (() => string | Promise<string>) | null;
  readonly fetch: typeof globalThis.fetch;
  /** Fetches links. */
  readonly fetchLink: typeof globalThis.fetch;
  readonly headers: Readonly<Record<string, string>>;
  readonly retry: RetrySettings;
}

const firstPauseMs = 300;
/** Answers of proxies and of servers that are full or starting: a retry may succeed. */
const passingStatuses: ReadonlySet<number> = new Set([408, 429, 502, 503, 504]);

export function createRequests({ baseUrl, apiKey, fetch, fetchLink, headers, retry }: RequestDeps): Requests {
  async function attempt(call: Call): Promise<Response> {
    const { method, to, query = {}, json, body, signal, timeoutSeconds } = call;
    const isLink = /^https?:/.test(to);
    const url = new URL(isLink ? to : baseUrl + to);
    for (const [name, value] of Object.entries(query))
      if (value !== undefined) url.searchParams.set(name, String(value));
    const key = isLink ? null : typeof apiKey === 'function' ? await apiKey() : apiKey;
    const signals = [signal, timeoutSeconds === undefined ? undefined : AbortSignal.timeout(timeoutSeconds * 1000)];
    const given = signals.filter((each) => each !== undefined);
    return (isLink && method === 'GET' ? fetchLink : fetch)(url, {
      method,
      headers: {
        accept: 'application/json',
        ...headers,
        ...(key === null ? {} : { authorization: `Bearer ${key}` }),
        ...(json === undefined ? {} : { 'content-type': 'application/json' }),
        ...call.headers,
      },
      ...(json === undefined ? (body === undefined ? {} : { body }) : { body: JSON.stringify(json) }),
      ...(given.length === 0 ? {} : { signal: AbortSignal.any(given) }),
    });
  }

  async function send(call: Call): Promise<Response> {
    const { signal, repeatable = true } = call;
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
        const refused = await refusedToPage(baseUrl, fetch);
        const reason = refused ?? `got no answer: ${reasonOf(thrown)}`;
        failure = new ConnectionError(`${call.method} ${describe(call)} ${reason}`, { cause: thrown });
        // It would be refused again.
        if (refused !== null) mayRepeat = false;
      }
      const asked = failure instanceof ApiError ? failure.retryAfterSeconds : null;
      // Half of it random, so that clients that failed together do not retry together.
      const pauseMs = asked === null ? firstPauseMs * 2 ** (tried - 1) * (0.5 + Math.random() / 2) : asked * 1000;
      if (!mayRepeat || tried >= retry.attempts || pauseMs > retry.longestWaitSeconds * 1000) throw failure;
      await pause(pauseMs, signal);
    }
  }

  return {
    send,
    async json<Answer>(call: Call) {
      const response = await send({ timeoutSeconds: 90, ...call });
      if (response.status === 204) return undefined as Answer;
      try {
        return (await response.json()) as Answer;
      } catch (thrown) {
        call.signal?.throwIfAborted();
        throw new ApiError(
          'unexpected_answer',
          `${call.method} ${describe(call)} answered no JSON: ${reasonOf(thrown)}`,
          {
            status: response.status,
          },
        );
      }
    },
  };
}

/** Links are credentials and must not appear in messages. */
const describe = ({ to }: Call): string => (/^https?:/.test(to) ? `a link of ${new URL(to).origin}` : to);

/**
 * Browsers hide a response that a page may not read: it looks like a broken connection. If the page has another origin
 * and the service does answer, CORS is the reason.
 * @returns what to do about it; null: another reason
 */
async function refusedToPage(baseUrl: string, fetch: typeof globalThis.fetch): Promise<string | null> {
  const { location } = globalThis as { readonly location?: { readonly origin?: string } };
  const own = location?.origin;
  if (own === undefined || !/^https?:/.test(own) || new URL(baseUrl).origin === own) return null;
  try {
    // This response may not be read either, but its arrival is enough.
    await fetch(`${baseUrl}/livez`, { mode: 'no-cors', credentials: 'omit', signal: AbortSignal.timeout(5000) });
    return (
      `was answered, but pages of ${own} may not read it: the service's setting EARSHOT_CORS_ORIGINS (--cors-origins) ` +
      `has to name ${own}`
    );
  } catch {
    return null;
  }
}

function reasonOf(thrown: unknown): string {
  if (!(thrown instanceof Error)) return String(thrown);
  return thrown.cause instanceof Error ? thrown.cause.message : thrown.message;
}

async function readError(response: Response, call: Call): Promise<ApiError> {
  const { status, headers } = response;
  const common = { status, retryAfterSeconds: retryAfter(headers), requestId: headers.get('x-request-id') };
  const text = await response.text().catch(() => '');
  const error = errorIn(text);
  if (error === null)
    return new ApiError(
      'unexpected_answer',
      `${call.method} ${describe(call)} answered ${status} without an error of the service: ${text.slice(0, 200)}`,
      common,
    );
  return new ApiError(error.code, error.message, {
    ...common,
    retryable: error.retryable,
    nextAction: error.nextAction ?? null,
    details: error.details ?? null,
  });
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

/** Waits; throws the signal's reason when it fires first. */
export function pause(ms: number, signal?: AbortSignal): Promise<void> {
  return new Promise((resolve, reject) => {
    const stop = (): void => {
      clearTimeout(timer);
      reject(signal?.reason as Error);
    };
    const timer = setTimeout(() => {
      signal?.removeEventListener('abort', stop);
      resolve();
    }, ms);
    if (signal?.aborted) stop();
    else signal?.addEventListener('abort', stop, { once: true });
  });
}
