// Finds where a cut starts and ends: times of words are exact to some hundredths of a second, the waveform tells the
// rest.
import type { TimeRange } from '../../core/time-range.ts';
import { speechRate, type SpeechSound } from '../speech-sound.ts';
import {
  fillerGuardSeconds,
  insideSeconds,
  searchSeconds,
  shortestSeconds,
  wordGuardSeconds,
} from '../word-edit/seam.ts';
import { contextSeconds, hopSeconds, type LevelTrack, levelTrack } from './level-track.ts';

/** A range to cut, with its neighbours, which must stay. */
export interface CutPlace extends TimeRange {
  /** The last kept word before it; null at the start of the recording. */
  readonly before: TimeRange | null;
  /** The first kept word after it. */
  readonly after: TimeRange | null;
  /** No hesitation: words that are said twice, or broken off. Default: false. */
  readonly isWords?: boolean;
  /** Certain start and end of its sound; null or absent: known by its time only. */
  readonly sounds?: { readonly startSeconds: number | null; readonly endSeconds: number | null };
}

/** A valley between two words is this much deeper than both sides. */
const valleyDb = 6;
/** A word that is not this far away follows at once. */
const fluentSeconds = 0.05;
/** Further within a word that follows at once, a silence is one of its consonants. */
const nearSeconds = 0.1;
/** Cost of a second of distance from the given time. */
const awayDb = 60;

/**
 * Cuts at the quietest point between what is removed and what is kept. Of the pauses on both sides the longer one is
 * kept whole, with its breath, and the other is removed, so that the pace stays natural.
 *
 * @returns null where no cut leaves the neighbouring words whole
 */
export function cutEdges(sound: SpeechSound, place: CutPlace): TimeRange | null {
  const { before, after, sounds } = place;
  const track = levelTrack(sound, place.startSeconds - contextSeconds, place.endSeconds + contextSeconds);
  const middle = (place.startSeconds + place.endSeconds) / 2;
  const inside = Math.min(insideSeconds, (place.endSeconds - place.startSeconds) / 3);
  const earliest = Math.max(
    0,
    place.startSeconds - searchSeconds,
    before === null ? 0 : Math.min((before.startSeconds + before.endSeconds) / 2, middle),
  );
  const latest = Math.min(
    sound.durationSeconds,
    place.endSeconds + searchSeconds,
    after === null ? Number.POSITIVE_INFINITY : Math.max((after.startSeconds + after.endSeconds) / 2, middle),
  );
  const onset = track.indexOf(place.startSeconds + inside);
  const offset = track.indexOf(place.endSeconds - inside);
  const loudness = median(track.levels.subarray(onset, Math.max(onset, offset) + 1));
  const isWords = place.isWords === true;
  const fluentBefore = before !== null && place.startSeconds - before.endSeconds < fluentSeconds;
  const fluentAfter = after !== null && after.startSeconds - place.endSeconds < fluentSeconds;
  const left = valley(
    track,
    { from: onset, to: track.indexOf(earliest), isFluent: fluentBefore, isWords },
    track.indexOf(place.startSeconds),
    loudness,
  );
  const right = valley(
    track,
    { from: offset, to: track.indexOf(latest), isFluent: fluentAfter, isWords },
    track.indexOf(place.endSeconds),
    loudness,
  );
  // In noise a filler starts and ends below the room's level: its own time does not belong to the neighbouring pause.
  const begun = Math.min(place.startSeconds + inside, sounds?.startSeconds ?? Number.POSITIVE_INFINITY);
  const over = Math.max(place.endSeconds - inside, sounds?.endSeconds ?? 0);
  const pauseBefore = silenceAround(track, left, before === null ? 0 : before.startSeconds, begun);
  const pauseAfter = silenceAround(track, right, over, after?.endSeconds ?? sound.durationSeconds);
  const range = placeInPauses(track, { left, right, pauseBefore, pauseAfter });
  const seamless =
    pauseBefore === null && pauseAfter === null && before !== null && after !== null
      ? { ...range, endSeconds: alignPeriods(sound, range) }
      : range;
  return seamless.endSeconds - seamless.startSeconds < shortestSeconds ? null : seamless;
}

/** A stretch of room tone, by indices of the track. */
export interface Silence {
  readonly from: number;
  readonly to: number;
}

interface Found {
  readonly left: number;
  readonly right: number;
  readonly pauseBefore: Silence | null;
  readonly pauseAfter: Silence | null;
}

