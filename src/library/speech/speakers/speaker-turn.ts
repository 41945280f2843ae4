import type { TimeRange } from '../../core/time-range.ts';
/** A stretch in which one person speaks. Turns of different people may overlap. Seconds of the recording. */
export interface SpeakerTurn extends TimeRange {
  /** 1 to 8, in the order in which people are first heard. */
  readonly speaker: number;
}

export const mostSpeakers = 8;
