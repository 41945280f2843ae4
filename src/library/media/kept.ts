// Where what has a time in a source (chapters, markers, a timecode) is in its edited copy.
import type { TimeRange } from '../core/time-range.ts';
import type { Chapter, MediaFacts } from './facts.ts';

/** A stretch of a source, and where it begins in the copy. */
export interface Kept extends TimeRange {
  readonly atSeconds: number;
  /** Seconds of the copy for each of the source. Default 1. */
  readonly pace?: number;
}

/** The one stretch of a source that is in a copy from here on, which it is until the next one begins. */
export const keptFrom = (atSeconds: number, startSeconds: number, nextSeconds = Number.POSITIVE_INFINITY): Kept[] => [
  { startSeconds, endSeconds: startSeconds + nextSeconds - atSeconds, atSeconds },
];

/** A source of a file that is written. */
export interface SourcePart {
  readonly facts: MediaFacts;
  /** In the order of the copy. */
  readonly kept: readonly Kept[];
}

export const allKept: readonly Kept[] = [{ startSeconds: 0, endSeconds: Number.POSITIVE_INFINITY, atSeconds: 0 }];

/** Does every moment of the source stay where it is? */
export const isAllKept = ([first, ...others]: readonly Kept[]): boolean =>
  others.length === 0 &&
  first?.startSeconds === 0 &&
  first.atSeconds === 0 &&
  first.endSeconds === Infinity &&
  (first.pace ?? 1) === 1;

/** Source time of the copy's start. */
export const firstSecond = (kept: readonly Kept[]): number =>
  kept.reduce((first, one) => (one.atSeconds < first.atSeconds ? one : first), kept[0] ?? (allKept[0] as Kept))
    .startSeconds;

/** Closer than a sample: times in seconds are not exact. */
const tolerance = 1e-6;

/** Where a moment is in the copy: nowhere, once, or several times. The last kept moment's end counts as kept. */
export function momentsIn(kept: readonly Kept[], seconds: number): number[] {
  const last = Math.max(...kept.map(({ endSeconds }) => endSeconds));
  return kept.flatMap(({ startSeconds, endSeconds, atSeconds, pace = 1 }) => {
    const isWithin = seconds < endSeconds - tolerance || (endSeconds === last && seconds <= endSeconds + tolerance);
    return seconds >= startSeconds - tolerance && isWithin
      ? [Math.max(0, atSeconds + pace * (seconds - startSeconds))]
      : [];
  });
}

/** The kept parts of a stretch in the copy; those that touch there are one. */
export function stretchesIn(kept: readonly Kept[], stretch: TimeRange): TimeRange[] {
  const found: { startSeconds: number; endSeconds: number }[] = [];
  for (const { startSeconds, endSeconds, atSeconds, pace = 1 } of kept) {
    const start = Math.max(startSeconds, stretch.startSeconds);
    const end = Math.min(endSeconds, stretch.endSeconds);
    if (end - start < tolerance) continue;
    const [from, to] = [start, end].map((time) => atSeconds + pace * (time - startSeconds)) as [number, number];
    const last = found.at(-1);
    if (last && Math.abs(last.endSeconds - from) < tolerance) last.endSeconds = to;
    else found.push({ startSeconds: from, endSeconds: to });
  }
  return found;
}

/** Shorter chapters are not kept. */
const shortestChapter = 0.001;

/** The chapters of all sources in the copy. */
export const chaptersIn = (sources: readonly SourcePart[]): Chapter[] =>
  sources
    .flatMap(({ facts, kept }) =>
      isAllKept(kept)
        ? facts.chapters
        : facts.chapters.flatMap((chapter) =>
            stretchesIn(kept, chapter)
              .filter(({ startSeconds, endSeconds }) => endSeconds - startSeconds >= shortestChapter)
              .map((stretch) => ({ ...chapter, ...stretch })),
          ),
    )
    .toSorted((a, b) => a.startSeconds - b.startSeconds);
