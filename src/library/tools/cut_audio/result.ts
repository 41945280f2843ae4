/** What cut_audio answers. */
export interface CutAudioResult {
  /** What stays, as [start, end] in seconds of the input. */
  readonly keptRanges: readonly (readonly [startSeconds: number, endSeconds: number])[];
  readonly keptSeconds: number;
  readonly removedSeconds: number;
}
