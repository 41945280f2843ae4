import type { Chapter } from '../facts.ts';

/** A chapter without a stated end. */
export interface ChapterStart {
  /** Seconds from the start of the recording, at least 0. */
  readonly startSeconds: number;
  /** May be empty. */
  readonly title: string;
  /** Seconds from the start of the recording. Default: where the next chapter begins, or the recording's end. */
  readonly endSeconds?: number;
}

/** Three decades: longer than any recording, and representable in every list of chapters. */
const latestSeconds = 1e9;
/** In characters. Longer text is not a title, and thousands of them would exceed the file. */
const longestTitle = 4096;

/**
 * Chapters in the order of their starts; a missing end is the next start or the recording's end. Impossible times are
 * dropped: such a start removes the chapter, such an end counts as missing.
 */
export function withEnds(starts: readonly ChapterStart[], durationSeconds: number | null): Chapter[] {
  const sorted = starts
    .filter(({ startSeconds }) => startSeconds >= 0 && startSeconds <= latestSeconds)
    .toSorted((a, b) => a.startSeconds - b.startSeconds);
  return sorted.map(({ startSeconds, endSeconds, title, ...rest }, at) => ({
    ...rest,
    startSeconds,
    endSeconds:
      endSeconds !== undefined && endSeconds > startSeconds && endSeconds <= latestSeconds
        ? endSeconds
        : Math.max(startSeconds, sorted[at + 1]?.startSeconds ?? durationSeconds ?? startSeconds),
    title: title.length > longestTitle ? title.slice(0, longestTitle).replace(/\p{Surrogate}$/u, '') : title,
  }));
}
