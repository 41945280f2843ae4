// Undo over sessions and devices: steps as what they change, so that a history is stored beside its edit.
import { mostStepLetters, mostSteps } from '../../contract/edit-defaults.ts';
import { beginWith, type History, step, type HistoryStep } from './history.ts';
import { mergeEdits, nothingEdited, type WordEdit } from './word-edit.ts';

/** What a step takes out of a list and puts into it. */
type ListChange = readonly [gone: readonly unknown[], come: readonly unknown[]];
/** By key: what was there, and what is; null: nothing. */
type FieldChange = Readonly<Record<string, readonly [before: unknown, after: unknown]>>;
/** By field of an edit. */
export type EditChange = Partial<Readonly<Record<keyof WordEdit, ListChange | FieldChange>>>;

/** A history as it is stored. */
export interface PackedHistory {
  /** Steps, the first one first: what each is called, and what it changes. */
  readonly steps: readonly (readonly [label: string, change: EditChange])[];
  /** So many of them are done; those behind were undone. */
  readonly done: number;
}

const fields = Object.keys(nothingEdited) as readonly (keyof WordEdit)[];
const textOf = (value: unknown): string => JSON.stringify(value);

/** What leads from one edit to another. */
function changeBetween(before: WordEdit, after: WordEdit): EditChange {
  const change: Record<string, ListChange | FieldChange> = {};
  for (const field of fields) {
    const [from, to]: readonly unknown[] = [before[field], after[field]];
    if (from === to) continue;
    if (Array.isArray(from) && Array.isArray(to)) {
      const lists = listChange(from, to);
      if (lists[0].length + lists[1].length > 0) change[field] = lists;
    } else {
      const [old, now] = [from as Record<string, unknown>, to as Record<string, unknown>];
      const keys = [...new Set([...Object.keys(old), ...Object.keys(now)])].filter(
        (key) => textOf(old[key] ?? null) !== textOf(now[key] ?? null),
      );
      if (keys.length > 0)
        change[field] = Object.fromEntries(keys.map((key) => [key, [old[key] ?? null, now[key] ?? null] as const]));
    }
  }
  return change;
}

/** Edits share what they have in common: only between the first and the last difference is anything compared. */
function listChange(from: readonly unknown[], to: readonly unknown[]): ListChange {
  let first = 0;
  while (first < from.length && from[first] === to[first]) first += 1;
  let last = 0;
  while (last < Math.min(from.length, to.length) - first && from.at(-1 - last) === to.at(-1 - last)) last += 1;
  const [old, now] = [from.slice(first, from.length - last), to.slice(first, to.length - last)];
  const [had, has] = [new Set(old.map(textOf)), new Set(now.map(textOf))];
  return [old.filter((each) => !has.has(textOf(each))), now.filter((each) => !had.has(textOf(each)))];
}

/** Spans by their start, ids by their letters. */
const inOrder = (a: unknown, b: unknown): number =>
  Array.isArray(a) && Array.isArray(b) ? Number(a[0]) - Number(b[0]) : String(a) < String(b) ? -1 : 1;

/** The edit before a step, or the one after it. */
function changed(edit: WordEdit, change: EditChange, which: 'before' | 'after'): WordEdit {
  const own: Record<string, unknown> = { ...edit };
  for (const field of fields) {
    const parts = change[field];
    if (parts === undefined) continue;
    if (Array.isArray(parts)) {
      const [gone, come] = (which === 'after' ? parts : [parts[1], parts[0]]) as ListChange;
      const out = new Set(gone.map(textOf));
      const list = edit[field] as readonly unknown[];
      const stays = out.size === 0 ? list : list.filter((each) => !out.has(textOf(each)));
      own[field] = come.length === 0 ? stays : [...stays, ...come].toSorted(inOrder);
    } else {
      const entries = { ...(edit[field] as Record<string, unknown>) };
      for (const [key, [before, after]] of Object.entries(parts as FieldChange)) {
        const value = which === 'after' ? after : before;
        if (value === null) delete entries[key];
        else entries[key] = value;
      }
      own[field] = entries;
    }
  }
  return own as unknown as WordEdit;
}

/** The steps of a history, the first one first. */
function stepsOf({ done, undone }: History<string>): {
  readonly before: HistoryStep<string>[];
  readonly behind: HistoryStep<string>[];
} {
  const before: HistoryStep<string>[] = [];
  const behind: HistoryStep<string>[] = [];
  for (let at = done; at !== null && before.length < mostSteps; at = at.earlier) before.push(at);
  for (let at = undone; at !== null && behind.length < mostSteps; at = at.earlier) behind.push(at);
  return { before: before.toReversed(), behind };
}

/** What steps change, by the edit after them: a history is packed again after each step. */
const known = new WeakMap<
  WordEdit,
  { readonly before: WordEdit; readonly change: EditChange; readonly letters: number }
>();

function changeOf({ before, after }: HistoryStep<string>): { readonly change: EditChange; readonly letters: number } {
  const found = known.get(after);
  if (found?.before === before) return found;
  const change = changeBetween(before, after);
  const made = { before, change, letters: textOf(change).length };
  known.set(after, made);
  return made;
}

/** The latest steps, as they are stored. */
export function packHistory(history: History<string>): PackedHistory {
  const { before, behind } = stepsOf(history);
  const all = [...before, ...behind];
  const steps: [string, EditChange][] = [];
  let letters = 0;
  for (const own of all.toReversed()) {
    const { change, letters: more } = changeOf(own);
    letters += own.label.length + more;
    if (letters > mostStepLetters || steps.length === mostSteps) break;
    steps.unshift([own.label, change]);
  }
  const done = steps.length - behind.length;
  // Steps that were undone lead on from what is now: none of them without the first.
  return done < 0 ? { steps: [], done: 0 } : { steps, done };
}

/**
 * @param now the edit that the history is stored with
 * @param packed null: none is stored
 */
export function unpackHistory(now: WordEdit, packed: PackedHistory | null): History<string> {
  if (packed === null) return beginWith(now);
  const { steps, done } = packed;
  // Back to the first edit, so that each step is made of the one before it.
  const earlier: WordEdit[] = [now];
  for (const [, change] of steps.slice(0, done).toReversed())
    earlier.push(changed(earlier.at(-1) ?? now, change, 'before'));
  let history = beginWith<string>(earlier.at(-1) ?? now);
  for (const [at, [label]] of steps.slice(0, done).entries())
    history = step(history, earlier[done - 1 - at] ?? now, label);
  let undone: History<string>['undone'] = null;
  let before = now;
  const behind = steps.slice(done).map(([label, change]) => {
    const own = { before, after: changed(before, change, 'after'), label };
    before = own.after;
    return own;
  });
  for (const own of behind.toReversed()) undone = { ...own, earlier: undone };
  return { now, done: history.done, undone };
}

/**
 * Our steps since an edit, on what others made of it: each one joined with what is there, by its own name.
 * @param base the edit that both began with
 * @param label of the whole, where our steps do not lead from the base to what is now
 */
export function onto(base: WordEdit, ours: History<string>, theirs: History<string>, label: string): History<string> {
  const own: HistoryStep<string>[] = [];
  let at = ours.done;
  while (at !== null && own.at(-1)?.before !== base) {
    own.push(at);
    at = at.earlier;
  }
  if (own.at(-1)?.before !== base) return step(theirs, mergeEdits(base, ours.now, theirs.now), label);
  return own
    .toReversed()
    .reduce((all, each) => step(all, mergeEdits(each.before, each.after, all.now), each.label), theirs);
}
