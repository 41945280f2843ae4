import type { TimeRange } from '../core/time-range.ts';
/** A word as it was heard, with the punctuation that belongs to it. Times are seconds of the recording. */
export interface SpokenWord extends TimeRange {
  readonly text: string;
  /** 0 to 1; absent where nobody can say. */
  readonly confidence?: number;
}

/** A word as a recogniser has it: times are seconds of what it listened to at once. */
export type ListenedWord = Required<SpokenWord>;
