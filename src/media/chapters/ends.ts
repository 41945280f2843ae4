import type { Chapter } from '../facts.ts';

/** A chapter whose list does not say where it ends. */
export interface ChapterStart {
  readonly startSeconds: number;
  readonly title: string;
  readonly endSeconds?: number;
}

/** Chapters in the order of their starts; where an end is missing, the next start or the recording's end is it. */
export function withEnds(starts: readonly ChapterStart[], durationSeconds: number | null): Chapter[] {
  const sorted = starts.toSorted((a, b) => a.startSeconds - b.startSeconds);
  return sorted.map(({ startSeconds, endSeconds, title }, at) => ({
    startSeconds,
    endSeconds:
      endSeconds !== undefined && endSeconds > startSeconds
        ? endSeconds
        : Math.max(startSeconds, sorted[at + 1]?.startSeconds ?? durationSeconds ?? startSeconds),
    title,
  }));
}
