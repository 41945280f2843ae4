/** What remove_fillers answers. */
export interface RemoveFillersResult {
  /** ISO 639 code of the language whose fillers were looked for. */
  readonly language: string;
  /** The recogniser that wrote down what is said; absent where a transcript was given. */
  readonly recogniser?: string;
  /** How many cuts there are to be made. */
  readonly cutsFound: number;
  /** Those that were chosen; in a dry run all. */
  readonly cuts: readonly {
    /** What `cut_ids` takes: "c1". */
    readonly id: string;
    readonly kind: 'filler' | 'repeat' | 'unwritten_filler';
    /** Empty for a filler that the transcript does not hold. */
    readonly text: string;
    readonly startSeconds: number;
    readonly endSeconds: number;
  }[];
  /** How many cuts were made; absent in a dry run. */
  readonly cutsMade?: number;
  /** How much shorter the output is; absent in a dry run. */
  readonly removedSeconds?: number;
  /** Length of the input; absent in a dry run. */
  readonly inputSeconds?: number;
  /** Length of the output; absent in a dry run. */
  readonly outputSeconds?: number;
}
