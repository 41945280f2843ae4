import type { TimeRange } from '../core/time-range.ts';
/** A recognised word with its punctuation. Times are seconds of the recording. */
export interface SpokenWord extends TimeRange {
  readonly text: string;
  /** 0 to 1; absent if unknown. */
  readonly confidence?: number;
  /** Only the reading with a prompt of hesitations has it: a hesitation, or a word that is said twice or broken off. */
  readonly prompted?: 'hesitation' | 'word';
  /** ISO 639-1, where it is not the recording's. */
  readonly language?: string;
}

/** A word of a recogniser: times are seconds of its input. */
export type ListenedWord = Required<Omit<SpokenWord, 'prompted' | 'language'>>;
