import type { TimeRange } from '../../core/time-range.ts';
/** A stretch with one speaker. Turns of different speakers may overlap. Seconds of the recording. */
export interface SpeakerTurn extends TimeRange {
  /** 1 to 8, in the order of first speech. */
  readonly speaker: number;
}
