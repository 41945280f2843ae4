// What people set of captions by hand: where one begins, and when it is shown. Kept by words, so that it follows an
// edit.
import type { TranscriptWord } from '../../../contract/transcript.ts';
import type { Caption } from './caption.ts';
import { gapSeconds } from './limits.ts';

/** A word with its number in the transcript that an edit is of. */
export interface NumberedWord extends TranscriptWord {
  readonly number?: number;
}

export interface CaptionsByHand {
  /** By number of a word: 1 where a caption begins with it, 0 where it goes on. */
  readonly breaks: Readonly<Record<number, 0 | 1>>;
  /** By number of the first word of a caption: so many seconds later it begins and ends. */
  readonly shifts: Readonly<Record<number, readonly [start: number, end: number]>>;
}

const milliseconds = (seconds: number): number => Math.round(seconds * 1000) / 1000;

/** The number of its first word; null: not known. */
export const captionNumber = ({ words }: Pick<Caption, 'words'>): number | null => words?.[0]?.number ?? null;

/** Moves what was moved by hand, no further than the captions before and after it. Two frames are left at least. */
export function movedByHand(captions: readonly Caption[], { shifts }: CaptionsByHand): Caption[] {
  const moved = [...captions];
  for (const [index, caption] of moved.entries()) {
    const shift = shifts[captionNumber(caption) ?? -1];
    if (shift === undefined) continue;
    const [before, after] = [moved[index - 1], moved[index + 1]];
    const earliest = before === undefined ? 0 : Math.min(before.endSeconds, caption.startSeconds);
    // What follows may be moved itself, later than it begins now.
    const later = shifts[(after && captionNumber(after)) ?? -1]?.[0] ?? 0;
    const latest =
      after === undefined ? Number.POSITIVE_INFINITY : Math.max(after.startSeconds + later, caption.endSeconds);
    const startSeconds = milliseconds(
      Math.min(Math.max(earliest, caption.startSeconds + shift[0]), latest - gapSeconds),
    );
    const endSeconds = milliseconds(
      Math.max(startSeconds + gapSeconds, Math.min(latest, caption.endSeconds + shift[1])),
    );
    moved[index] = { ...caption, startSeconds, endSeconds };
  }
  return moved;
}
