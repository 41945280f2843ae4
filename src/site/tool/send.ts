// Sends a form to the free API and follows its run.
import { ownAddress, type Problem, problemOf, transfer, unreachable } from '../account/requests.ts';
import type { RunRecord } from '../bench-data.ts';

/** Pauses before a request is sent again, seconds. */
const pauses = [1, 2, 4, 8, 15];

export interface Sending {
  /** The same key for the same request: if it had arrived already, its run is returned. */
  readonly key: string;
  readonly signal: AbortSignal;
  /** Share of the bytes, 0 to 1; null: the connection is lost, and it will be sent again. */
  onSent(share: number | null): void;
}

/** Sends a form to the free API. @throws AbortError */
export const sendForm = (action: string, form: FormData, sending: Sending): Promise<RunRecord | Problem> =>
  sendAgain(sending, ({ key, signal, onSent }) => {
    const headers = { Prefer: 'respond-async', Accept: 'application/json', 'Idempotency-Key': key };
    return transfer<RunRecord>(action, form, { method: 'POST', headers, signal, onSent });
  });

/** Sends, and sends again while the connection is lost, for half a minute. @throws AbortError */
export async function sendAgain(
  sending: Sending,
  send: (sending: Sending) => Promise<RunRecord>,
): Promise<RunRecord | Problem> {
  for (const pause of [...pauses, null]) {
    const answer = await send(sending).catch(problemOf);
    if (answer !== unreachable || pause === null) return answer;
    sending.onSent(null);
    await new Promise((resolve) => setTimeout(resolve, pause * 1000));
    sending.signal.throwIfAborted();
  }
  return unreachable;
}

export const isRun = (answer: RunRecord | Problem): answer is RunRecord => 'statusUrl' in answer;

const ended = ['succeeded', 'failed', 'cancelled'];

export const hasEnded = ({ status, stage }: RunRecord): boolean =>
  ended.includes(status) || stage === 'waiting_for_payment';

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
