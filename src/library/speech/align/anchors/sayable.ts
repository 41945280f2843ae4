// What of a script that is far longer than its recording can have been said there: the passages in which phrases of what a
// recogniser heard lie beside each other, and as much around them as there is time for. All else costs one look at each
// of its words.
import { unspacedLetter } from '../../transcript/join-words.ts';
import { type HeardWord, unitsOf } from './anchors.ts';

/** Words of a list, by their indices; `to` is behind the last. */
export interface WordRange {
  readonly from: number;
  readonly to: number;
}

/** Nobody says as many letters, and so many more cost nothing to speak of. */
const mostLetters = { perSecond: 60, more: 3000 };
/** What may be said beside a passage that was heard, in the time that there is; the recogniser's times are not exact. */
const room = { lettersPerSecond: 25, more: 80 };
/** At the pace of a reader, for want of anything that was heard. */
const usualLettersPerSecond = 15;
/** A letter of a script whose words touch takes as long as some of ours. */
const lettersPerSyllable = 3;

const phraseLengths = [4, 3, 2, 1] as const;
/** A phrase that the script has more often says nothing about the place. */
const mostPlaces = 8;
/** Phrases whose distance is at most this in both, and nearly the same, belong together. */
const reach = 80;
const mostShift = 20;
/** Words in common that a jump to another place of the script has to bring. */
const jumpCost = 6;
/** A phrase may begin with words that belong to the passage before. */
const overlap = 3;
const mostPassages = 3000;
/** With this share of what was heard, there is no need for shorter phrases. */
const enoughHeard = 0.6;

interface Passage {
  readonly scriptFrom: number;
  scriptTo: number;
  readonly heardFrom: number;
  heardTo: number;
  /** Units that both have in common. */
  common: number;
}

/**
 * @param keys of the script's words; not empty
 * @param heard null: nothing listened. Then it is the beginning of the script
 * @returns in order, apart from each other; null: nothing speaks against all of it
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

/** Where so many letters on that side of a place between words are used up. */
function reached(letters: readonly number[], start: number, direction: 1 | -1, count: number): number {
  let [at, left] = [start, count];
  for (;;) {
    const next = letters[direction > 0 ? at : at - 1];
    if (next === undefined || next > left) return at;
    left -= next;
    at += direction;
  }
}

/** The chain of passages, rising in both, that has most in common. */
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

/** Runs of phrases of that length that stand in both lists, at nearly the same distance from each other. */
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
  // A single phrase may be chance, unless hardly more was heard.
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
