// State of a tool's page: the chosen files, and the run.
import { signal } from '@preact/signals';
import type { BenchData, BenchInput, RunRecord } from '../bench-data.ts';
import { parseTimeRanges } from '../time-ranges.ts';
import { fill, pageData, shownBytes } from '../ui.tsx';
import { follow, hasEnded, isRun, newKey, type Problem, sendForm } from './send.ts';

export const data = pageData<BenchData>();
export const { t } = data;

/** A chosen file or link, with its own settings. */
export interface Item {
  readonly key: number;
  readonly name: string;
  readonly file: File | null;
  readonly link: string | null;
  /** By name of the setting. */
  readonly settings: Readonly<Record<string, string>>;
}

export type Phase =
  | { readonly name: 'choose' }
  | { readonly name: 'sending'; readonly share: number; readonly broken: boolean }
  | { readonly name: 'running'; readonly run: RunRecord; readonly broken: boolean }
  | { readonly name: 'done'; readonly run: RunRecord }
  | { readonly name: 'waiting'; readonly message: string; readonly finishUrl: string | null }
  | { readonly name: 'failed'; readonly problem: Problem; readonly cancelled: boolean }
  /** Several files, each with a run of its own: see batch.ts. */
  | { readonly name: 'batch' };

/** By input. */
export const items = signal<Readonly<Record<string, readonly Item[]>>>({});
export const phase = signal<Phase>({ name: 'choose' });
/** Messages about the chosen files. */
export const complaint = signal('');
/** Announcement for screen readers: what moved where. */
export const told = signal('');

let keys = 0;
let stop: () => void = () => undefined;
let sending = new AbortController();
let sent: {
  readonly request: FormData;
  readonly key: string;
  /** Is there a run of this key? A request with the key would return it. */
  readonly hasRun: boolean;
} | null = null;

export const itemsOf = (input: BenchInput): readonly Item[] => items.value[input.input] ?? [];
export const put = (input: BenchInput, list: readonly Item[]): void =>
  void (items.value = { ...items.value, [input.input]: list });

/** The input that takes a file dropped on the page or passed on by another page. */
export const mainInput = (): BenchInput | undefined => data.inputs.find(({ kind }) => kind === 'media');

/** Inputs that are shown: of alternatives, only the chosen one. */
export const chosen = signal<string | null>(
  data.exactlyOne.flat().find((name) => data.inputs.some(({ input }) => input === name)) ?? null,
);

export function shownInputs(): readonly BenchInput[] {
  const either = data.exactlyOne.find((fields) => fields.filter((name) => isInput(name)).length > 1) ?? [];
  return data.inputs.filter(({ input }) => !either.includes(input) || input === chosen.value);
}

/** Alternative inputs, one of which has to be chosen first; empty when there are none. */
export const alternatives = (): readonly BenchInput[] => {
  const either = data.exactlyOne.find((fields) => fields.filter((name) => isInput(name)).length > 1) ?? [];
  return data.inputs.filter(({ input }) => either.includes(input));
};

const isInput = (name: string): boolean => data.inputs.some(({ input }) => input === name);

/** Files of one batch. */
const mostInBatch = 20;

/** Does the tool take one file and nothing else, so that several are several runs? */
export const takesBatches = (input: BenchInput): boolean =>
  data.inputs.length === 1 && input.kind === 'media' && !input.multiple;

/** The files of which each gets a run of its own; empty where there is one run. */
export function batchItems(): readonly Item[] {
  const input = mainInput();
  const list = input !== undefined && takesBatches(input) ? itemsOf(input) : [];
  return list.length > 1 ? list : [];
}

/**
 * Adds files up to the input's limit; in an input for one file, the new one replaces the old.
 * @param isMore adds to it, where a tool takes batches
 */
export function bring(input: BenchInput, files: readonly File[], isMore = false): void {
  complaint.value = '';
  const good = files.filter((file) => {
    const said = {
      name: file.name,
      size: shownBytes(file.size, data.language),
      most: shownBytes(data.mostBytes, data.language),
    };
    if (file.size === 0) complaint.value = fill(t.empty, said);
    else if (file.size > data.mostBytes) complaint.value = fill(t.tooLarge, said);
    else if (
      input.kind === 'text' &&
      !input.extensions.some((extension) => file.name.toLowerCase().endsWith(`.${extension}`))
    )
      complaint.value = fill(t.wrongText, { ...said, kinds: input.extensions.join(', ').toUpperCase() });
    else return true;
    return false;
  });
  add(
    input,
    good.map((file) => ({ name: file.name, file, link: null })),
    isMore,
  );
}

export const bringLink = (input: BenchInput, link: string): void =>
  add(input, [
    { name: decodeURIComponent(new URL(link).pathname.split('/').at(-1) || new URL(link).host), file: null, link },
  ]);

function add(input: BenchInput, brought: readonly Pick<Item, 'name' | 'file' | 'link'>[], isMore = false): void {
  if (brought.length === 0) return;
  const usual = Object.fromEntries((input.settings?.fields ?? []).map(({ name, usual }) => [name, String(usual)]));
  const isMany = input.multiple || (takesBatches(input) && (isMore || itemsOf(input).length > 1));
  const most = takesBatches(input) ? mostInBatch : input.max;
  const list = [
    ...(isMany ? itemsOf(input) : []),
    ...brought.map((one): Item => ({ ...one, key: keys++, settings: usual })),
  ];
  if (list.length > most) complaint.value = fill(t.most, { n: most });
  put(input, list.slice(0, most));
}

