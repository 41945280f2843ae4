// Several files through a tool that takes one: each is a run of its own, with the same options, two at a time.
import { signal } from '@preact/signals';
import type { RunRecord } from '../bench-data.ts';
import { follow, hasEnded, isRun, newKey, type Problem, sendForm } from './send.ts';
import { batchItems, cancelRun, data, type Item, phase, requestOf, t } from './state.ts';

export type RowState =
  | { readonly name: 'waiting' }
  /** null: the connection is lost, and the file will be sent again. */
  | { readonly name: 'sending'; readonly share: number | null }
  | { readonly name: 'running'; readonly run: RunRecord }
  | { readonly name: 'done'; readonly run: RunRecord }
  | { readonly name: 'failed'; readonly message: string }
  /** No free use was left: it can be paid for where it was sent, or run tomorrow. */
  | { readonly name: 'limited'; readonly message: string; readonly finishUrl: string | null }
  | { readonly name: 'cancelled' };

export interface BatchRow {
  readonly item: Item;
  readonly state: RowState;
}

export const rows = signal<readonly BatchRow[]>([]);

const atOnce = 2;
let stopping = new AbortController();

const set = (item: Item, state: RowState): void =>
  void (rows.value = rows.value.map((row) => (row.item === item ? { item, state } : row)));

const isOver = ({ state: { name } }: BatchRow): boolean => !['waiting', 'sending', 'running'].includes(name);
export const overCount = (): number => rows.value.filter(isOver).length;
export const isBusy = (): boolean => overCount() < rows.value.length;

export async function startBatch(form: HTMLFormElement): Promise<void> {
  const list = batchItems();
  stopping = new AbortController();
  rows.value = list.map((item) => ({ item, state: { name: 'waiting' } }));
  phase.value = { name: 'batch' };
  const requests = list.map((item) => ({ item, request: requestOf(form, item) }));
  const work = async (): Promise<void> => {
    for (let next = requests.shift(); next !== undefined; next = requests.shift()) {
      const { item, request } = next;
      const state = await runOne(item, request, stopping.signal);
      set(item, state);
      // What is not sent yet would be refused, too.
      if (state.name === 'limited')
        for (const rest of requests.splice(0)) set(rest.item, { ...state, finishUrl: null });
    }
  };
  await Promise.all(Array.from({ length: atOnce }, work));
}

/** Cancels what runs, and sends no more. */
export function cancelRest(): void {
  stopping.abort();
}

async function runOne(item: Item, request: FormData, signal: AbortSignal): Promise<RowState> {
  if (signal.aborted) return { name: 'cancelled' };
  set(item, { name: 'sending', share: 0 });
  let answer: RunRecord | Problem;
  try {
    answer = await sendForm(data.action, request, {
      key: newKey(),
      signal,
      onSent: (share) => set(item, { name: 'sending', share }),
    });
  } catch {
    return { name: 'cancelled' };
  }
  if (!isRun(answer)) return refused(answer);
  const run = await ended(item, answer, signal);
  if (run === null) return { name: 'cancelled' };
  if (run.status === 'succeeded') return { name: 'done', run };
  if (run.status === 'cancelled') return { name: 'cancelled' };
  if (run.stage === 'waiting_for_payment')
    return { name: 'limited', message: t.waitsHelp, finishUrl: run.finishUrl ?? null };
  return { name: 'failed', message: run.error?.message ?? run.status };
}

const refused = ({ code, message, details }: Problem): RowState =>
  code === 'free_limit_reached' || code === 'free_budget_exhausted'
    ? { name: 'limited', message, finishUrl: details?.finishUrl ?? null }
    : { name: 'failed', message };

/** null: cancelled here */
function ended(item: Item, first: RunRecord, signal: AbortSignal): Promise<RunRecord | null> {
  if (hasEnded(first)) return Promise.resolve(first);
  set(item, { name: 'running', run: first });
  return new Promise((resolve) => {
    const cancel = (): void => {
      stop();
      // Without a connection it runs to its end, and its result is kept for an hour.
      cancelRun(first).catch(() => undefined);
      resolve(null);
    };
    const stop = follow(
      first.statusUrl,
      (run) => {
        if (!hasEnded(run)) return set(item, { name: 'running', run });
        signal.removeEventListener('abort', cancel);
        return resolve(run);
      },
      // The stream or its substitute goes on by itself.
      () => undefined,
    );
    if (signal.aborted) cancel();
    else signal.addEventListener('abort', cancel, { once: true });
  });
}
