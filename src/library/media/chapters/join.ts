import type { Chapter } from '../facts.ts';

/** The position of one recording in several joined ones. */
export interface JoinedPart {
  readonly chapters: readonly Chapter[];
  /** Added to its own seconds, gives seconds of the output. */
  readonly shiftSeconds: number;
  /** The start of its part, in seconds of the output. */
  readonly fromSeconds: number;
}

/** The chapters of all recordings, each ending at the next recording's start at the latest. */
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
