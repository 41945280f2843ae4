// Is a script spoken in a recording? A recogniser that hears badly and a script of another recording both leave few
// words in common. Their phonemes tell them apart: badly heard words still sound like those of the script, in its
// order.
import type { Anchor } from './anchors/anchors.ts';

/** What a recogniser's words say about a script as a whole. */
export type ScriptVerdict = 'spoken' | 'not spoken' | 'not known';

/** The phonemes of each word. */
export interface PhonemesOfBoth {
  readonly script: readonly string[];
  readonly heard: readonly string[];
}

/** Share of phonemes in common above chance: of badly heard scripts it is .16 and more, of others' .10 and less. */
const leastAboveChance = 0.13;
/** A script whose words have no other order, such as a single word, needs this share by itself. */
const leastAlone = 0.6;
/** Orders of the words by which chance is measured. */
const otherOrders = 12;
/** Larger tables are not compared. */
const mostCells = 20e6;
/** Of a longer script that is read at least this share of words was heard, however badly. */
const leastAnchored = 0.1;
/** So many heard words need no comparison: of other scripts one in eight was heard by chance. */
const enoughAnchored = { share: 0.3, words: 3 };

/**
 * The same for a passage without a heard word: the rest of the script speaks for it, so less is enough. Shorter ones,
 * or less heard in their place, say nothing.
 */
const passage = { leastAboveChance: 0.07, phonemes: 30 };
/** With this share of the other words heard, such a passage is not spoken. */
const wellHeard = 0.85;
/** With a smaller share of a script's length heard, what was heard does not tell whether it is spoken. */
const leastHeard = 0.15;
/** A recording shorter than this share of a usual reading cannot hold it. */
const fastest = 0.35;

/**
 * How much better words fit to heard words than the same words in other orders do.
 * @param script the phonemes of each word
 * @param heard likewise; one of both may be a part of the other
 * @returns about 0 for unrelated words, up to .7; null where there is too much to compare
 */
function fitAboveChance(script: readonly string[], heard: readonly string[]): number | null {
  const there = heard.join('');
  const own = script.join('');
  if (own.length * there.length > mostCells) return null;
  const others = Array.from({ length: otherOrders }, (_, order) => reordered(script, order + 1)).filter(
    (text) => text !== own,
  );
  if (others.length === 0) return fit(own, there) >= leastAlone ? 1 : 0;
  const chance = others.reduce((sum, text) => sum + fit(text, there), 0) / others.length;
  return fit(own, there) - chance;
}

/** @param anchored number of the script's words that were heard */
function isSpokenHere({ script, heard }: PhonemesOfBoth, anchored: number): boolean {
  const most = Math.min(script.length, heard.length);
  if (anchored >= Math.max(enoughAnchored.words, enoughAnchored.share * most)) return true;
  const above = fitAboveChance(script, heard);
  if (above === null) return anchored >= leastAnchored * most;
  return above >= leastAboveChance;
}

const lengthOf = (words: readonly string[]): number => words.reduce((sum, word) => sum + word.length, 0);

/** @param room the recording's length in usual readings of the script */
export function verdictOn(sounds: PhonemesOfBoth, anchors: readonly (Anchor | null)[], room: number): ScriptVerdict {
  if (isSpokenHere(sounds, anchors.filter((anchor) => anchor !== null).length)) return 'spoken';
  const isLittle = lengthOf(sounds.heard) < leastHeard * lengthOf(sounds.script);
  return isLittle && room >= fastest ? 'not known' : 'not spoken';
}

/**
 * Indices of the words without the passages in whose place something else was heard. A recogniser that heard the rest
 * of the script badly, too, decides on none of them.
 */
export function likelyWords({ script, heard }: PhonemesOfBoth, anchors: readonly (Anchor | null)[]): number[] {
  const contradicted = new Set<number>();
  let [anchored, rest] = [0, 0];
  for (let from = 0; from < script.length;) {
    let to = from;
    while (to < script.length && !anchors[to]) to += 1;
    const there = heard.slice((anchors[from - 1]?.lastHeard ?? -1) + 1, anchors[to]?.firstHeard ?? heard.length);
    if (isContradicted(script.slice(from, to), there)) for (let at = from; at < to; at += 1) contradicted.add(at);
    else rest += to - from;
    if (to < script.length) [anchored, rest] = [anchored + 1, rest + 1];
    from = to + 1;
  }
  const all = [...script.keys()];
  return anchored < wellHeard * rest ? all : all.filter((index) => !contradicted.has(index));
}

/**
 * Was something else heard in the place of a passage?
 * @param script the phonemes of its words
 * @param heard of the words that were heard there
 */
function isContradicted(script: readonly string[], heard: readonly string[]): boolean {
  if (Math.min(lengthOf(script), lengthOf(heard)) < passage.phonemes) return false;
  return (fitAboveChance(script, heard) ?? 0) < passage.leastAboveChance;
}

/** The same words, mixed: by multiples of the golden ratio, the same ones each time. */
function reordered(words: readonly string[], order: number): string {
  const key = (index: number): number => ((index + 1) * order * 0.618_033_988_75) % 1;
  return [...words.keys()]
    .sort((a, b) => key(a) - key(b))
    .map((index) => words[index])
    .join('');
}

/** The share of the shorter text that is in the longer, in its order, wherever it begins there (Sellers 1980). */
function fit(a: string, b: string): number {
  const [short, long] = a.length <= b.length ? [a, b] : [b, a];
  if (short === '') return 0;
  let before = new Int32Array(long.length + 1);
  let now = new Int32Array(long.length + 1);
  for (let row = 1; row <= short.length; row += 1) {
    const letter = short.codePointAt(row - 1);
    let left = row;
    now[0] = row;
    for (let column = 1; column <= long.length; column += 1) {
      const diagonal = (before[column - 1] as number) + (letter === long.codePointAt(column - 1) ? 0 : 1);
      left = Math.min((before[column] as number) + 1, left + 1, diagonal);
      now[column] = left;
    }
    [before, now] = [now, before];
  }
  return 1 - before.reduce((least, edits) => Math.min(least, edits), short.length) / short.length;
}
