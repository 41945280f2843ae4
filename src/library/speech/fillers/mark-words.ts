// Marks the words of a verbatim transcript that can be cut: fillers, and accidental repetitions.
import type { SpokenWord } from '../spoken-word.ts';
import { unspacedLetter } from '../../contract/join-words.ts';
import { bareWord, isBrokenOff, isMarkedOff, isStopped } from './bare-word.ts';
import { fillersOf, type Fillers } from './filler-lists.ts';

/** `false_start`: a word that breaks off and is said again whole. */
export type MarkKind = 'filler' | 'repeat' | 'false_start';

/** As in a transcript. */
export interface MarkableWord extends SpokenWord {
  readonly speaker?: number;
}

/** A pause that sets a word apart where no punctuation does. */
const apartSeconds = 0.2;
/** A meaningful word takes less time than a hesitation. */
const drawnOutSeconds = 0.25;
/** Further apart, the same words are a deliberate repetition. */
const repeatSeconds = 1;
/** In scripts without spaces, syllables double within words; a stumble includes a short stop. */
const stumbleSeconds = 0.08;
const longestRepeat = 3;
/** A longer word said three times is meant ("words, words, words"); short ones stutter on ("I I I I"). */
const mostCopies = 2;
const stutterLetters = 3;
/** A filler may be transcribed as several words: "え" "ー" "と". */
const mostParts = 3;

interface Bare extends MarkableWord {
  readonly bare: string;
}

/**
 * One mark for each word; null: it is kept. Of a repetition the first is marked.
 *
 * @param words in order of time
 * @param language one without a list of fillers (`fillersOf`) has no fillers; repeats are still found
 */
export function markWords(words: readonly MarkableWord[], language: string): (MarkKind | null)[] {
  const fillers = fillersOf(language);
  const bare = words.map((word): Bare => ({ ...word, bare: bareWord(word.text) }));
  const marks = bare.map((): MarkKind | null => null);
  if (fillers) markFillers(bare, marks, fillers);
  markRepeats(bare, marks, fillers);
  return marks;
}

function markFillers(words: readonly Bare[], marks: (MarkKind | null)[], fillers: Fillers): void {
  const shouting = words.every(({ text }) => text === text.toUpperCase());
  for (let at = 0; at < words.length; at++) {
    const parts = partsOfFiller(words, at, fillers, shouting);
    for (let part = 0; part < parts; part++) marks[at + part] = 'filler';
    if (parts > 0) at += parts - 1;
  }
}

/** How many words from here on are one filler together. */
function partsOfFiller(words: readonly Bare[], at: number, fillers: Fillers, shouting: boolean): number {
  const first = words[at]!;
  let together = '';
  let parts = 0;
  for (let end = at; end < Math.min(words.length, at + mostParts); end++) {
    const word = words[end]!;
    // Words touch only in scripts without spaces.
    if (end > at && !(unspacedLetter.test(first.bare) && unspacedLetter.test(word.bare))) break;
    if (end > at && (isMarkedOff(words[end - 1]!.text) || word.startSeconds - words[end - 1]!.endSeconds > 0.5)) break;
    together += word.bare;
    if (isFiller(words, at, end, together, fillers, shouting)) parts = end - at + 1;
  }
  return parts;
}

function isFiller(
  words: readonly Bare[],
  from: number,
  to: number,
  together: string,
  fillers: Fillers,
  shouting: boolean,
): boolean {
  if (together === '') return false;
  const first = words[from]!;
  const last = words[to]!;
  const before = words[from - 1];
  const after = words[to + 1];
  // "HMM" is an abbreviation, "5 mm" a length, "uh oh" and "Hm?" have a meaning.
  if (!shouting && /^\p{Lu}{2,}$/u.test(first.text.replaceAll(/[^\p{L}]/gu, ''))) return false;
  if (before !== undefined && /\d$/.test(before.bare) && together === 'mm') return false;
  if (/\?/.test(last.text)) return false;
  if (after !== undefined && !isStopped(last.text) && fillers.notBefore.has(after.bare)) return false;
  if (fillers.isAlways(together)) return true;
  if (!fillers.isWhenSetApart(together)) return false;
  const leftApart =
    fillers.apartAfter ||
    before === undefined ||
    isMarkedOff(before.text) ||
    first.startSeconds - before.endSeconds >= apartSeconds;
  const rightApart =
    after === undefined || isMarkedOff(last.text) || after.startSeconds - last.endSeconds >= apartSeconds;
  return leftApart && rightApart && last.endSeconds - first.startSeconds >= drawnOutSeconds;
}

