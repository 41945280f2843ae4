// Runs of people who are signed in: each file is sent when it is chosen, its price is known before the start, and the
// whole of it is processed by a job of the account.
import { effect, signal, untracked } from '@preact/signals';
import type { FileRecord } from '../../client/api-types.ts';
import { ask, type Problem, problemOf, requests } from '../account/requests.ts';
import type { UploadState } from '../account/upload.ts';
import type { OwnBench, RunOutput, RunRecord } from '../bench-data.ts';
import { here } from './here.ts';
import {
  batchItems,
  data,
  instead,
  type Item,
  items,
  itemsOf,
  missing,
  optionsOf,
  settingsOf,
  shownInputs,
} from './items.ts';
import { placeRun, type Sending } from './send.ts';

/** How a chosen file gets to the account. */
export type Arrival =
  | { readonly name: 'waiting' }
  | UploadState
  | { readonly name: 'ready'; readonly file: FileRecord }
  | { readonly name: 'failed'; readonly problem: Problem };

export interface Price {
  readonly credits: number;
  /** Length that is billed. */
  readonly seconds: number;
  /** Credits that can be spent. */
  readonly available: number;
  /** Free: so much of it, so many times today. */
  readonly free: { readonly seconds: number; readonly usesLeftToday: number };
}

interface Quote extends Omit<Price, 'available'> {
  readonly tool: string;
}

const { own } = data;

/** By key of the item. */
export const arrivals = signal<Readonly<Record<number, Arrival>>>({});
/** null: not known yet. */
export const price = signal<Price | Problem | null>(null);
/** Of each of several files, by key of the item. */
let prices: ReadonlyMap<number | undefined, number> = new Map();

export const isPrice = (found: Price | Problem | null): found is Price => found !== null && 'credits' in found;

const chosenItems = (): readonly Item[] => shownInputs().flatMap(itemsOf);
const readyFile = ({ key }: Item): FileRecord | null => {
  const found = arrivals.value[key];
  return found?.name === 'ready' ? found.file : null;
};
export const fileOf = (item: Item | undefined): FileRecord | null => (item === undefined ? null : readyFile(item));

/** Of a file of the account; null: of a visitor. */
export const peaksUrl = (id: string): string | null => own && `${own.api}/files/${id}/peaks`;

/** A file of the account, for what looks at it; null: of a visitor, or not there yet. */
export function keptOf(
  item: Item,
): { readonly url: string; readonly bytes: number; readonly peaks: string | null } | null {
  const file = readyFile(item);
  return (
    own && file && { url: `${own.files}/${file.id}/content`, bytes: file.sizeBytes ?? 0, peaks: peaksUrl(file.id) }
  );
}

/** A batch goes on without what can be processed by no means. */
const isOut = ({ key }: Item): boolean => {
  const found = arrivals.value[key];
  return found?.name === 'failed' && found.problem.retryable !== true && found.problem.code !== 'unauthorized';
};
export const leftOut = (): readonly Item[] => chosenItems().filter(isOut);
/** The files of a batch that get a run. */
export const batchToRun = (): readonly Item[] => batchItems().filter((item) => !isOut(item));

const idsOf = (list: readonly Item[]): readonly string[] => list.flatMap((item) => readyFile(item)?.id ?? []);

/** Number of the latest request for a price. */
let asked = 0;
const under = new Map<number, AbortController>();
let line: Promise<unknown> = Promise.resolve();

const set = (key: number, arrival: Arrival): void => void (arrivals.value = { ...arrivals.value, [key]: arrival });

/** Files go one after the other: the first is there soonest. */
export function bringIn({ api, upload }: OwnBench, item: Item): void {
  const { key, file, link, own } = item;
  const control = new AbortController();
  const { signal } = control;
  under.set(key, control);
  set(key, { name: 'waiting' });
  const act = async (): Promise<void> => {
    if (signal.aborted) return;
    const uploading = { requests, api, signal, onState: (state: UploadState) => set(key, state) };
    try {
      const script = (await import(upload)) as typeof import('../islands/upload.ts');
      const found =
        file !== null
          ? await script.upload(file, uploading)
          : link !== null
            ? await script.importLink(link, uploading)
            : await script.checked(own ?? '', uploading);
      set(key, { name: 'ready', file: found });
    } catch (thrown) {
      if (!signal.aborted) set(key, { name: 'failed', problem: problemOf(thrown) });
    } finally {
      under.delete(key);
    }
  };
  line = line.then(act);
}

/** Is a file still on its way? */
export const isArriving = (): boolean =>
  Object.values(arrivals.value).some(({ name }) => name === 'waiting' || name === 'sending');

