// How this page runs its tool: in this browser, for visitors through the free API, for people who are signed in through
// their account.
import { ask, type Problem } from '../account/requests.ts';
import { spent } from '../account/spent.ts';
import type { HereOrder, OwnBench, RunRecord } from '../bench-data.ts';
import { here } from './here.ts';
import { data, instead, type Item } from './items.ts';
import { type JobOrder, jobOf, runOfJob, startJob, termsOf, type Wish } from './own.ts';
import { follow, hasEnded, type Sending, sendForm } from './send.ts';
import { formOf, runPage } from './visit.ts';

const { own } = data;

export type Order = FormData | JobOrder | HereOrder;

const isHere = (order: Order): order is HereOrder => 'here' in order;

/** @param only this one of several files */
export const orderOf = (form: HTMLFormElement, wish: Wish, only?: Item): Order =>
  here.value?.(only) ?? (own === null ? formOf(form, only) : jobOf(own, form, wish, only));

/** The same order for all of the file, after its free part or a passage. */
export function wholeOf(order: Order): Order {
  if (order instanceof FormData || isHere(order)) return order;
  const { preview_from: _, ...whole } = order;
  return { ...whole, ...termsOf('whole') };
}

/** A job holds its price, and a free run its use, from its start on, and has paid it or not at its end. */
const tellSpent = (): unknown => dispatchEvent(new Event(spent));

/** @throws AbortError */
export const place = async (order: Order, sending: Sending): Promise<RunRecord | Problem> =>
  isHere(order)
    ? order.here()
    : (order instanceof FormData
        ? sendForm(instead.value?.action ?? data.action, order, sending)
        : startJob(own as OwnBench, order, sending)
      ).finally(tellSpent);

/** Follows a run to its end. @returns stops following */
export const watch = (
  { statusUrl, here: tab }: RunRecord,
  onChange: (run: RunRecord) => void,
  onBroken: () => void,
): (() => void) =>
  tab?.watch(onChange) ??
  follow(
    statusUrl,
    (run) => {
      onChange(own === null ? run : runOfJob(own, run));
      if (hasEnded(run)) tellSpent();
    },
    onBroken,
  );

/** Where a reload, or returning to the page, finds the run. */
export const addressOf = (run: RunRecord): string =>
  run.here ? data.page : own === null ? runPage(run) : `${data.page}?job=${encodeURIComponent(run.id)}`;

/** @returns false: it had ended before */
export async function cancelRun(run: RunRecord): Promise<boolean> {
  if (run.here) {
    run.here.cancel();
    return true;
  }
  if (own === null) {
    const answer = await fetch(runPage(run, '/cancel'), { method: 'POST', redirect: 'manual' });
    return answer.type === 'opaqueredirect';
  }
  const unheard = (): void => undefined;
  return ask(`${run.statusUrl}/cancel`, { method: 'POST' }).then(
    () => {
      // Its price is given back when the worker has stopped.
      watch(run, unheard, unheard);
      return true;
    },
    () => false,
  );
}