/** Number of files still needed; 0 when the run can start. */
export const missing = (): number =>
  shownInputs().reduce((sum, input) => {
    const count = itemsOf(input).length;
    const isAlternative = alternatives().includes(input);
    const least = isAlternative ? Math.max(1, input.multiple ? 2 : 1) : input.min;
    return sum + Math.max(0, least - count);
  }, 0);

/**
 * The request: files and links in their order, settings of each, and the options that the form has.
 * @param only this one of several files
 */
export function requestOf(form: HTMLFormElement, only?: Item): FormData {
  const request = new FormData();
  for (const input of shownInputs()) {
    const list = itemsOf(input).filter((item) => only === undefined || item === only);
    for (const { file, link, name } of list)
      if (file !== null) request.append(input.name, file, name);
      else if (link !== null && input.linkName !== null) request.append(input.linkName, link);
    if (input.settings !== null && list.length > 0) {
      const { option, fields } = input.settings;
      const settings = list.map((item) =>
        Object.fromEntries(
          fields.map(({ name, choices }) => [
            name,
            choices === null ? Number(item.settings[name]) : item.settings[name],
          ]),
        ),
      );
      request.append(option, JSON.stringify(settings));
    }
  }
  for (const [name, value] of optionsOf(form)) request.append(name, value);
  return request;
}

/** Options that differ from nothing: empty fields and those that do not apply are left out. */
function optionsOf(form: HTMLFormElement): ReadonlyMap<string, string> {
  const options = new Map<string, string>();
  for (const field of form.querySelectorAll<HTMLElement>('[data-option]:not([hidden])')) {
    const name = field.dataset['option'] ?? '';
    const box = field.querySelector<HTMLInputElement>('input[type=checkbox]');
    const value = box === null ? new FormData(form).get(name) : String(box.checked);
    if (typeof value !== 'string' || value === '') continue;
    const list = field.querySelector('textarea')?.dataset['list'];
    options.set(
      name,
      list === undefined ? value : JSON.stringify(list === 'times' ? parseTimeRanges(value) : lines(value)),
    );
  }
  return options;
}

const lines = (text: string): readonly string[] =>
  text
    .split(/[\n,]/)
    .map((line) => line.trim())
    .filter((line) => line !== '');

export async function start(form: HTMLFormElement): Promise<void> {
  if (missing() > 0) {
    complaint.value = fill(t.least, { n: missing() });
    return;
  }
  sent = { request: requestOf(form), key: newKey(), hasRun: false };
  await send();
}

/**
 * Sends the same files and options again. After a lost connection with the same key: they may have arrived. A run that
 * failed needs a new key.
 */
export async function tryAgain(): Promise<void> {
  if (sent === null) return;
  if (sent.hasRun) sent = { ...sent, key: newKey(), hasRun: false };
  history.replaceState(null, '', ownPage());
  await send();
}

async function send(): Promise<void> {
  if (sent === null) return;
  sending = new AbortController();
  phase.value = { name: 'sending', share: 0, broken: false };
  try {
    const answer = await sendForm(data.action, sent.request, {
      key: sent.key,
      signal: sending.signal,
      onSent(share) {
        if (phase.value.name === 'sending')
          phase.value = { name: 'sending', share: share ?? 0, broken: share === null };
      },
    });
    sent = { ...sent, hasRun: isRun(answer) || answer.details?.jobId !== undefined };
    if (!isRun(answer)) return fail(answer);
    const { pathname, search } = new URL(answer.statusUrl);
    // So that a reload, or returning to the page, finds the run.
    history.replaceState(null, '', `${data.runs}${pathname.split('/').at(-1)}${search}`);
    take(answer);
    if (!hasEnded(answer)) stop = follow(answer.statusUrl, take, broken);
  } catch {
    phase.value = { name: 'failed', problem: { code: 'cancelled', message: t.cancelled }, cancelled: true };
  }
}

function fail(problem: Problem): void {
  const finishUrl = problem.details?.finishUrl ?? null;
  if (problem.code === 'free_limit_reached' || problem.code === 'free_budget_exhausted')
    phase.value = { name: 'waiting', message: problem.message, finishUrl };
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

/** Names of stages come from the tools: "removing_noise", "listening". */
export function stageTitle({ status, stage }: RunRecord): string {
  if (status === 'queued') return t.waiting;
  const named: Readonly<Record<string, string>> = t.stages;
  const text = stage.replaceAll('_', ' ');
  return named[stage] ?? (text === '' ? t.working : text.charAt(0).toUpperCase() + text.slice(1));
}

export function cancelRun({ statusUrl }: RunRecord): Promise<Response> {
  const { pathname, search } = new URL(statusUrl);
  return fetch(`${data.runs}${pathname.split('/').at(-1)}/cancel${search}`, { method: 'POST', redirect: 'manual' });
}

export async function cancel(): Promise<void> {
  if (phase.value.name === 'sending') return sending.abort();
  if (phase.value.name !== 'running') return;
  const answer = await cancelRun(phase.value.run);
  // It ended a moment before: the event stream reports how.
  if (answer.type === 'opaqueredirect') stop();
  phase.value = { name: 'failed', problem: { code: 'cancelled', message: t.cancelled }, cancelled: true };
}

const ownPage = (): string => data.runs.replace(/runs\/$/, `tools/${data.slug}`);

/** Returns to the options, with the same files. */
export function again(): void {
  stop();
  history.replaceState(null, '', ownPage());
  phase.value = { name: 'choose' };
}
