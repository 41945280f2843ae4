// Several files through a tool that takes one: each is a run of its own, with the same options, two at a time.
import { signal } from '@preact/signals';
import { newKey } from '../../client/keys.ts';
import { type Problem } from '../account/requests.ts';
import type { RunRecord } from '../bench-data.ts';
import { cancelRun, type Order, orderOf, place, watch } from './door.ts';
import { data, type Item, t } from './items.ts';
import { batchToRun, type Wish } from './own.ts';
import { said } from './said.ts';
import { hasEnded, isRun } from './send.ts';
import { phase } from './state.ts';

export type RowState =
  | { readonly name: 'waiting' }
  /** null: the connection is lost, and the file will be sent again. */
  | { readonly name: 'sending'; readonly share: number | null }
  | { readonly name: 'running'; readonly run: RunRecord }
  | { readonly name: 'done'; readonly run: RunRecord }
  /** mayPass: it may do when it is tried again. */
  | { readonly name: 'failed'; readonly message: string; readonly mayPass: boolean }
  /** No free use or too few credits were left: it can be paid for where it was sent, or run later. */
  | { readonly name: 'limited'; readonly title: string; readonly message: string; readonly finishUrl: string | null }
  /** Not sent, since one before it was refused for the day or for the credits. */
  | { readonly name: 'unsent' }
  | { readonly name: 'cancelled' };

export interface BatchRow {
  readonly item: Item;
  readonly state: RowState;
  readonly order: Order;
  /** Of the request: the same one as long as it may have arrived without an answer. */
  readonly key: string;
}

export const rows = signal<readonly BatchRow[]>([]);

const atOnce = 2;
let stopping = new AbortController();
let working = 0;

const change = (item: Item, changed: Partial<BatchRow>): void =>
  void (rows.value = rows.value.map((row) => (row.item === item ? { ...row, ...changed } : row)));
const set = (item: Item, state: RowState): void => change(item, { state });

const isOver = ({ state: { name } }: BatchRow): boolean => !['waiting', 'sending', 'running'].includes(name);
export const overCount = (): number => rows.value.filter(isOver).length;
export const isBusy = (): boolean => overCount() < rows.value.length;

export async function startBatch(form: HTMLFormElement, wish: Wish): Promise<void> {
  rows.value = batchToRun().map((item) => ({
    item,
    state: { name: 'waiting' },
    order: orderOf(form, wish, item),
    key: newKey(),
  }));
  phase.value = { name: 'batch' };
  await work();
}

/** Runs what waits, two at a time. */
async function work(): Promise<void> {
  if (working === 0) stopping = new AbortController();
  const { signal } = stopping;
  const lane = async (): Promise<void> => {
    working += 1;
    for (let next = waiting(); next !== undefined; next = waiting()) {
      const state = await runOne(next, signal);
      set(next.item, state);
      // What is not sent yet would be refused, too.
      if (state.name === 'limited') for (const { item } of rows.value.filter(isWaiting)) set(item, { name: 'unsent' });
    }
    working -= 1;
  };
  await Promise.all(Array.from({ length: atOnce - working }, lane));
}

const isWaiting = ({ state }: BatchRow): boolean => state.name === 'waiting';
const waiting = (): BatchRow | undefined => rows.value.find(isWaiting);

const mayPass = ({ state }: BatchRow): boolean => state.name === 'failed' && state.mayPass;
export const failedRows = (): readonly BatchRow[] => rows.value.filter(mayPass);

/** Runs failed rows again, while others still run. */
export async function tryRows(failed: readonly BatchRow[]): Promise<void> {
  for (const { item } of failed) set(item, { name: 'waiting' });
  await work();
}

/** Cancels what runs, and sends no more. */
export function cancelRest(): void {
  stopping.abort();
}

async function runOne({ item, order, key }: BatchRow, signal: AbortSignal): Promise<RowState> {
  if (signal.aborted) return { name: 'cancelled' };
  set(item, { name: 'sending', share: 0 });
  let answer: RunRecord | Problem;
  try {
    answer = await place(order, { key, signal, onSent: (share) => set(item, { name: 'sending', share }) });
  } catch {
    return { name: 'cancelled' };
  }
  // A request with the key of a run would return that run.
  if (isRun(answer) || answer.details?.jobId !== undefined) change(item, { key: newKey() });
  if (!isRun(answer)) return refused(answer);
  const run = await ended(item, answer, signal);
  if (run === null) return { name: 'cancelled' };
  if (run.status === 'succeeded') return { name: 'done', run };
  if (run.status === 'cancelled') return { name: 'cancelled' };
  if (run.stage === 'waiting_for_payment')
    return { name: 'limited', title: t.waitsTitle, message: t.waitsHelp, finishUrl: run.finishUrl ?? null };
  const error = run.error ?? { code: run.status, message: run.status };
  return { name: 'failed', message: said(error), mayPass: data.passing.includes(error.code) };
}

function refused(problem: Problem): RowState {
  const { code, details, retryable: mayPass = false } = problem;
  const message = said(problem);
  return ['free_limit_reached', 'free_budget_exhausted', 'insufficient_balance'].includes(code)
    ? {
        name: 'limited',
        title: code === 'insufficient_balance' ? t.manyRefused : t.waitsTitle,
        message,
        finishUrl: details?.finishUrl ?? null,
      }
    : { name: 'failed', message, mayPass };
}

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
    const stop = watch(
      first,
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
