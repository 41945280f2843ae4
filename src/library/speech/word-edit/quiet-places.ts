// Quiet places between words, found in peaks of the sound: what a waveform is drawn from is enough to place a cut.
import type { TimeRange } from '../../core/time-range.ts';
import {
  type QuietPlace,
  type Seam,
  type SeamFinder,
  searchRange,
  seamInPauses,
  type SeamSide,
  startRange,
} from './seam.ts';

/** Peaks of a recording at one number of bins a second. */
export interface PeakLevels {
  readonly perSecond: number;
  readonly count: number;
  /** Greatest distance from zero in the bin, 0 to 1; null: not known (yet). */
  levelAt(bin: number): number | null;
}

/** Bins are looked at over this time, so that one zero crossing is no silence. */
const windowSeconds = 0.014;
/** This much below the word beside it there is only the room: 20 dB. */
const quietShare = 0.1;
/** Shortest silence that is a pause. */
const pauseSeconds = 0.04;
/** A second away from the given time weighs as much as the loudness of the word. */
const awayShare = 1;

/** Where nothing is known of the sound: the middle between two words. */
export const seamByTimes: SeamFinder = (before, after): Seam => ({
  endSeconds: middleOf(before, 'end'),
  startSeconds: middleOf(after, 'start'),
});

function middleOf({ stays, goes }: SeamSide, edge: 'start' | 'end'): number {
  if (goes === null) return edge === 'end' ? stays.endSeconds : stays.startSeconds;
  return edge === 'end'
    ? (stays.endSeconds + Math.max(stays.endSeconds, goes.startSeconds)) / 2
    : (stays.startSeconds + Math.min(stays.startSeconds, goes.endSeconds)) / 2;
}

/** Seams at quiet places. Where peaks are not known, by the times of the words. */
export function quietSeams(peaks: PeakLevels): SeamFinder {
  return (before, after, isMoved = false) => {
    const left = placeOf(peaks, before, 'end');
    const right = placeOf(peaks, after, 'start', isMoved);
    if (left === null || right === null) return seamByTimes(before, after);
    return seamInPauses(left, right, isMoved) ?? { endSeconds: left.at, startSeconds: right.at };
  };
}

/**
 * @param isMoved the pause before the word that stays is heard elsewhere
 * @returns null: the peaks there are not known
 */
function placeOf(peaks: PeakLevels, side: SeamSide, edge: 'start' | 'end', isMoved = false): QuietPlace | null {
  const { stays } = side;
  const goes = isMoved ? null : side.goes;
  if (stays.endSeconds === stays.startSeconds && goes === null) return { at: stays.endSeconds, pause: null };
  const { given, outer, inner } = isMoved ? startRange(side) : searchRange(side, edge);
  const [from, to] = [Math.min(inner, outer), Math.max(inner, outer)];
  const track = levelsBetween(peaks, from - 0.5, to + 0.5);
  const voice = goes ?? stays;
  const word = levelsBetween(peaks, voice.startSeconds, Math.max(voice.endSeconds, voice.startSeconds + 0.02));
  if (track === null || word === null) return null;
  const loudness = word.levels.toSorted()[word.levels.length >> 1] ?? 0;
  let best = track.indexOf(given);
  let least = Number.POSITIVE_INFINITY;
  for (let index = track.indexOf(from); index <= track.indexOf(to); index++) {
    const cost = (track.levels[index] ?? 0) + Math.abs(track.secondsOf(index) - given) * awayShare * loudness;
    if (cost < least) [best, least] = [index, cost];
  }
  return { at: track.secondsOf(best), pause: pauseAround(track, best, loudness * quietShare) };
}

interface Track {
  readonly levels: Float32Array;
  indexOf(seconds: number): number;
  secondsOf(index: number): number;
}

function levelsBetween({ perSecond, count, levelAt }: PeakLevels, from: number, to: number): Track | null {
  const first = Math.min(count - 1, Math.max(0, Math.floor(from * perSecond)));
  const last = Math.min(count - 1, Math.max(first, Math.ceil(to * perSecond)));
  const bins = new Float32Array(last - first + 1);
  for (let bin = first; bin <= last; bin++) {
    const level = levelAt(bin);
    if (level === null) return null;
    bins[bin - first] = level;
  }
  const reach = Math.max(0, Math.round((windowSeconds * perSecond - 1) / 2));
  const levels = bins.map((_, index) => {
    let most = 0;
    for (let at = Math.max(0, index - reach); at <= Math.min(bins.length - 1, index + reach); at++)
      most = Math.max(most, bins[at] ?? 0);
    return most;
  });
  return {
    levels,
    indexOf: (seconds) => Math.min(levels.length - 1, Math.max(0, Math.round(seconds * perSecond - first - 0.5))),
    secondsOf: (index) => (first + index + 0.5) / perSecond,
  };
}

function pauseAround({ levels, secondsOf }: Track, at: number, most: number): TimeRange | null {
  if ((levels[at] ?? 1) > most) return null;
  let [from, to] = [at, at];
  while (from > 0 && (levels[from - 1] ?? 1) <= most) from -= 1;
  while (to < levels.length - 1 && (levels[to + 1] ?? 1) <= most) to += 1;
  const pause = { startSeconds: secondsOf(from), endSeconds: secondsOf(to) };
  return pause.endSeconds - pause.startSeconds < pauseSeconds ? null : pause;
}
