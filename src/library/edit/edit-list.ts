// The kept parts of a recording, as data. Computed first; then one renderer applies it to sound, one to pictures, and
// the map moves everything else.
import type { TimeRange } from '../core/time-range.ts';
import { type Kept, stretchesIn } from '../media/kept.ts';

/** Kept frames of the source: from `start` to `end`, exclusive. */
export interface KeepRange {
  readonly start: number;
  readonly end: number;
}

/**
 * Kept ranges in exact frames, ascending, not touching, none empty. The output's length is their sum, to the frame:
 * crossfades at the seams use material on both sides of a cut and shift nothing.
 */
export interface EditList {
  readonly sampleRate: number;
  /** Length of the source in frames. */
  readonly sourceFrames: number;
  readonly keeps: readonly KeepRange[];
  /** Full length of a crossfade, centred on its seam. 0: hard cuts. */
  readonly crossfadeFrames: number;
}

/**
 * Sorted, merged where they overlap or touch, and clipped to 0 .. `length`.
 * @param apart those that only touch stay two
 */
export function mergeRanges(ranges: readonly KeepRange[], length: number, apart = false): KeepRange[] {
  const merged: { start: number; end: number }[] = [];
  for (const range of ranges.toSorted((a, b) => a.start - b.start)) {
    const start = Math.max(0, range.start);
    const end = Math.min(length, range.end);
    if (end <= start) continue;
    const last = merged.at(-1);
    if (last && (apart ? start < last.end : start <= last.end)) last.end = Math.max(last.end, end);
    else merged.push({ start, end });
  }
  return merged;
}

/** 0 .. `length` without the ranges. */
export function complementRanges(ranges: readonly KeepRange[], length: number): KeepRange[] {
  const left: KeepRange[] = [];
  let at = 0;
  for (const range of mergeRanges(ranges, length)) {
    if (range.start > at) left.push({ start: at, end: range.start });
    at = range.end;
  }
  if (at < length) left.push({ start: at, end: length });
  return left;
}

/** Do they follow the source, so that one reading of it writes them? */
export const isInOrder = (keeps: readonly KeepRange[]): boolean =>
  keeps.every(({ start }, at) => start >= (keeps[at - 1]?.end ?? 0));

export const keptFrames = (edits: Pick<EditList, 'keeps'>): number =>
  edits.keeps.reduce((sum, keep) => sum + keep.end - keep.start, 0);

/** The keeps in seconds, each where it begins in the output. */
export function keptOf({ keeps, sampleRate }: Pick<EditList, 'keeps' | 'sampleRate'>): Kept[] {
  let at = 0;
  return keeps.map(({ start, end }) => {
    const kept = { startSeconds: start / sampleRate, endSeconds: end / sampleRate, atSeconds: at / sampleRate };
    at += end - start;
    return kept;
  });
}

/** Where two keeps meet. */
export interface Seam {
  /** Source frame after the last one before the seam, and the first one after it. */
  readonly before: number;
  readonly after: number;
  /** Output frame of the first frame after the seam. */
  readonly output: number;
  /** Half the crossfade: its extent to either side, never past the middle of a neighbouring keep. */
  readonly reach: number;
}

/**
 * The seams of an edit list, with crossfades shortened where a keep is too short for two of them. Where keeps go back
 * in the source, `passesOf` fades the same.
 */
export function seamsOf(edits: EditList): Seam[] {
  const half = Math.floor(edits.crossfadeFrames / 2);
  const seams: Seam[] = [];
  let output = 0;
  for (const [index, keep] of edits.keeps.entries()) {
    const length = keep.end - keep.start;
    output += length;
    const next = edits.keeps[index + 1];
    if (!next) break;
    const room = (one: KeepRange, outer: boolean): number =>
      outer ? one.end - one.start : Math.floor((one.end - one.start) / 2);
    const isBack = next.start < keep.end;
    const most = isBack
      ? [room(keep, false), room(next, false), edits.sourceFrames - keep.end, next.start]
      : [room(keep, index === 0), room(next, index + 2 === edits.keeps.length)];
    const reach = Math.max(0, Math.min(half, ...most));
    seams.push({ before: keep.end, after: next.start, output, reach });
  }
  return seams;
}