/** Sends what is chosen, stops what is taken away, and asks for the price when all is there. */
export function keepInStep(own: OwnBench): void {
  effect(() => {
    // What is not for the service is not sent.
    const list = here.value === null ? Object.values(items.value).flat() : [];
    untracked(() => {
      for (const item of list) if (arrivals.value[item.key] === undefined) bringIn(own, item);
      const gone = Object.keys(arrivals.value)
        .map(Number)
        .filter((key) => list.every((item) => item.key !== key));
      for (const key of gone) under.get(key)?.abort();
      if (gone.length > 0)
        arrivals.value = Object.fromEntries(
          Object.entries(arrivals.value).filter(([key]) => !gone.includes(Number(key))),
        );
    });
  });
  let priced = '';
  effect(() => {
    const list = batchItems().length > 0 ? batchToRun() : chosenItems();
    const isReady = list.length > 0 && missing() === 0 && list.every((item) => readyFile(item) !== null);
    // Neither progress nor settings of a file change a price.
    const ready = isReady ? idsOf(list).join(' ') : '';
    if (ready === priced) return;
    priced = ready;
    asked += 1;
    price.value = null;
    if (isReady) untracked(() => void askPrice(own));
  });
  // Credits were bought meanwhile, on another page.
  addEventListener('focus', () => {
    if (isPrice(price.value) && price.value.credits > price.value.available) void askPrice(own);
  });
}

export async function askPrice({ api, tool }: OwnBench): Promise<void> {
  if (here.value) return;
  const mine = (asked += 1);
  const several = batchToRun();
  const groups = several.length > 0 ? several.map((item) => [item]) : [chosenItems()];
  try {
    const [{ availableCents: available }, quotes] = await Promise.all([
      ask<{ readonly availableCents: number }>(`${api}/account`),
      Promise.all(
        groups.map((group) =>
          ask<Quote>(`${api}/quote`, {
            method: 'POST',
            json: { tool: instead.value?.tool ?? tool, fileIds: idsOf(group) },
          }),
        ),
      ),
    ]);
    if (mine !== asked) return;
    prices = new Map(quotes.map(({ credits }, at) => [several[at]?.key, credits]));
    const sum = (of: (quote: Quote) => number): number => quotes.reduce((total, quote) => total + of(quote), 0);
    price.value = {
      available,
      credits: sum(({ credits }) => credits),
      seconds: sum(({ seconds }) => seconds),
      free: {
        seconds: sum(({ free }) => free.seconds),
        usesLeftToday: Math.floor((quotes[0]?.free.usesLeftToday ?? 0) / groups.length),
      },
    };
  } catch (thrown) {
    if (mine === asked) price.value = problemOf(thrown);
  }
}

/** What is ordered: the whole, at the price that was shown, the part that is free, or a passage before and after. */
export const wishes = ['whole', 'free', 'preview'] as const;
export type Wish = (typeof wishes)[number];

/** The body of a job. @param only this one of several files */
export function jobOf({ tool, hasJobFields }: OwnBench, form: HTMLFormElement, wish: Wish, only?: Item): JobOrder {
  const body: Record<string, unknown> = { ...Object.fromEntries(optionsOf(form)), tool: instead.value?.tool ?? tool };
  for (const input of shownInputs()) {
    const list = itemsOf(input).filter((item) => only === undefined || item === only);
    const ids = idsOf(list);
    const { itemKey } = input;
    if (ids.length === 0) continue;
    if (itemKey !== null)
      body[input.input] = settingsOf(input, list).map((settings, at) => ({ ...settings, [itemKey]: ids[at] }));
    else body[input.input] = input.multiple ? ids : ids[0];
  }
  return hasJobFields ? { ...body, ...termsOf(wish, only) } : body;
}

export type JobOrder = Readonly<Record<string, unknown>>;

/** Never more than the price that was shown. */
export function termsOf(wish: Wish, only?: Item): JobOrder {
  if (wish === 'free') return { free: true };
  const whole = { free: false, max_credits: Math.max(1, prices.get(only?.key) ?? 1) };
  return wish === 'whole' ? whole : { ...whole, preview_from: previewFrom() };
}

/** Second from which a preview is made: past the intro of a long recording, at the beginning of a short one. */
const previewFrom = (): number => (isPrice(price.value) && price.value.seconds > 90 ? 30 : 0);

interface JobRecord extends Omit<RunRecord, 'statusUrl' | 'outputs'> {
  readonly outputs: readonly Omit<RunOutput, 'url'>[];
}

/** A job in the form of the free API's runs. */
export const runOfJob = ({ api, files }: OwnBench, job: JobRecord): RunRecord => ({
  ...job,
  statusUrl: `${api}/jobs/${job.id}`,
  outputs: job.outputs.map((output) => ({ ...output, url: `${files}/${output.id}/content` })),
});

/** Starts a job. @throws AbortError */
export const startJob = (own: OwnBench, order: JobOrder, sending: Sending): Promise<RunRecord | Problem> =>
  placeRun<JobRecord, RunRecord>({ to: `${own.api}/jobs`, json: order }, sending, (made) => runOfJob(own, made));
