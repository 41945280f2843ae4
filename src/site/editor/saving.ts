// Keeps the edit: with the service, or on this device; and joins what two tabs do.
import { effect, signal } from '@preact/signals';
import { beginWith } from '../../library/speech/word-edit/history.ts';
import { mergeEdits, type WordEdit } from '../../library/speech/word-edit/word-edit.ts';
import { t } from './page-data.ts';
import type { Source } from './source.ts';
import { act, edit, history } from './state.ts';

export type SaveState = 'none' | 'saving' | 'saved' | 'lost' | 'ended';
export const saveState = signal<SaveState>('none');
export const savedAt = signal<Date | null>(null);

/** After the last change. */
const waitMs = 600;
const againMs = 4000;

/** What the session's end must not lose. */
const spareKey = (name: string): string => `earshot-edit:${name}`;

/**
 * Saves every change from now on.
 * @param before as it is stored
 */
export function keepSaving(source: Source, before: { readonly edit: WordEdit; readonly version: number } | null): void {
  let base = before?.edit ?? edit.peek();
  let version = before?.version ?? 0;
  let timer: ReturnType<typeof setTimeout> | undefined;
  let busy = false;
  const spare = spareKey(source.isKept ? source.url : source.name);

  const left = readSpare(spare);
  if (left !== null) {
    history.value = beginWith(mergeEdits(left.base, left.now, edit.peek()));
    dropSpare(spare);
  }

  const save = async (): Promise<void> => {
    if (busy) return plan(waitMs);
    const now = edit.peek();
    if (now === base) return;
    busy = true;
    saveState.value = 'saving';
    const saved = await source.save(now, version).catch(() => ({ state: 'lost' }) as const);
    busy = false;
    if (saved.state === 'saved') {
      [base, version] = [now, saved.version];
      savedAt.value = new Date();
      saveState.value = 'saved';
      dropSpare(spare);
      if (edit.peek() !== now) plan(waitMs);
    } else if (saved.state === 'changed') {
      // Both are kept: what the other tab did is a step of this one, which can be undone.
      const joined = mergeEdits(base, edit.peek(), saved.stored.edit);
      [base, version] = [saved.stored.edit, saved.stored.version];
      act(joined, t.merged);
      plan(0);
    } else {
      saveState.value = saved.state;
      keepSpare(spare, { base, now });
      plan(againMs);
    }
  };
  const plan = (ms: number): void => {
    clearTimeout(timer);
    timer = setTimeout(() => void save(), ms);
  };

  effect(() => {
    if (edit.value !== base) plan(waitMs);
  });
  addEventListener('beforeunload', (event) => {
    if (edit.peek() === base) return;
    keepSpare(spare, { base, now: edit.peek() });
    if (!busy) void save();
    // What could not be saved is on this device; what is on its way deserves a question.
    if (saveState.value === 'saving') event.preventDefault();
  });
}

interface Spare {
  readonly base: WordEdit;
  readonly now: WordEdit;
}

function keepSpare(key: string, spare: Spare): void {
  try {
    localStorage.setItem(key, JSON.stringify(spare));
  } catch {
    // A browser that keeps nothing: the page still has it.
  }
}

function readSpare(key: string): Spare | null {
  try {
    return JSON.parse(localStorage.getItem(key) ?? 'null') as Spare | null;
  } catch {
    return null;
  }
}

function dropSpare(key: string): void {
  try {
    localStorage.removeItem(key);
  } catch {
    // As above.
  }
}