/**
 * Maps times through an edit: `toOutput` maps a source time (a removed one to its seam), `toSource` maps an output time
 * back.
 */
export interface TimeMap {
  toOutput(sourceSeconds: number): number;
  toSource(outputSeconds: number): number;
  /** The kept part of a stretch of source time, in output time; null when nothing of it is kept. */
  mapStretch(startSeconds: number, endSeconds: number): TimeRange | null;
  /** All kept parts of a stretch of source time, in output time; those that touch there are one. */
  stretches(range: TimeRange): readonly TimeRange[];
  readonly outputSeconds: number;
}

/** @param edits also of keeps that do not follow the source, and lie over each other */
export function timeMap(edits: EditList): TimeMap {
  const { sampleRate, keeps } = edits;
  const starts: number[] = [];
  let total = 0;
  for (const keep of keeps) {
    starts.push(total);
    total += keep.end - keep.start;
  }
  /** Keeps as they follow each other in the source, and how far those up to each reach. */
  const ofSource = keeps.map((_, at) => at).toSorted((a, b) => keepAt(a).start - keepAt(b).start);
  const reach: number[] = [];
  for (const at of ofSource) reach.push(Math.max(reach.at(-1) ?? 0, keepAt(at).end));
  /** The keep that has a frame of the source, or the last before it; -1: it lies before all of them. */
  const keepOf = (frame: number): number => {
    const last = lastAtOrBefore((at) => keepAt(ofSource[at] as number).start, frame);
    let at = last;
    while (at > 0 && keepAt(ofSource[at] as number).end <= frame && (reach[at - 1] as number) > frame) at -= 1;
    return ofSource[at] ?? -1;
  };
  function keepAt(at: number): KeepRange {
    return keeps[at] as KeepRange;
  }
  /** Index of the last entry that is <= value; -1 when none is. */
  function lastAtOrBefore(values: (index: number) => number, value: number): number {
    let low = 0;
    let high = keeps.length;
    while (low < high) {
      const middle = (low + high) >> 1;
      if (values(middle) <= value) low = middle + 1;
      else high = middle;
    }
    return low - 1;
  }
  /** Seconds as frames, with a tolerance, or a cut's own edge would be on the wrong side of it. */
  const toFrames = (seconds: number): number => {
    const frames = seconds * sampleRate;
    const whole = Math.round(frames);
    return Math.abs(frames - whole) < 1e-6 * Math.max(1, sampleRate / 1000) ? whole : frames;
  };
  const toOutput = (sourceSeconds: number): number => {
    const frame = toFrames(sourceSeconds);
    const index = keepOf(frame);
    return index < 0 ? 0 : placeIn(index, frame) / sampleRate;
  };
  /** Output frame of a frame of the source, or of the end of the keep that is nearer to it. */
  function placeIn(index: number, frame: number): number {
    const { start, end } = keepAt(index);
    return (starts[index] as number) + Math.min(Math.max(frame, start), end) - start;
  }
  return {
    stretches: (range) => stretchesIn(keptOf(edits), range),
    outputSeconds: total / sampleRate,
    toOutput,
    toSource(outputSeconds) {
      const frame = Math.min(Math.max(0, toFrames(outputSeconds)), total);
      const index = Math.max(
        0,
        lastAtOrBefore((at) => starts[at] as number, frame),
      );
      const keep = keeps[index];
      return keep ? (keep.start + frame - (starts[index] as number)) / sampleRate : 0;
    },
    mapStretch(startSeconds, endSeconds) {
      let [start, end] = [toOutput(startSeconds), toOutput(endSeconds)];
      const middle = keepOf(toFrames((startSeconds + endSeconds) / 2));
      // Longer than it was, or turned around: its ends lie in passages that moved. It is where its middle is.
      if (middle >= 0 && (end < start || end - start > endSeconds - startSeconds + 1e-6)) {
        start = placeIn(middle, toFrames(startSeconds)) / sampleRate;
        end = placeIn(middle, toFrames(endSeconds)) / sampleRate;
      }
      return end > start ? { startSeconds: start, endSeconds: end } : null;
    },
  };
}