function placeInPauses(track: LevelTrack, { left, right, pauseBefore, pauseAfter }: Found): TimeRange {
  const wordGuard = Math.round(wordGuardSeconds / hopSeconds);
  const fillerGuard = Math.round(fillerGuardSeconds / hopSeconds);
  const length = (pause: Silence | null): number => (pause === null ? 0 : pause.to - pause.from);
  let start = left;
  let end = right;
  if (pauseBefore !== null && length(pauseBefore) >= length(pauseAfter)) {
    start = Math.max(pauseBefore.from, pauseBefore.to - Math.min(fillerGuard, Math.ceil(length(pauseBefore) / 3)));
    if (pauseAfter !== null) end = Math.max(right, pauseAfter.to - wordGuard);
  } else if (pauseAfter !== null) {
    end = pauseAfter.from + Math.min(fillerGuard, Math.ceil(length(pauseAfter) / 3));
    if (pauseBefore !== null) start = Math.min(left, pauseBefore.from + wordGuard);
  }
  return { startSeconds: track.secondsOf(start), endSeconds: track.secondsOf(end) };
}

/** Median of at least one level. */
export const median = (levels: Float32Array): number => levels.toSorted()[levels.length >> 1]!;

/** The range in which a valley is searched, by indices of the track. */
interface Way {
  readonly from: number;
  readonly to: number;
  /** The next word follows at once: a soft consonant far within it is no gap. */
  readonly isFluent?: boolean;
  /** As in a place. */
  readonly isWords?: boolean;
}

/**
 * The nearest deep point from inside the filler outwards. The search ends where the next sound starts, so that the
 * closure before a plosive, as in "but", is not taken for the gap after its word. Where one voice runs into the next
 * and no point is deep compared with the filler (of that loudness in dBFS) or the next sound, the given time counts:
 * the softest moment of a swelling word is not a gap.
 */
export function valley(
  { levels, silenceDbfs }: LevelTrack,
  { from, to, isFluent = false, isWords = false }: Way,
  given: number,
  loudness: number,
): number {
  const step = to < from ? -1 : 1;
  const cost = (at: number): number => levels[at]! + awayDb * hopSeconds * Math.abs(at - given);
  let lowest = from;
  let best = from;
  const isDeep = (): boolean => levels[lowest]! <= Math.max(silenceDbfs, loudness - valleyDb);
  const isWithinNext = (): boolean => hopSeconds * Math.abs(lowest - given) > nearSeconds;
  for (let at = from; at !== to + step; at += step) {
    const level = levels[at]!;
    if (level < levels[lowest]!) lowest = at;
    // Within room tone, the next sound has not started.
    else if (isDeep() && level > Math.max(levels[lowest]!, silenceDbfs) + valleyDb)
      return isFluent && isWithinNext() ? best : lowest;
    if (cost(at) < cost(best)) best = at;
  }
  // Where a hesitation ends is told by its sound; words that are said twice end about where they are given.
  return levels[lowest]! <= silenceDbfs && !(isFluent && isWords && isWithinNext()) ? lowest : best;
}

/** The silence around a moment, between two times; null when it is not silent there. */
export function silenceAround(track: LevelTrack, at: number, fromSeconds: number, toSeconds: number): Silence | null {
  const { levels, silenceDbfs } = track;
  if (levels[at]! > silenceDbfs) return null;
  let from = at;
  let to = at;
  const first = track.indexOf(fromSeconds);
  const last = track.indexOf(toSeconds);
  while (from > first && levels[from - 1]! <= silenceDbfs) from -= 1;
  while (to < last && levels[to + 1]! <= silenceDbfs) to += 1;
  return { from, to };
}

const alignReachSeconds = 0.008;
const alignWindowSeconds = 0.02;

/**
 * Voice runs into voice: moves the end by less than a period, to where both sides are in phase (as in WSOLA, Verhelst
 * and Roelands 1993).
 */
export function alignPeriods(sound: SpeechSound, { startSeconds, endSeconds }: TimeRange): number {
  const half = Math.round((alignWindowSeconds * speechRate) / 2);
  const reach = Math.round(alignReachSeconds * speechRate);
  const out = sound.read(Math.round(startSeconds * speechRate) - half, 2 * half);
  const end = Math.round(endSeconds * speechRate);
  const around = sound.read(end - half - reach, 2 * (half + reach));
  let best = 0;
  let bestLikeness = Number.NEGATIVE_INFINITY;
  for (let shift = -reach; shift <= reach; shift++) {
    let product = 0;
    let energy = 1e-9;
    for (let at = 0; at < 2 * half; at++) {
      const sample = around[at + shift + reach]!;
      product += out[at]! * sample;
      energy += sample * sample;
    }
    const likeness = product / Math.sqrt(energy);
    if (likeness > bestLikeness) [best, bestLikeness] = [shift, likeness];
  }
  return (end + best) / speechRate;
}
