// Requests of pages to the service: by the client that programs use, on the page's own host and with its session.
import type { ApiError, ConnectionError } from '../../client/errors.ts';
import { type Call, createRequests, type RetrySettings } from '../../client/request.ts';
import { sendOverXhr } from '../../client/send-body.ts';

/** What went wrong: an error of the client, or the one in a record. */
export interface Problem {
  readonly code: string;
  readonly message: string;
  /** May the same request succeed later? */
  readonly retryable?: boolean;
  readonly nextAction?: string | null;
  /** jobId: a run was made, and has failed. */
  readonly details?: {
    readonly finishUrl?: string;
    readonly statusUrl?: string;
    readonly jobId?: string;
    readonly reason?: string;
  } | null;
}

/** What was thrown, as a problem; also by another script of the page. @throws what is none, such as an AbortError */
export function problemOf(thrown: unknown): Problem {
  if (thrown instanceof Error && 'retryable' in thrown) return thrown as ApiError | ConnectionError;
  throw thrown;
}

export const isLost = ({ code }: Problem): boolean => code === 'connection';

/** Where a minute has had too many requests, it waits. Anything else a person is told at once. */
const usual: RetrySettings = {
  attempts: 1,
  longestWaitSeconds: 120,
  mayRetry: ({ code }) => code === 'rate_limited',
};

export const requests = createRequests<Blob | Uint8Array<ArrayBuffer> | FormData>({
  baseUrl: location.origin,
  fetch: (...call) => fetch(...call),
  sendBody: sendOverXhr(),
  retry: usual,
});

/** The address of a link on the host that the page came from: the service may be known by several names. */
export const ownAddress = (url: string): string => url.replace(/^https?:\/\/[^/]+/, '');

/** An answer as JSON. @throws ApiError, ConnectionError, AbortError */
export const ask = <Answer>(to: string, call: Omit<Call, 'to'> = {}): Promise<Answer> =>
  requests.json<Answer>({ ...call, to });
