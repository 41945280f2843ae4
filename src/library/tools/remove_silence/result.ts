import type { MovedEdge } from '../declare/moved-edge.ts';

/** The result of remove_silence. Levels in dBFS; null: digital silence. */
export interface RemoveSilenceResult {
  /** Number of shortened pauses. */
  readonly pausesShortened: number;
  readonly removedSeconds: number;
  readonly inputSeconds: number;
  readonly outputSeconds: number;
  /** Level of the pauses. */
  readonly noiseDbfs: number | null;
  /** Level of the speech. */
  readonly speechDbfs: number | null;
  /** Anything louder ends a pause. */
  readonly onsetDbfs: number | null;
  /** Starts and ends of words are followed down to this level. */
  readonly edgeDbfs: number | null;
  /** The cuts, as [start, end] in seconds of the input. */
  readonly cuts: readonly (readonly [startSeconds: number, endSeconds: number])[];
  /** Of each stretch that is kept its begin and its end; only with keep_encoding. */
  readonly edges?: readonly MovedEdge[];
}
