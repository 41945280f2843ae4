// For a script that is far longer than its recording: the passages that can have been spoken, where phrases that a
// recogniser heard are close together, with as many words around them as there is time for. The other words cost one
// look each.
import { unspacedLetter } from '../../../contract/join-words.ts';
import { type HeardWord, unitsOf } from './anchors.ts';

/** A range of words by index; `to` is exclusive. */
export interface WordRange {
  readonly from: number;
  readonly to: number;
}

/** More letters than anyone can speak; below this, aligning everything is cheap. */
const mostLetters = { perSecond: 60, more: 3000 };
/** Letters that may be spoken around a heard passage in the available time; the recogniser's times are not exact. */
const room = { lettersPerSecond: 25, more: 80 };
/** A reader's pace, where nothing was heard. */
const usualLettersPerSecond = 15;
/** A letter of a script without spaces takes as long as several of ours. */
const lettersPerSyllable = 3;

const phraseLengths = [4, 3, 2, 1] as const;
/** A phrase that occurs more often in the script says nothing about the position. */
const mostPlaces = 8;
/** Phrases within this distance in both, and at nearly the same one, belong together. */
const reach = 80;
const mostShift = 20;
/** Least number of common words that justifies a jump to another part of the script. */
const jumpCost = 6;
/** A phrase may start with words of the previous passage. */
const overlap = 3;
const mostPassages = 3000;
/** With this share of the heard words found, shorter phrases are not needed. */
const enoughHeard = 0.6;

interface Passage {
  readonly scriptFrom: number;
  scriptTo: number;
  readonly heardFrom: number;
  heardTo: number;
  /** Number of common units. */
  common: number;
}

/**
 * @param keys of the script's words; not empty
 * @param heard null: no recogniser. Then the start of the script is taken
 * @returns in order, without overlaps; null: all of the script may have been spoken
 */
export function sayable(
  keys: readonly string[],
  heard: readonly HeardWord[] | null,
  durationSeconds: number,
): WordRange[] | null {
  const letters = keys.map((key) => (unspacedLetter.test(key) ? lettersPerSyllable : 1) * key.length);
  const all = letters.reduce((sum, count) => sum + count, 0);
  if (all <= mostLetters.perSecond * durationSeconds + mostLetters.more) return null;
  if (heard === null) {
    const to = reached(letters, 0, 1, usualLettersPerSecond * durationSeconds + room.more);
    return [{ from: 0, to }];
  }
  const [script, sound] = [unitsOf(keys), unitsOf(heard.map(({ key }) => key))];
  const passages = findPassages(
    script.map(({ key }) => key),
    sound.map(({ key }) => key),
  );
  const ranges: WordRange[] = [];
  let heardUntil = 0;
  for (const [index, passage] of passages.entries()) {
    const next = passages[index + 1];
    const word = (list: readonly { readonly word: number }[], unit: number): number => list[unit]?.word ?? 0;
    const startSeconds = heard[word(sound, passage.heardFrom)]?.startSeconds ?? 0;
    const endSeconds = heard[word(sound, passage.heardTo - 1)]?.endSeconds ?? durationSeconds;
    const nextSeconds = next ? (heard[word(sound, next.heardFrom)]?.startSeconds ?? 0) : durationSeconds;
    const before = room.lettersPerSecond * Math.max(0, startSeconds - heardUntil) + room.more;
    const after = room.lettersPerSecond * Math.max(0, nextSeconds - endSeconds) + room.more;
    const from = reached(letters, word(script, passage.scriptFrom), -1, before);
    const to = reached(letters, word(script, passage.scriptTo - 1) + 1, 1, after);
    const last = ranges.at(-1);
    if (last && from <= last.to) ranges[ranges.length - 1] = { from: last.from, to: Math.max(to, last.to) };
    else ranges.push({ from, to });
    heardUntil = endSeconds;
  }
  return ranges;
}

/** Where this number of letters ends, on one side of a position between words. */
function reached(letters: readonly number[], start: number, direction: 1 | -1, count: number): number {
  let [at, left] = [start, count];
  for (;;) {
    const next = letters[direction > 0 ? at : at - 1];
    if (next === undefined || next > left) return at;
    left -= next;
    at += direction;
  }
}

