// Anchors: words of a script that a recogniser heard, where both agree for a stretch rather than on a single word by
// chance.
import type { TimeRange } from '../../../core/time-range.ts';
import { unspacedLetter } from '../../../contract/join-words.ts';
import type { SpokenForm } from '../script/spoken-form.ts';
import { type Pair, pairWords } from './pairs.ts';

export interface HeardWord extends SpokenForm, TimeRange {
  /** Letters and digits to compare; not empty. */
  readonly key: string;
  /** 0 to 1; absent if unknown. */
  readonly confidence?: number;
}

/** Where a word of the script was heard. */
export interface Anchor extends TimeRange {
  /** Index of the first heard word there, and of the last. */
  readonly firstHeard: number;
  readonly lastHeard: number;
}

const leastSimilarity = 0.6;
const neighbours = 3;
const enough = 2;
const mostShift = 2;

/** A unit of comparison: a word, a part of a hyphenated one, or a letter in scripts without spaces. */
export interface Unit {
  readonly key: string;
  /** Index of its word. */
  readonly word: number;
  /** Position within the word, 0 to 1. */
  readonly from: number;
  readonly to: number;
}

/**
 * @param keys of the script's words; not empty
 * @returns for each word of the script where it was heard, or null
 */
export function anchorsOf(keys: readonly string[], heard: readonly HeardWord[]): (Anchor | null)[] {
  const [script, sound] = [unitsOf(keys), unitsOf(heard.map(({ key }) => key))];
  const pairs = pairWords(
    script.map(({ key }) => key),
    sound.map(({ key }) => key),
  );
  const firm = firmPairs(pairs, script.length);
  const counts = new Map<number, number>();
  for (const { word } of script) counts.set(word, (counts.get(word) ?? 0) + 1);
  const found = new Map<number, Unit[]>();
  for (const { left, right } of firm) {
    const { word } = script[left] as Unit;
    found.set(word, [...(found.get(word) ?? []), sound[right] as Unit]);
  }
  return keys.map((_, word) => {
    const units = found.get(word) ?? [];
    const [first, last] = [units[0], units.at(-1)];
    if (!first || !last || units.length * 2 < (counts.get(word) ?? 1)) return null;
    return {
      startSeconds: secondsAt(heard, first.word, first.from),
      endSeconds: secondsAt(heard, last.word, last.to),
      firstHeard: first.word,
      lastHeard: last.word,
    };
  });
}

export function unitsOf(keys: readonly string[]): Unit[] {
  return keys.flatMap((key, word) => {
    const parts = unspacedLetter.test(key) ? Array.from(key) : key.split('-').filter((part) => part !== '');
    const total = parts.reduce((sum, part) => sum + part.length, 0);
    let before = 0;
    return parts.map((part) => {
      const from = before / total;
      before += part.length;
      return { key: part, word, from, to: before / total };
    });
  });
}

/** Similar pairs whose neighbours are similar as well, at nearly the same distance. */
function firmPairs(pairs: readonly Pair[], scriptLength: number): Pair[] {
  const like = pairs.filter((pair) => pair.similarity >= leastSimilarity);
  const rightOf = new Map(like.map(({ left, right }) => [left, right]));
  return like.filter(({ left, right }) =>
    [-1, 1].some((direction) => {
      let [there, agreeing] = [0, 0];
      for (let step = 1; step <= neighbours; step += 1) {
        const other = left + direction * step;
        if (other < 0 || other >= scriptLength) continue;
        there += 1;
        const otherRight = rightOf.get(other);
        if (otherRight !== undefined && Math.abs(otherRight - other - (right - left)) <= mostShift) agreeing += 1;
      }
      return scriptLength === 1 || (there > 0 && agreeing >= Math.min(enough, there));
    }),
  );
}

function secondsAt(heard: readonly HeardWord[], word: number, place: number): number {
  const { startSeconds, endSeconds } = heard[word] as HeardWord;
  return startSeconds + place * (endSeconds - startSeconds);
}
