import type { Chapter } from '../facts.ts';

/** One recording's place in several joined. */
export interface JoinedPart {
  readonly chapters: readonly Chapter[];
  /** What its own seconds become by adding this, in the output's. */
  readonly shiftSeconds: number;
  /** Where it takes over from the one before, in the output's seconds. */
  readonly fromSeconds: number;
}

/** All recordings' chapters, each ending where the next recording takes over at the latest. */
export function joinChapters(parts: readonly JoinedPart[]): Chapter[] {
  return parts.flatMap(({ chapters, shiftSeconds, fromSeconds }, at) =>
    chapters.flatMap(({ title, startSeconds, endSeconds }) => {
      const stretch = {
        startSeconds: Math.max(fromSeconds, startSeconds + shiftSeconds),
        endSeconds: Math.min(parts[at + 1]?.fromSeconds ?? Number.POSITIVE_INFINITY, endSeconds + shiftSeconds),
      };
      return stretch.endSeconds - stretch.startSeconds >= 0.001 ? [{ title, ...stretch }] : [];
    }),
  );
}
