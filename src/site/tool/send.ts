// Sends a form to the free API and follows its run.
import type { RunRecord } from '../bench-data.ts';

/** An error of the service, as its interface has it. */
export interface Problem {
  readonly code: string;
  readonly message: string;
  /** May the same request succeed later? */
  readonly retryable?: boolean;
  readonly nextAction?: string;
  /** jobId: a run was made, and has failed. */
  readonly details?: { readonly finishUrl?: string; readonly statusUrl?: string; readonly jobId?: string };
}

/** The error when no answer came. */
const unreachable: Problem = { code: 'connection', message: 'The service could not be reached.', retryable: true };

/** Pauses before a form is sent again, seconds. */
const pauses = [1, 2, 4, 8, 15];

/** 128 random bits: `crypto.randomUUID` is missing on pages without https. */
export const newKey = (): string =>
  [...crypto.getRandomValues(new Uint8Array(16))].map((byte) => byte.toString(16).padStart(2, '0')).join('');

export interface Sending {
  /** The same key for the same request: if it had arrived already, its run is returned. */
  readonly key: string;
  readonly signal: AbortSignal;
  /** Share of the bytes, 0 to 1; null: the connection is lost, and the form will be sent again. */
  onSent(share: number | null): void;
}

/** Sends a form, and sends it again while the connection is lost, for half a minute. @throws AbortError */
export async function sendForm(action: string, form: FormData, sending: Sending): Promise<RunRecord | Problem> {
  for (const pause of [...pauses, null]) {
    const answer = await sendOnce(action, form, sending);
    if (answer !== null) return answer;
    if (pause === null) break;
    sending.onSent(null);
    await new Promise((resolve) => setTimeout(resolve, pause * 1000));
    sending.signal.throwIfAborted();
  }
  return unreachable;
}

/** Uses XMLHttpRequest, because fetch does not report upload progress. null: the connection was lost */
function sendOnce(
  action: string,
  form: FormData,
  { key, signal, onSent }: Sending,
): Promise<RunRecord | Problem | null> {
  return new Promise((resolve, reject) => {
    const request = new XMLHttpRequest();
    request.open('POST', action);
    request.setRequestHeader('Prefer', 'respond-async');
    request.setRequestHeader('Accept', 'application/json');
    request.setRequestHeader('Idempotency-Key', key);
    request.upload.addEventListener('progress', ({ loaded, total }) => onSent(total > 0 ? loaded / total : 0));
    request.addEventListener('load', () => {
      let answer: unknown;
      try {
        answer = JSON.parse(request.responseText);
      } catch {
        return resolve(unreachable);
      }
      const { error } = answer as { error?: Problem | null };
      if (request.status < 400) return resolve(answer as RunRecord);
      return resolve(mayPassIf(request.status === 503, error ?? unreachable));
    });
    request.addEventListener('error', () => resolve(null));
    request.addEventListener('abort', () => reject(new DOMException('Cancelled', 'AbortError')));
    signal.addEventListener('abort', () => request.abort(), { once: true });
    request.send(form);
  });
}

/** A service that is away for a while does not always say so in its error. */
const mayPassIf = (isAway: boolean, problem: Problem): Problem => (isAway ? { ...problem, retryable: true } : problem);

export const isRun = (answer: RunRecord | Problem): answer is RunRecord => 'statusUrl' in answer;

const ended = ['succeeded', 'failed', 'cancelled'];

export const hasEnded = ({ status, stage }: RunRecord): boolean =>
  ended.includes(status) || stage === 'waiting_for_payment';

/** The address of a link on the host that the page came from: the service may be known by several names. */
export const ownAddress = (url: string): string => {
  const { pathname, search } = new URL(url, location.href);
  return pathname + search;
};

/**
 * Follows a run by server-sent events, or by polling when they are blocked.
 * @param onChange called with every record, the last one ended
 * @param onBroken called when the connection is lost, and after each failed retry
 */
export function follow(statusUrl: string, onChange: (run: RunRecord) => void, onBroken: () => void): () => void {
  const [path = '', query = ''] = ownAddress(statusUrl).split('?');
  const events = new EventSource(`${path}/events?${query}`);
  let stopped = false;
  let timer: ReturnType<typeof setTimeout> | undefined;
  const take = (run: RunRecord): void => {
    if (stopped) return;
    if (hasEnded(run)) stop();
    onChange(run);
  };
  const ask = async (): Promise<void> => {
    try {
      const answer = await fetch(`${path}?${query}`, { headers: { accept: 'application/json' } });
      const record = (await answer.json()) as RunRecord & { error?: Problem };
      if (answer.ok) take(record);
      else if (answer.status < 500) {
        stop();
        onChange({ ...record, status: 'failed', error: record.error ?? unreachable });
      }
    } catch {
      onBroken();
    }
    if (!stopped) timer = setTimeout(() => void ask(), 2000);
  };
  events.addEventListener('message', ({ data }) => take(JSON.parse(data as string) as RunRecord));
  events.addEventListener('error', () => {
    if (stopped) return;
    onBroken();
    // Browsers reconnect by themselves, unless the answer was not a stream.
    if (events.readyState === EventSource.CLOSED && timer === undefined) void ask();
  });
  function stop(): void {
    stopped = true;
    events.close();
    clearTimeout(timer);
  }
  return stop;
}
