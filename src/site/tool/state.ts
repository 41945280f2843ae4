// The run of a tool's page.
import { signal } from '@preact/signals';
import { newKey } from '../../client/keys.ts';
import { type Problem } from '../account/requests.ts';
import type { RunRecord } from '../bench-data.ts';
import { fill } from '../ui.tsx';
import { addressOf, cancelRun, type Order, orderOf, place, watch, wholeOf } from './door.ts';
import { complaint, data, missing, t } from './items.ts';
import type { Wish } from './own.ts';
import { said } from './said.ts';
import { hasEnded, isRun } from './send.ts';

export type Phase =
  | { readonly name: 'choose' }
  | { readonly name: 'sending'; readonly share: number; readonly broken: boolean }
  | { readonly name: 'running'; readonly run: RunRecord; readonly broken: boolean }
  | { readonly name: 'done'; readonly run: RunRecord }
  | { readonly name: 'waiting'; readonly message: string; readonly finishUrl: string | null }
  | { readonly name: 'failed'; readonly problem: Problem; readonly cancelled: boolean }
  /** Several files, each with a run of its own: see batch.ts. */
  | { readonly name: 'batch' };

export const phase = signal<Phase>({ name: 'choose' });
let stop: () => void = () => undefined;
let sending = new AbortController();
let sent: {
  readonly order: Order;
  readonly key: string;
  /** Is there a run of this key? A request with the key would return it. */
  readonly hasRun: boolean;
} | null = null;

export async function start(form: HTMLFormElement, wish: Wish): Promise<void> {
  if (missing() > 0) {
    complaint.value = fill(t.least, { n: missing() });
    return;
  }
  await send({ order: orderOf(form, wish), key: newKey(), hasRun: false });
}

/**
 * Sends the same files and options again. After a lost connection with the same key: they may have arrived. A run that
 * failed needs a new key.
 */
export async function tryAgain(): Promise<void> {
  if (sent === null) return;
  history.replaceState(null, '', data.page);
  await send(sent.hasRun ? { ...sent, key: newKey(), hasRun: false } : sent);
}

/** After the free part: all of the same file. */
export async function runWhole(): Promise<void> {
  if (sent !== null) await send({ order: wholeOf(sent.order), key: newKey(), hasRun: false });
}

async function send(request: NonNullable<typeof sent>): Promise<void> {
  sent = request;
  sending = new AbortController();
  phase.value = { name: 'sending', share: 0, broken: false };
  try {
    const answer = await place(request.order, {
      key: request.key,
      signal: sending.signal,
      onSent(share) {
        if (phase.value.name === 'sending')
          phase.value = { name: 'sending', share: share ?? 0, broken: share === null };
      },
    });
    sent = { ...request, hasRun: isRun(answer) || answer.details?.jobId !== undefined };
    if (isRun(answer)) show(answer);
    else fail(answer);
  } catch {
    phase.value = { name: 'failed', problem: { code: 'cancelled', message: t.cancelled }, cancelled: true };
  }
}

/** Shows a run, and what becomes of it. */
export function show(run: RunRecord): void {
  history.replaceState(null, '', addressOf(run));
  take(run);
  if (!hasEnded(run)) stop = watch(run, take, broken);
}

function fail(problem: Problem): void {
  const finishUrl = problem.details?.finishUrl ?? null;
  if (problem.code === 'free_limit_reached' || problem.code === 'free_budget_exhausted')
    phase.value = { name: 'waiting', message: said(problem), finishUrl };
  else phase.value = { name: 'failed', problem, cancelled: false };
}

function take(run: RunRecord): void {
  if (run.stage === 'waiting_for_payment')
    phase.value = { name: 'waiting', message: t.waitsHelp, finishUrl: run.finishUrl ?? null };
  else if (run.status === 'succeeded') phase.value = { name: 'done', run };
  else if (run.status === 'failed' || run.status === 'cancelled')
    phase.value = {
      name: 'failed',
      problem: ofRun(run.error ?? { code: run.status, message: t.cancelled }),
      cancelled: run.status === 'cancelled',
    };
  else phase.value = { name: 'running', run, broken: false };
}

/** The record of a run has no more of its error than code and message. */
const ofRun = (error: Problem): Problem => ({ ...error, retryable: data.passing.includes(error.code) });

function broken(): void {
  if (phase.value.name === 'running') phase.value = { ...phase.value, broken: true };
}

/** Stages without a text are said as tools name them: "listening". */
export function stageTitle({ status, stage }: RunRecord): string {
  if (status === 'queued') return t.waiting;
  const named: Readonly<Record<string, string>> = t.stages;
  return named[stage] ?? (stage.charAt(0).toUpperCase() + stage.slice(1) || t.working);
}

export async function cancel(): Promise<void> {
  if (phase.value.name === 'sending') return sending.abort();
  if (phase.value.name !== 'running') return;
  // Otherwise it ended a moment before: the event stream reports how.
  if (await cancelRun(phase.value.run)) stop();
  phase.value = { name: 'failed', problem: { code: 'cancelled', message: t.cancelled }, cancelled: true };
}

/** Returns to the options, with the same files. */
export function again(): void {
  stop();
  history.replaceState(null, '', data.page);
  phase.value = { name: 'choose' };
}
