/** The result of remove_fillers. */
export interface RemoveFillersResult {
  /** ISO 639 code of the language of the filler list. */
  readonly language: string;
  /** The recogniser that transcribed; absent where a transcript was given. */
  readonly recogniser?: string;
  /** Number of possible cuts. */
  readonly cutsFound: number;
  /** The chosen cuts; in a dry run all. */
  readonly cuts: readonly {
    /** Its id for `cut_ids`: "c1". */
    readonly id: string;
    readonly kind: 'filler' | 'repeat' | 'unwritten_filler';
    /** Empty for a filler missing from the transcript. */
    readonly text: string;
    readonly startSeconds: number;
    readonly endSeconds: number;
  }[];
  /** Number of cuts made; absent in a dry run. */
  readonly cutsMade?: number;
  /** How much shorter the output is; absent in a dry run. */
  readonly removedSeconds?: number;
  /** Length of the input; absent in a dry run. */
  readonly inputSeconds?: number;
  /** Length of the output; absent in a dry run. */
  readonly outputSeconds?: number;
}
