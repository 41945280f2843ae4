import type { Chapter } from '../facts.ts';

/** A chapter whose list does not say where it ends. */
export interface ChapterStart {
  readonly startSeconds: number;
  readonly title: string;
  readonly endSeconds?: number;
}

/** Three decades: no recording is as long, and every list of chapters can say it. */
const latestSeconds = 1e9;
/** Characters. Longer ones are no titles, and thousands of them would be more than a file. */
const longestTitle = 4096;

/**
 * Chapters in the order of their starts; where an end is missing, the next start or the recording's end is it. Times
 * that no recording can have are none: such a start is no chapter, such an end is missing.
 */
export function withEnds(starts: readonly ChapterStart[], durationSeconds: number | null): Chapter[] {
  const sorted = starts
    .filter(({ startSeconds }) => startSeconds >= 0 && startSeconds <= latestSeconds)
    .toSorted((a, b) => a.startSeconds - b.startSeconds);
  return sorted.map(({ startSeconds, endSeconds, title }, at) => ({
    startSeconds,
    endSeconds:
      endSeconds !== undefined && endSeconds > startSeconds && endSeconds <= latestSeconds
        ? endSeconds
        : Math.max(startSeconds, sorted[at + 1]?.startSeconds ?? durationSeconds ?? startSeconds),
    title: title.length > longestTitle ? title.slice(0, longestTitle).replace(/\p{Surrogate}$/u, '') : title,
  }));
}
