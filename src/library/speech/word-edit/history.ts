// Undo without end: every step is kept, as a value. Edits share what they have in common, so a step costs little.
import type { WordEdit } from './word-edit.ts';

/** What was done, and what there was before. */
export interface HistoryStep<Label> {
  readonly before: WordEdit;
  readonly after: WordEdit;
  readonly label: Label;
  readonly earlier: HistoryStep<Label> | null;
}

export interface History<Label> {
  readonly now: WordEdit;
  /** Steps that can be undone, the last one first. */
  readonly done: HistoryStep<Label> | null;
  /** Steps that were undone, the last one first. */
  readonly undone: HistoryStep<Label> | null;
}

export const beginWith = <Label>(edit: WordEdit): History<Label> => ({ now: edit, done: null, undone: null });

/** One more step; the same history where nothing changed. What was undone is forgotten. */
export const step = <Label>(history: History<Label>, after: WordEdit, label: Label): History<Label> =>
  after === history.now
    ? history
    : { now: after, done: { before: history.now, after, label, earlier: history.done }, undone: null };

export function undo<Label>(history: History<Label>): History<Label> {
  const { done } = history;
  if (done === null) return history;
  return { now: done.before, done: done.earlier, undone: { ...done, earlier: history.undone } };
}

export function redo<Label>(history: History<Label>): History<Label> {
  const { undone } = history;
  if (undone === null) return history;
  return { now: undone.after, done: { ...undone, earlier: history.done }, undone: undone.earlier };
}
