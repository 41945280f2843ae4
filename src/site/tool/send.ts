// Sends a form to the free API and follows its run.
import type { RunRecord } from '../bench-data.ts';

/** An error of the service, as its interface has it. */
export interface Problem {
  readonly code: string;
  readonly message: string;
  readonly nextAction?: string;
  readonly details?: { readonly finishUrl?: string; readonly statusUrl?: string };
}

/** The error when no answer came. */
const unreachable: Problem = { code: 'connection', message: 'The service could not be reached.' };

/**
 * Uses XMLHttpRequest, because fetch does not report upload progress.
 * @param onSent share of the bytes, 0 to 1
 */
export function sendForm(
  action: string,
  form: FormData,
  signal: AbortSignal,
  onSent: (share: number) => void,
): Promise<RunRecord | Problem> {
  return new Promise((resolve, reject) => {
    const request = new XMLHttpRequest();
    request.open('POST', action);
    request.setRequestHeader('Prefer', 'respond-async');
    request.setRequestHeader('Accept', 'application/json');
    request.upload.addEventListener('progress', ({ loaded, total }) => onSent(total > 0 ? loaded / total : 0));
    request.addEventListener('load', () => {
      let answer: unknown;
      try {
        answer = JSON.parse(request.responseText);
      } catch {
        return resolve(unreachable);
      }
      const { error } = answer as { error?: Problem | null };
      return resolve(request.status < 400 ? (answer as RunRecord) : (error ?? unreachable));
    });
    request.addEventListener('error', () => resolve(unreachable));
    request.addEventListener('abort', () => reject(new DOMException('Cancelled', 'AbortError')));
    signal.addEventListener('abort', () => request.abort(), { once: true });
    request.send(form);
  });
}

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
