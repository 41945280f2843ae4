/** The result of cut_audio. */
export interface CutAudioResult {
  /** The kept ranges, as [start, end] in seconds of the input. */
  readonly keptRanges: readonly (readonly [startSeconds: number, endSeconds: number])[];
  readonly keptSeconds: number;
  readonly removedSeconds: number;
}
