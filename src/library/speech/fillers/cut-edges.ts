// Where a cut begins and ends: times of words are right to some hundredths of a second, the waveform tells the rest.
import type { TimeRange } from '../../core/time-range.ts';
import { speechRate, type SpeechSound } from '../speech-sound.ts';
import { hopSeconds, type LevelTrack, levelTrack } from './level-track.ts';

/** What is to go, and what lies beside it and must stay. */
export interface CutPlace extends TimeRange {
  /** The last word before it that stays; null at the start of the recording. */
  readonly before: TimeRange | null;
  /** The first word after it that stays. */
  readonly after: TimeRange | null;
  /** Where its sound surely begins and ends; null, or absent: known by its time only. */
  readonly sounds?: { readonly startSeconds: number | null; readonly endSeconds: number | null };
}

/** So far around the cut the recording says what its room and its voice sound like. */
const contextSeconds = 4;
/** A word's time is rarely wrong by more. */
const searchSeconds = 0.22;
/** From here, inside of the filler, its edges are looked for outwards. */
const insideSeconds = 0.06;
/** A valley between two words is one that is that much deeper than what lies on both sides of it. */
const valleyDb = 6;
/** A second away from the time that was given costs as much. */
const awayDb = 60;
/** Words begin and end more softly than they sound: breath, reverberation, an s. */
const wordGuardSeconds = 0.08;
const fillerGuardSeconds = 0.04;
/** Shorter cuts are heard and spare nothing. */
const shortestSeconds = 0.04;

/**
 * Cuts on the quietest point between what goes and what stays. Of the pauses on both sides the longer one stays whole,
 * with its breath, and the other goes: what is left is paced as it was spoken.
 *
 * @returns null where nothing can be cut out that leaves the words beside it whole
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
  const left = valley(track, { from: onset, to: track.indexOf(earliest) }, track.indexOf(place.startSeconds), loudness);
  const right = valley(track, { from: offset, to: track.indexOf(latest) }, track.indexOf(place.endSeconds), loudness);
  // In noise a filler begins and ends softer than the room: by its own time it is none of the pause beside it.
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
interface Silence {
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

/** The middle one of some levels, at least one. */
const median = (levels: Float32Array): number => levels.toSorted()[levels.length >> 1]!;

/** From where to where a valley is looked for, by indices of the track. */
interface Way {
  readonly from: number;
  readonly to: number;
}

/**
 * The nearest deep point on the way from inside of the filler outwards: the way ends where the next sound begins, so
 * that the closure before a burst, as in "but", is not taken for the gap behind its word. Where voice runs into voice
 * and nothing is deep, beside the filler (of that loudness in dBFS) or beside the next sound, the time that was given
 * counts: a word that swells has no gap at its softest moment.
 */
function valley({ levels, silenceDbfs }: LevelTrack, { from, to }: Way, given: number, loudness: number): number {
  const step = to < from ? -1 : 1;
  const cost = (at: number): number => levels[at]! + awayDb * hopSeconds * Math.abs(at - given);
  let lowest = from;
  let best = from;
  const isDeep = (): boolean => levels[lowest]! <= Math.max(silenceDbfs, loudness - valleyDb);
  for (let at = from; at !== to + step; at += step) {
    const level = levels[at]!;
    if (level < levels[lowest]!) lowest = at;
    // In the room's own tone there is no next sound yet.
    else if (isDeep() && level > Math.max(levels[lowest]!, silenceDbfs) + valleyDb) return lowest;
    if (cost(at) < cost(best)) best = at;
  }
  return levels[lowest]! <= silenceDbfs ? lowest : best;
}

/** The silence that the moment lies in, between two times; null when it is not silent there. */
function silenceAround(track: LevelTrack, at: number, fromSeconds: number, toSeconds: number): Silence | null {
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
 * Voice runs into voice: the end moves by less than a period of it, to where both sides swing alike (as in WSOLA,
 * Verhelst and Roelands 1993).
 */
function alignPeriods(sound: SpeechSound, { startSeconds, endSeconds }: TimeRange): number {
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
