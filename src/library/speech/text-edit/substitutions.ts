// Words that were written differently: "Jon" for "John", "25" for "twenty-five". Their sound is where the other writing
// was, which is sure only between two words that stayed.
import { pairWords } from '../align/anchors/pairs.ts';
import { similarity } from '../align/anchors/similarity.ts';
import { unmatched } from './blocks.ts';
import type { Match } from './match.ts';

/** As few words in the same place are another writing of each other, whatever their letters. */
const fewWords = 3;
const alike = 0.6;
/** Shorter words are alike by chance. */
const fewestLetters = 4;
/** A stretch this long is no other writing as a whole. */
const mostWords = 12;

/** @param origin by edited word: its original word; -1: none */
export function substitutions(original: readonly string[], edited: readonly string[], origin: Int32Array): Match[] {
  const used = new Uint8Array(original.length);
  for (const from of origin) if (from >= 0) used[from] = 1;
  return unmatched(origin).flatMap(([editedFrom, editedTo]): Match[] => {
    const originalFrom = editedFrom === 0 ? 0 : (origin[editedFrom - 1] as number) + 1;
    const originalTo = editedTo === edited.length ? original.length : (origin[editedTo] as number);
    if (originalTo <= originalFrom || used.subarray(originalFrom, originalTo).includes(1)) return [];
    return within(original, edited, { editedFrom, editedTo, originalFrom, originalTo });
  });
}

function within(original: readonly string[], edited: readonly string[], place: Omit<Match, 'kind'>): Match[] {
  const { editedFrom, editedTo, originalFrom, originalTo } = place;
  const before = original.slice(originalFrom, originalTo);
  const after = edited.slice(editedFrom, editedTo);
  const most = Math.max(before.length, after.length);
  const letters = (words: readonly string[]): string => words.join('').replaceAll('-', '');
  if (most <= fewWords || (most <= mostWords && similarity(letters(before), letters(after)) >= alike)) {
    if (before.length !== after.length) return [{ ...place, kind: 'changed' }];
    return before.map((_, at) => one(originalFrom + at, editedFrom + at));
  }
  return (
    pairWords(before, after)
      // Equal ones were free to be found before, and left alone: the passage around them is another.
      .filter(({ left, similarity: like }) => like >= alike && like < 1 && (before[left] ?? '').length >= fewestLetters)
      .map(({ left, right }) => one(originalFrom + left, editedFrom + right))
  );
}

const one = (original: number, edited: number): Match => ({
  editedFrom: edited,
  editedTo: edited + 1,
  originalFrom: original,
  originalTo: original + 1,
  kind: 'changed',
});