/** The chain of passages, rising in both, with the most common units. */
function findPassages(script: readonly string[], sound: readonly string[]): Passage[] {
  let best: Passage[] = [];
  let most = 0;
  for (const length of phraseLengths) {
    const chain = bestChain(passagesWith(script, sound, length));
    const common = chain.reduce((sum, passage) => sum + passage.common, 0);
    if (common > most) [best, most] = [chain, common];
    if (most >= enoughHeard * sound.length) break;
  }
  return best;
}

/** Runs of phrases of this length that occur in both lists, at nearly the same distance from each other. */
function passagesWith(script: readonly string[], sound: readonly string[], length: number): Passage[] {
  const phrase = (list: readonly string[], at: number): string => list.slice(at, at + length).join(' ');
  const heardAt = new Map<string, number[]>();
  for (let at = 0; at + length <= sound.length; at += 1) {
    const key = phrase(sound, at);
    heardAt.set(key, [...(heardAt.get(key) ?? []).slice(0, mostPlaces), at]);
  }
  const first = new Set(sound);
  const writtenAt = new Map<string, number[]>();
  for (let at = 0; at + length <= script.length; at += 1) {
    if (!first.has(script[at] as string)) continue;
    const key = phrase(script, at);
    if (!heardAt.has(key)) continue;
    const places = writtenAt.get(key);
    if (!places) writtenAt.set(key, [at]);
    else if (places.length <= mostPlaces) places.push(at);
  }
  const shared = [...writtenAt].flatMap(([key, places]) => {
    const there = heardAt.get(key) ?? [];
    if (places.length > mostPlaces || there.length > mostPlaces) return [];
    return places.flatMap((left) => there.map((right) => ({ left, right })));
  });
  shared.sort((a, b) => a.left - b.left || a.right - b.right);
  const passages: Passage[] = [];
  let open: Passage[] = [];
  for (const { left, right } of shared) {
    open = open.filter(({ scriptTo }) => left - scriptTo <= reach);
    let [nearest, least] = [null as Passage | null, mostShift + 1];
    for (const passage of open) {
      const [onLeft, onRight] = [left + length - passage.scriptTo, right + length - passage.heardTo];
      const shift = Math.abs(onLeft - onRight);
      if (onLeft > 0 && onRight > 0 && onRight <= reach && shift < least) [nearest, least] = [passage, shift];
    }
    if (nearest) {
      nearest.common += Math.min(length, right + length - nearest.heardTo);
      [nearest.scriptTo, nearest.heardTo] = [left + length, right + length];
      continue;
    }
    const begun = { scriptFrom: left, scriptTo: left + length, heardFrom: right, heardTo: right + length };
    const passage: Passage = { ...begun, common: length };
    passages.push(passage);
    open.push(passage);
  }
  // A single phrase may be a coincidence, unless hardly more was heard.
  const fewest = Math.min(length + 1, sound.length);
  return passages.filter(({ common }) => common >= fewest);
}

function bestChain(passages: readonly Passage[]): Passage[] {
  const strongest = passages.toSorted((a, b) => b.common - a.common).slice(0, mostPassages);
  const rows = strongest.toSorted((a, b) => a.scriptFrom - b.scriptFrom);
  const totals: number[] = [];
  const previous: number[] = [];
  let end = -1;
  for (const [index, passage] of rows.entries()) {
    let [most, from] = [0, -1];
    for (let before = 0; before < index; before += 1) {
      const { scriptTo, heardTo } = rows[before] as Passage;
      const total = (totals[before] as number) - jumpCost;
      const follows = scriptTo <= passage.scriptFrom + overlap && heardTo <= passage.heardFrom + overlap;
      if (follows && total > most) [most, from] = [total, before];
    }
    totals[index] = most + passage.common;
    previous[index] = from;
    if (end < 0 || most + passage.common > (totals[end] as number)) end = index;
  }
  const chain: Passage[] = [];
  for (let at = end; at >= 0; at = previous[at] as number) chain.push(rows[at] as Passage);
  return chain.toReversed();
}
