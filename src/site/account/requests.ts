// Requests to the service's interfaces, and what they say when they refuse one.

/** An error of the service, as its interface has it. */
export interface Problem {
  readonly code: string;
  readonly message: string;
  /** May the same request succeed later? */
  readonly retryable?: boolean;
  readonly nextAction?: string;
  /** jobId: a run was made, and has failed. */
  readonly details?: {
    readonly finishUrl?: string;
    readonly statusUrl?: string;
    readonly jobId?: string;
    readonly missingParts?: readonly number[];
    readonly retryAfterSeconds?: number;
  };
}

/** The error when no answer came. */
export const unreachable: Problem = {
  code: 'connection',
  message: 'The service could not be reached.',
  retryable: true,
};

/** A request that was refused, or did not arrive. */
export class Refusal extends Error {
  readonly problem: Problem;
  constructor(problem: Problem) {
    super(problem.message);
    this.problem = problem;
  }
}

/** What was thrown, as a problem; also by another script of the page. @throws what is none, such as an AbortError */
export function problemOf(thrown: unknown): Problem {
  if (thrown instanceof Error && 'problem' in thrown) return thrown.problem as Problem;
  throw thrown;
}

/** 128 random bits: `crypto.randomUUID` is missing on pages without https. */
export const newKey = (): string =>
  [...crypto.getRandomValues(new Uint8Array(16))].map((byte) => byte.toString(16).padStart(2, '0')).join('');

/** The address of a link on the host that the page came from: the service may be known by several names. */
export const ownAddress = (url: string): string => {
  const { pathname, search } = new URL(url, location.href);
  return pathname + search;
};

interface ErrorBody {
  readonly error?: Problem | null;
}

/** For an answer in another form than the service's errors, such as a proxy's page. */
const strange = (status: number): Problem => ({
  ...unreachable,
  message: `The service answered with status ${status}.`,
  retryable: status >= 500,
});

/** Reads an answer. A service that is away for a while does not always say so in its error. @throws Refusal */
function answerOf<Answer>(status: number, text: string): Answer {
  let body: (Answer & ErrorBody) | null = null;
  try {
    body = JSON.parse(text === '' ? '{}' : text) as Answer & ErrorBody;
  } catch {
    // Not of the service.
  }
  if (body !== null && status < 400) return body;
  const problem = body?.error ?? strange(status);
  throw new Refusal(status === 503 ? { ...problem, retryable: true } : problem);
}

type Asked = Omit<RequestInit, 'headers'> & { readonly headers?: Readonly<Record<string, string>> };

/** An answer as JSON. Where a minute has had too many requests, it waits. @throws Refusal, AbortError */
export async function ask<Answer>(url: string, options: Asked = {}): Promise<Answer> {
  for (;;)
    try {
      return await askOnce<Answer>(url, options);
    } catch (thrown) {
      const { code, details } = problemOf(thrown);
      if (code !== 'rate_limited') throw thrown;
      await new Promise((resolve) => setTimeout(resolve, 1000 * (details?.retryAfterSeconds ?? 5)));
      options.signal?.throwIfAborted();
    }
}

async function askOnce<Answer>(url: string, options: Asked): Promise<Answer> {
  let answer: Response;
  let text: string;
  try {
    answer = await fetch(url, { ...options, headers: { accept: 'application/json', ...options.headers } });
    text = await answer.text();
  } catch (thrown) {
    if (thrown instanceof DOMException && thrown.name === 'AbortError') throw thrown;
    throw new Refusal(unreachable);
  }
  return answerOf<Answer>(answer.status, text);
}

export const json = (method: string, body: object): Asked => ({
  method,
  headers: { 'content-type': 'application/json' },
  body: JSON.stringify(body),
});

export interface Transfer {
  readonly method: 'POST' | 'PUT';
  readonly headers: Readonly<Record<string, string>>;
  readonly signal: AbortSignal;
  /** Share of the bytes, 0 to 1. */
  onSent(share: number): void;
}

/**
 * Sends bytes with XMLHttpRequest, because fetch does not report upload progress.
 * @throws Refusal, with `unreachable` itself when the connection was lost; AbortError
 */
export function transfer<Answer>(
  url: string,
  body: XMLHttpRequestBodyInit,
  { method, headers, signal, onSent }: Transfer,
): Promise<Answer> {
  return new Promise((resolve, reject) => {
    const request = new XMLHttpRequest();
    request.open(method, url);
    for (const [name, value] of Object.entries(headers)) request.setRequestHeader(name, value);
    request.upload.addEventListener('progress', ({ loaded, total }) => onSent(total > 0 ? loaded / total : 0));
    request.addEventListener('load', () => {
      try {
        resolve(answerOf<Answer>(request.status, request.responseText));
      } catch (thrown) {
        reject(thrown);
      }
    });
    request.addEventListener('error', () => reject(new Refusal(unreachable)));
    const stop = (): void => request.abort();
    request.addEventListener('abort', () => reject(new DOMException('Cancelled', 'AbortError')));
    request.addEventListener('loadend', () => signal.removeEventListener('abort', stop));
    if (signal.aborted) return reject(new DOMException('Cancelled', 'AbortError'));
    signal.addEventListener('abort', stop);
    return request.send(body);
  });
}
