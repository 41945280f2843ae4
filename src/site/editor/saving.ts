// Keeps the edit with its steps: with the service, or on this device; and joins what two tabs or devices do.
import { effect, signal } from '@preact/signals';
import { step } from '../../library/speech/word-edit/history.ts';
import { onto, packHistory, unpackHistory } from '../../library/speech/word-edit/packed-history.ts';
import { mergeEdits, type WordEdit } from '../../library/speech/word-edit/word-edit.ts';
import { label } from './labels.ts';
import { t } from './page-data.ts';
import type { Source, StoredState } from './source.ts';
import { edit, history, told } from './state.ts';

export type SaveState = 'none' | 'saving' | 'saved' | 'lost' | 'ended';
export const saveState = signal<SaveState>('none');
export const savedAt = signal<Date | null>(null);

/** After the last change. */
const waitMs = 600;
const againMs = 4000;

/** What the session's end must not lose. */
const spareKey = (name: string): string => `earshot-edit:${name}`;

/**
 * Saves what is not saved yet.
 * @param first also an edit in which nothing was done yet. Default: not that
 * @returns the version that is stored; 0: nothing was done yet; null: it cannot be saved now
 */
export let saveNow: (first?: boolean) => Promise<number | null> = () => Promise.resolve(null);

/**
 * Saves every change from now on.
 * @param before as it is stored, and shown
 */
export function keepSaving(source: Source, before: StoredState | null): void {
  let base = before?.edit ?? edit.peek();
  let version = before?.version ?? 0;
  let timer: ReturnType<typeof setTimeout> | undefined;
  let busy = false;
  const spare = spareKey(source.isKept ? source.url : source.name);

  const left = readSpare(spare);
  if (left !== null) {
    history.value = step(history.peek(), mergeEdits(left.base, left.now, edit.peek()), label('brought'));
    dropSpare(spare);
  }

  const save = async (first = false): Promise<void> => {
    if (busy) return plan(waitMs);
    const now = edit.peek();
    if (now === base && !(first && version === 0)) return;
    busy = true;
    saveState.value = 'saving';
    const saved = await source
      .save(now, packHistory(history.peek()), version)
      .catch(() => ({ state: 'lost' }) as const);
    busy = false;
    if (saved.state === 'saved') {
      [base, version] = [now, saved.version];
      savedAt.value = new Date();
      saveState.value = 'saved';
      dropSpare(spare);
      if (edit.peek() !== now) plan(waitMs);
    } else if (saved.state === 'changed') {
      // Both are kept: ours goes on from what the other tab did.
      const { stored } = saved;
      history.value = onto(base, history.peek(), unpackHistory(stored.edit, stored.history), label('merged'));
      [base, version] = [stored.edit, stored.version];
      told.value = t.merged;
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

  saveNow = async (first = false) => {
    for (let tries = 0; tries < 20; tries++) {
      if (!busy) await save(first);
      if (!busy && edit.peek() === base && !(first && version === 0)) return version;
      await new Promise((resolve) => setTimeout(resolve, waitMs / 2));
    }
    return null;
  };

  effect(() => {
    if (edit.value !== base) plan(waitMs);
  });
  const lookAgain = async (): Promise<void> => {
    // Where it cannot be had, the next save says what is wrong.
    const stored = await source.fresh().catch(() => null);
    if (stored === null || stored.version <= version || busy || edit.peek() !== base) return;
    // Of other words: they are not here.
    if (stored.transcript !== (before?.transcript ?? stored.transcript)) return location.reload();
    [base, version] = [stored.edit, stored.version];
    history.value = unpackHistory(stored.edit, stored.history);
    told.value = t.merged;
  };
  // What another device did meanwhile is there when this one is looked at again.
  addEventListener('visibilitychange', () => {
    if (document.visibilityState !== 'visible' || busy || edit.peek() !== base) return;
    void lookAgain();
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
