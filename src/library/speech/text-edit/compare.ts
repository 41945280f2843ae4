// Finds the words of an edited text in the words of its original: kept, moved, said twice, or written differently.
import { pairWords } from '../align/anchors/pairs.ts';
import { findBlocks } from './blocks.ts';
import type { Match } from './match.ts';
import { substitutions } from './substitutions.ts';

export interface Comparison {
  /** In the order of the edited text; they share no edited word. Edited words of none are new. */
  readonly matches: readonly Match[];
}

/** Fewer words in a row between new ones agree by chance: "the", "and a". */
const fewestBetweenNew = 3;
const fewestNewAround = 4;

/**
 * @param original comparable forms of the words (`anchors/similarity.ts`)
 * @param edited the same of the edited text
 * @param pauses seconds of silence before each original word: of equal cuts, the one in the pauses is taken
 */
export function compareWords(
  original: readonly string[],
  edited: readonly string[],
  pauses: readonly number[] = [],
): Comparison {
  /** By edited word: its original word; -1: none. */
  const origin = new Int32Array(edited.length).fill(-1);
  for (const { left, right, similarity } of pairWords(original, edited)) if (similarity === 1) origin[right] = left;
  dropChance(origin, original.length);
  slide(origin, original, pauses);
  findBlocks(original, edited, origin);
  return { matches: [...runsOf(origin), ...substitutions(original, edited, origin)].toSorted(inEdited) };
}

const inEdited = (a: Match, b: Match): number => a.editedFrom - b.editedFrom;

/** Stretches in which both texts go on word by word. */
function runsOf(origin: Int32Array): Match[] {
  const runs: { editedFrom: number; editedTo: number; originalFrom: number; originalTo: number; kind: 'same' }[] = [];
  for (const [at, from] of origin.entries()) {
    if (from < 0) continue;
    const last = runs.at(-1);
    if (last && last.editedTo === at && last.originalTo === from) {
      last.editedTo += 1;
      last.originalTo += 1;
    } else runs.push({ editedFrom: at, editedTo: at + 1, originalFrom: from, originalTo: from + 1, kind: 'same' });
  }
  return runs;
}

/** Frees a word or two that agree amid a passage that is new: their sound does not belong there. */
function dropChance(origin: Int32Array, words: number): void {
  const runs = runsOf(origin);
  for (const [index, run] of runs.entries()) {
    if (run.editedTo - run.editedFrom >= fewestBetweenNew) continue;
    const before = runs[index - 1] ?? { editedTo: 0, originalTo: 0 };
    const after = runs[index + 1] ?? { editedFrom: origin.length, originalFrom: words };
    const isNew = [run.editedFrom - before.editedTo, after.editedFrom - run.editedTo] as const;
    const isGone = [run.originalFrom - before.originalTo, after.originalFrom - run.originalTo] as const;
    if (Math.min(...isNew) > 0 && Math.max(...isGone) > 0 && isNew[0] + isNew[1] >= fewestNewAround)
      origin.fill(-1, run.editedFrom, run.editedTo);
  }
}

/** "I think [I think] we" is "[I think] I think we" as well: a cut goes where the longest pauses are. */
function slide(origin: Int32Array, original: readonly string[], pauses: readonly number[]): void {
  const runs = runsOf(origin);
  for (const [index, after] of runs.entries()) {
    const before = runs[index - 1];
    if (before === undefined || before.editedTo !== after.editedFrom) continue;
    const [from, to] = [before.originalTo, after.originalFrom];
    const score = (shift: number): number => (pauses[from + shift] ?? 0) + (pauses[to + shift] ?? 0);
    let best = 0;
    for (let shift = 1; shift < after.editedTo - after.editedFrom; shift += 1) {
      if (original[from + shift - 1] !== original[to + shift - 1]) break;
      if (score(shift) > score(best)) best = shift;
    }
    for (let shift = -1; -shift < before.editedTo - before.editedFrom; shift -= 1) {
      if (original[from + shift] !== original[to + shift]) break;
      // Of a word said twice the second is kept, as with fillers.
      if (score(shift) >= score(best)) best = shift;
    }
    for (let shift = best; shift < 0; shift += 1) origin[after.editedFrom + shift] = to + shift;
    for (let shift = 0; shift < best; shift += 1) origin[after.editedFrom + shift] = from + shift;
  }
}
