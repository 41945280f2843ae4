/** A word as it was heard, with the punctuation that belongs to it. Times are seconds of the recording. */
export interface SpokenWord {
  readonly text: string;
  readonly startSeconds: number;
  /** Not before the start. */
  readonly endSeconds: number;
  /** 0 to 1; absent where nobody can say. */
  readonly confidence?: number;
}
