// Sends a form to the free API and follows its run.
import { poll } from '../../client/poll.ts';
import type { Call } from '../../client/request.ts';
import { ask, isLost, ownAddress, type Problem, problemOf, requests } from '../account/requests.ts';
import type { RunRecord } from '../bench-data.ts';

export interface Sending {
  /** The same key for the same request: if it had arrived already, its run is returned. */
  readonly key: string;
  readonly signal: AbortSignal;
  /** Share of the bytes, 0 to 1; null: the connection is lost, and it will be sent again. */
  onSent(share: number | null): void;
}

/** Tries while the connection is lost: half a minute. */
const mostTries = 8;

/** Sends a form to the free API. @throws AbortError */
export const sendForm = (action: string, form: FormData, sending: Sending): Promise<RunRecord | Problem> =>
  placeRun<RunRecord, RunRecord>(
    { to: action, body: form, headers: { prefer: 'respond-async' } },
    sending,
    (run) => run,
  );

/** Orders a run, again while the connection is lost, with the same key. @throws AbortError */
export async function placeRun<Answer, Run>(
  order: Omit<Call<FormData>, 'signal'>,
  { key, signal, onSent }: Sending,
  runOf: (answer: Answer) => Run,
): Promise<Run | Problem> {
  try {
    return runOf(
      await requests.json<Answer>({
        ...order,
        method: 'POST',
        headers: { ...order.headers, 'idempotency-key': key },
        signal,
        // A form may hold a large file.
        timeoutSeconds: 6 * 3600,
        retry: {
          // A large file is not sent again into a minute that has had too many requests: that is told.
          mayRetry: (failure, tried) =>
            (failure.code === 'rate_limited' && order.body === undefined) || (isLost(failure) && tried < mostTries),
        },
        onSent: (sent, total = sent) => onSent(total > 0 ? sent / total : 0),
        onRetry: (failure) => isLost(failure) && onSent(null),
      }),
    );
  } catch (thrown) {
    return problemOf(thrown);
  }
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
  const over = new AbortController();
  const stop = (): void => {
    over.abort();
    events.close();
  };
  const take = (run: RunRecord): void => {
    if (over.signal.aborted) return;
    if (hasEnded(run)) stop();
    onChange(run);
  };
  let isPolling = false;
  const askAgain = (): Promise<unknown> =>
    poll<RunRecord | null>({
      signal: over.signal,
      hasEnded: (run) => run !== null && hasEnded(run),
      look: async (signal) => {
        const run = await ask<RunRecord>(`${path}?${query}`, { signal }).catch((thrown: unknown) => {
          const problem = problemOf(thrown);
          if (problem.retryable !== true) {
            onChange({ ...({} as RunRecord), status: 'failed', stage: '', error: problem });
            stop();
          } else onBroken();
          return null;
        });
        if (run !== null) take(run);
        return run;
      },
    }).catch(() => undefined);
  events.addEventListener('message', ({ data }) => take(JSON.parse(data as string) as RunRecord));
  events.addEventListener('error', () => {
    if (over.signal.aborted) return;
    onBroken();
    // Browsers reconnect by themselves, unless the answer was not a stream.
    if (events.readyState !== EventSource.CLOSED || isPolling) return;
    isPolling = true;
    void askAgain();
  });
  return stop;
}
