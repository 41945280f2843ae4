// Frame rates as fractions, and clips on their grid.
import { type FrameRate, timebaseOf, timecodeOf } from '../../core/timecode.ts';
import type { Timeline, TimelineClip, TimelineMarker, TimelineSource } from './timeline.ts';

/** How far a stated rate may be from the one that is meant: 23.976 for 24000/1001, relative. */
const rateTolerance = 2e-4;

/** The fraction of a rate that a file states as a number: 29.97 is 30000/1001. */
export function frameRateOf(perSecond: number): FrameRate {
  const isNear = (rate: number): boolean => Math.abs(perSecond - rate) / rate < rateTolerance;
  const whole = Math.round(perSecond);
  if (whole > 0 && isNear(whole)) return { num: whole, den: 1 };
  const ntsc = Math.round(perSecond * 1.001);
  if (ntsc > 0 && isNear(ntsc / 1.001)) return { num: ntsc * 1000, den: 1001 };
  return { num: Math.round(perSecond * 1000), den: 1000 };
}

/** One of whole pictures a second, or of NTSC; others are averages of files whose pictures come at no steady rate. */
export const isUsual = ({ den }: FrameRate): boolean => den === 1 || den === 1001;

export const isNtsc = ({ den }: FrameRate): boolean => den === 1001;

/** Frames whose digits count: an end and the start after it, summed in another order, are one place. */
const digits = 1e6;

/** The nearest frame; halves go up, also where a sum of times is a last digit short of one. */
export const framesAt = (seconds: number, { num, den }: FrameRate): number =>
  Math.round(Math.round(((seconds * num) / den) * digits) / digits);

/**
 * The grid of formats that count pictures: the timeline's, else of its first pictures, else the finest that the format
 * knows, so that sound alone is cut as near as it can.
 */
export const gridOf = ({ rate, sources }: Timeline, finest: FrameRate): FrameRate =>
  rate ?? sources.find(({ picture }) => picture !== null)?.picture?.rate ?? finest;

/**
 * A clip on a grid, in frames. Its length follows from its ends in the timeline: no rounding adds up over many cuts.
 */
export interface GridClip {
  /** In the source, without its timecode. */
  readonly start: number;
  readonly length: number;
  /** In the timeline. */
  readonly at: number;
}

/** @returns null for a clip that is shorter than half a frame, and so in none */
export function onGrid({ startSeconds, endSeconds, atSeconds }: TimelineClip, rate: FrameRate): GridClip | null {
  const at = framesAt(atSeconds, rate);
  const length = framesAt(atSeconds + endSeconds - startSeconds, rate) - at;
  return length > 0 ? { start: framesAt(startSeconds, rate), length, at } : null;
}

/** The source's first frame by its own clock, on a grid. */
export const clockStart = ({ startFrames, picture }: TimelineSource, grid: FrameRate): number =>
  startFrames === null || picture === null ? 0 : framesAt((startFrames * picture.rate.den) / picture.rate.num, grid);

/** Drop-frame timecode is for 29.97 and 59.94: it leaves out 2 or 4 numbers a minute, but not in each tenth. */
export const dropsFrames = (rate: FrameRate): boolean => isNtsc(rate) && timebaseOf(rate) % 30 === 0;

/** "00:01:00;02": hours, minutes, seconds, frames; a semicolon where numbers are left out. */
export const timecode = (frames: number, rate: FrameRate): string =>
  timecodeOf(frames, rate, dropsFrames(rate) ? ';' : ':');

/** Finds the markers of a stretch of the timeline, in frames, in order. */
export function markersOn(
  markers: readonly TimelineMarker[],
  rate: FrameRate,
): (at: number, end: number) => { readonly marker: TimelineMarker; readonly frame: number }[] {
  const all = markers
    .map((marker) => ({ marker, frame: framesAt(marker.atSeconds, rate) }))
    .toSorted((a, b) => a.frame - b.frame);
  const firstFrom = (frame: number): number => {
    let [low, high] = [0, all.length];
    while (low < high) {
      const middle = (low + high) >> 1;
      if ((all[middle]?.frame ?? 0) < frame) low = middle + 1;
      else high = middle;
    }
    return low;
  };
  return (at, end) => all.slice(firstFrom(at), firstFrom(end));
}
