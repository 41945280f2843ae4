/** What remove_silence answers. Levels in dBFS; null: digital silence. */
export interface RemoveSilenceResult {
  /** How many pauses were made shorter. */
  readonly pausesShortened: number;
  readonly removedSeconds: number;
  readonly inputSeconds: number;
  readonly outputSeconds: number;
  /** Level of the pauses. */
  readonly noiseDbfs: number | null;
  /** Level of the speech. */
  readonly speechDbfs: number | null;
  /** What is louder is no pause. */
  readonly onsetDbfs: number | null;
  /** Down to here a word's beginning and end are followed. */
  readonly edgeDbfs: number | null;
  /** What was cut out, as [start, end] in seconds of the input. */
  readonly cuts: readonly (readonly [startSeconds: number, endSeconds: number])[];
}
