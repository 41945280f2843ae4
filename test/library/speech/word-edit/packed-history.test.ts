// Undo that is stored: what comes back is the same history, and joins what others did meanwhile.
import fc from 'fast-check';
import { expect, it } from 'vitest';
import { beginWith, type History, redo, step, undo } from '../../../../src/library/speech/word-edit/history.ts';
import { mostSteps } from '../../../../src/library/contract/edit-defaults.ts';
import { onto, packHistory, unpackHistory } from '../../../../src/library/speech/word-edit/packed-history.ts';
import * as edits from '../../../../src/library/speech/word-edit/word-edit.ts';

type Act = (edit: edits.WordEdit) => edits.WordEdit;
const word = fc.integer({ min: 0, max: 40 });
const span = fc.tuple(word, word).map(([a, b]) => [Math.min(a, b), Math.max(a, b) + 1] as const);
const anAct: fc.Arbitrary<Act> = fc.oneof(
  span.map(
    (own): Act =>
      (edit) =>
        edits.cutWords(edit, own),
  ),
  span.map(
    (own): Act =>
      (edit) =>
        edits.restoreWords(edit, own),
  ),
  span.map(
    ([a, b]): Act =>
      (edit) =>
        edits.cutTime(edit, [a / 4, b / 4]),
  ),
  fc.tuple(word, fc.constantFrom('a', '', null)).map(
    ([at, text]): Act =>
      (edit) =>
        edits.writeWord(edit, at, text),
  ),
  word.map(
    (at): Act =>
      (edit) =>
        edits.nameSpeaker(edit, at % 3, at % 2 === 0 ? `N${at}` : null),
  ),
  word.map(
    (at): Act =>
      (edit) =>
        edits.giveSentence(edit, at % 5, at % 4 === 0 ? null : at),
  ),
  word.map(
    (at): Act =>
      (edit) =>
        edits.keepSuggestion(edit, `w${at}`),
  ),
  word.map(
    (at): Act =>
      (edit) =>
        edits.askAgain(edit, `w${at}`),
  ),
);

/** Everything that undo and redo lead through, with the names of the steps. */
function walked(history: History<string>): unknown[] {
  const seen: unknown[] = [];
  let at = history;
  while (at.done !== null) {
    seen.push(at.done.label, at.now);
    at = undo(at);
  }
  seen.push(at.now);
  while (at.undone !== null) {
    seen.push(at.undone.label);
    at = redo(at);
    seen.push(at.now);
  }
  return seen;
}

const made = (acts: readonly Act[], from = beginWith<string>(edits.nothingEdited)): History<string> =>
  acts.reduce((history, act, at) => step(history, act(history.now), `step ${at}`), from);

it('gives the same steps back, done and undone, after a way through JSON', () => {
  fc.assert(
    fc.property(fc.array(anAct, { maxLength: 25 }), fc.integer({ min: 0, max: 25 }), (acts, back) => {
      let history = made(acts);
      for (let at = 0; at < back; at++) history = undo(history);
      const stored = JSON.parse(JSON.stringify({ now: history.now, packed: packHistory(history) }));
      const again = unpackHistory(stored.now, stored.packed);
      expect(again.now).toBe(stored.now);
      expect(walked(again)).toEqual(walked(history));
    }),
  );
});

it('keeps the latest steps within its bounds', () => {
  let history = beginWith<string>(edits.nothingEdited);
  for (let at = 0; at < 3 * mostSteps; at++)
    history = step(history, edits.cutWords(history.now, [3 * at, 3 * at + 1]), 'c');
  const packed = packHistory(history);
  expect([packed.steps.length, packed.done]).toEqual([mostSteps, mostSteps]);
  let again = unpackHistory(history.now, packed);
  while (again.done !== null) again = undo(again);
  expect(again.now.cut).toHaveLength(2 * mostSteps);
  // Of steps as large as a chapter, as many as have room.
  let large = beginWith<string>(edits.nothingEdited);
  for (let at = 0; at < 60; at++) {
    const cut = Array.from({ length: 1000 }, (_, index) => [4000 * at + 2 * index, 4000 * at + 2 * index + 1] as const);
    large = step(large, { ...large.now, cut: [...large.now.cut, ...cut] }, 'c');
  }
  const bytes = JSON.stringify(packHistory(large)).length;
  expect(bytes).toBeGreaterThan(100_000);
  expect(bytes).toBeLessThan(220_000);
});

it('puts our steps on those of others: each can be undone by itself, and what they did stays', () => {
  fc.assert(
    fc.property(fc.array(anAct, { maxLength: 6 }), fc.array(anAct, { maxLength: 6 }), (mine, others) => {
      const base = edits.cutWords(edits.nothingEdited, [50, 60]);
      const [ours, theirs] = [made(mine, beginWith(base)), made(others, beginWith(base))];
      const joined = onto(base, ours, theirs, 'joined');
      let back = joined;
      while (back.done !== null && back.now !== theirs.now) back = undo(back);
      expect(back.now).toEqual(theirs.now);
    }),
  );
  // A first step of ours was undone: what is left of ours is one step.
  const base = edits.cutWords(edits.nothingEdited, [1, 2]);
  const before = step(beginWith<string>(edits.nothingEdited), base, 'first');
  const theirs = step(before, edits.cutWords(base, [7, 8]), 'theirs');
  const joined = onto(base, undo(before), theirs, 'joined');
  expect([joined.now.cut, joined.done?.label]).toEqual([[[7, 8]], 'joined']);
});
