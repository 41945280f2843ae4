// The files and links that were chosen on a tool's page, and its options.
import { signal } from '@preact/signals';
import type { FileRecord } from '../../client/api-types.ts';
import type { BenchData, BenchInput } from '../bench-data.ts';
import type { Instead } from '../ranges/look.ts';
import { linesOf, parseChapters, parseTimeRanges } from '../time-ranges.ts';
import { fill, pageData, plural, shownBytes } from '../ui.tsx';

export const data = pageData<BenchData>();
export const { t } = data;
/** "1 credit", "12 credits". */
export const spokenCredits = (n: number): string => plural(data.language, data.units.credits, n);

/** A chosen file or link, with its own settings. */
export interface Item {
  readonly key: number;
  readonly name: string;
  readonly file: File | null;
  readonly link: string | null;
  /** It is in the account already, by its id; null: a file or a link. */
  readonly own: string | null;
  /** By name of the setting. */
  readonly settings: Readonly<Record<string, string>>;
}

/** By input. */
export const items = signal<Readonly<Record<string, readonly Item[]>>>({});
/** Messages about the chosen files. */
export const complaint = signal('');
/** Is the complaint one that people who are signed in do not meet? */
export const wantsAccount = signal(false);
/** Announcement for screen readers: what moved where. */
export const told = signal('');

/** What is run in place of the tool, with options of its own; null: the tool, with the form's. */
export const instead = signal<Instead | null>(null);

let keys = 0;

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

/** Files of one batch: a visitor has a few free runs a day. */
export const mostInBatch = data.own === null ? 20 : 100;

/** Does the tool take one file and nothing else, so that several are several runs? */
export const takesBatches = (input: BenchInput): boolean =>
  data.inputs.length === 1 && input.kind === 'media' && !input.multiple;

/** The files of which each gets a run of its own, whether it can be processed or not; empty where there is one run. */
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
  const said: string[] = [];
  wantsAccount.value = false;
  const good = files.filter((file) => {
    const named = {
      name: file.name,
      size: shownBytes(file.size, data.language),
      most: shownBytes(data.mostBytes, data.language),
    };
    if (file.size === 0) said.push(fill(t.empty, named));
    else if (file.size > data.mostBytes && data.device === null) {
      said.push(fill(data.own === null ? t.tooLarge : t.tooLargeOwn, named));
      wantsAccount.value ||= data.own === null;
    } else if (
      input.kind !== 'media' &&
      !input.extensions.some((extension) => file.name.toLowerCase().endsWith(`.${extension}`))
    )
      said.push(fill(t.wrongText, { ...named, kinds: input.extensions.join(', ').toUpperCase() }));
    else return true;
    return false;
  });
  complaint.value = said.join(' ');
  add(
    input,
    good.map((file) => ({ name: file.name, file, link: null, own: null })),
    isMore,
  );
}

export function bringLink(input: BenchInput, link: string): void {
  complaint.value = '';
  const { pathname, host } = new URL(link);
  let name = pathname.split('/').at(-1) || host;
  try {
    name = decodeURIComponent(name);
  } catch {
    // A "%" that begins no character: it stays as it is written.
  }
  add(input, [{ name, file: null, link, own: null }]);
}

/** Files that the account has already. */
export const bringOwn = (input: BenchInput, files: readonly Pick<FileRecord, 'id' | 'filename'>[]): void =>
  add(
    input,
    files.map(({ id, filename }) => ({ name: filename, file: null, link: null, own: id })),
    true,
  );

function add(input: BenchInput, brought: readonly Omit<Item, 'key' | 'settings'>[], isMore = false): void {
  if (brought.length === 0) return;
  const usual = Object.fromEntries((input.settings?.fields ?? []).map(({ name, usual }) => [name, String(usual)]));
  const isMany = input.multiple || (takesBatches(input) && (isMore || itemsOf(input).length > 1));
  const most = takesBatches(input) ? mostInBatch : input.max;
  const list = [
    ...(isMany ? itemsOf(input) : []),
    ...brought.map((one): Item => ({ ...one, key: keys++, settings: usual })),
  ];
  if (list.length > most) {
    const names = list.slice(most).map(({ name }) => name);
    complaint.value += ` ${fill(t.most, { n: most, names: names.join(', ') })}`;
  }
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

/** The settings of each of these files, in the types that the tool's declaration has. */
export const settingsOf = (
  { settings }: BenchInput,
  list: readonly Item[],
): readonly Readonly<Record<string, unknown>>[] =>
  list.map((item) =>
    Object.fromEntries(
      (settings?.fields ?? []).map(({ name, choices }) => [
        name,
        choices === null ? Number(item.settings[name]) : item.settings[name],
      ]),
    ),
  );

/** Options that differ from nothing: empty fields and those that do not apply are left out. */
export function optionsOf(form: HTMLFormElement): ReadonlyMap<string, unknown> {
  if (instead.value !== null) return instead.value.options;
  const options = new Map<string, unknown>();
  for (const field of form.querySelectorAll<HTMLElement>('[data-option]:not([hidden])')) {
    const { option: name = '', type } = field.dataset;
    const box = field.querySelector<HTMLInputElement>('input[type=checkbox]');
    const text = new FormData(form).get(name) as string | null;
    const list = field.querySelector('textarea')?.dataset['list'];
    if (box !== null) options.set(name, box.checked);
    else if (text)
      options.set(
        name,
        type === 'json'
          ? parsed(text)
          : list === 'chapters'
            ? text.trimStart().startsWith('[')
              ? parsed(text)
              : parseChapters(text)
            : list === 'times'
              ? parseTimeRanges(text)
              : list
                ? linesOf(text, /[\n,]/)
                : text,
      );
  }
  return options;
}

/** A number, which may begin with a point, or JSON; else the text itself, and the answer says what is expected. */
function parsed(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    const number = Number(text);
    return Number.isNaN(number) ? text : number;
  }
}

/** The only recording of the main input; null: there are several, or a reload has forgotten it. */
export function theRecording(): Item | null {
  const input = mainInput();
  const list = input === undefined ? [] : (items.value[input.input] ?? []);
  return list.length === 1 ? (list[0] ?? null) : null;
}