function markRepeats(words: readonly Bare[], marks: (MarkKind | null)[], fillers: Fillers | null): void {
  // A filler between two copies does not hide a repetition: "the um the".
  const said = words.flatMap((word, index) => (marks[index] === null && word.bare !== '' ? [index] : []));
  const wordAt = (at: number): Bare | undefined => (said[at] === undefined ? undefined : words[said[at]]);
  const mark = (from: number, to: number, kind: MarkKind = 'repeat'): void => {
    for (let index = said[from]!; index < said[to]!; index++) marks[index] ??= kind;
  };
  for (let at = 0; at < said.length; at++) {
    if (isFalseStart(wordAt(at)!, wordAt(at + 1))) {
      mark(at, at + 1, 'false_start');
      continue;
    }
    for (let length = longestRepeat; length >= 1; length--) {
      // "words words, words words" is one word said four times.
      if (length > 1 && isOneWord(wordAt, at, length)) continue;
      const copies = copiesFrom(wordAt, at, length);
      if (copies < 2) continue;
      if (isSlip(wordAt, at, length, copies, fillers)) mark(at, at + (copies - 1) * length);
      // Skip what was judged: "words words words words" does not contain three copies.
      at += (copies - 1) * length - 1;
      break;
    }
  }
}

type WordAt = (at: number) => Bare | undefined;

function isOneWord(wordAt: WordAt, at: number, length: number): boolean {
  for (let part = 1; part < length; part++) if (wordAt(at + part)?.bare !== wordAt(at)?.bare) return false;
  return true;
}

/** "wh- what", "I- I". */
function isFalseStart(word: Bare, next: Bare | undefined): boolean {
  return (
    next !== undefined &&
    isBrokenOff(word.text) &&
    word.bare !== '' &&
    next.bare.startsWith(word.bare) &&
    word.speaker === next.speaker &&
    next.startSeconds - word.endSeconds < repeatSeconds
  );
}

/** How often the words from `at` on are said in a row. */
function copiesFrom(wordAt: WordAt, at: number, length: number): number {
  let copies = 1;
  while (isCopy(wordAt, at + (copies - 1) * length, length)) copies += 1;
  return copies;
}

function isCopy(wordAt: WordAt, at: number, length: number): boolean {
  for (let part = 0; part < length; part++) {
    const one = wordAt(at + part);
    const other = wordAt(at + part + length);
    if (one === undefined || other?.bare !== one.bare || other.speaker !== one.speaker || isStopped(one.text))
      return false;
  }
  const last = wordAt(at + length - 1)!;
  const pause = wordAt(at + length)!.startSeconds - last.endSeconds;
  return pause < repeatSeconds && (!unspacedLetter.test(last.bare) || pause >= stumbleSeconds);
}

function isSlip(wordAt: WordAt, at: number, length: number, copies: number, fillers: Fillers | null): boolean {
  const words = Array.from({ length }, (_, part) => wordAt(at + part)!);
  if (words.some(({ bare }) => /\p{N}/u.test(bare))) return false;
  const [first, second] = words as [Bare, Bare?];
  if (copies > mostCopies && words.some(({ bare }) => bare.length > stutterLetters)) return false;
  if (length === 1) {
    // Letters of a spelt name.
    if (/^\p{Lu}\p{P}*$/u.test(first.text) && first.bare !== 'i') return false;
    return !fillers?.doubled.has(first.bare);
  }
  // "over and over and over", "on and on and on".
  if (length === 2 && second !== undefined) {
    const around = [wordAt(at - 1)?.bare, wordAt(at + copies * length)?.bare];
    if (fillers?.joining.has(first.bare) && around[0] === second.bare) return false;
    if (fillers?.joining.has(second.bare) && around[1] === first.bare) return false;
  }
  return true;
}
