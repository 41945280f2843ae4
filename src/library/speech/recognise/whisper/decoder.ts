// The interface of a Whisper decoder: several windows in parallel, one per row.

/** The encoder's output for one window. */
export type EncodedSound = Float32Array<ArrayBuffer>;

/** Some windows with their cross keys and values, which do not depend on the tokens. */
export interface Windows {
  readonly rows: number;
  /** Logits after `<|startoftranscript|>` alone, by row: for language detection and speech probability. */
  readonly opening: Float32Array;
  begin(): Decoding;
  /** One of them, without a copy. */
  row(index: number): Windows;
  /** Frees the memory. */
  release(): void;
}

/** A decoding in progress. */
export interface Decoding {
  /** @param tokens one list per row, all of the same length */
  step(tokens: readonly (readonly number[])[]): Promise<Step>;
  /**
   * Continues without some rows.
   * @returns the remaining rows by their previous index: wanted ones, and possibly others between them
   */
  keep(wanted: readonly boolean[]): readonly number[];
  /** Rows of a single window: row i continues what row `parents[i]` has said so far. */
  branch(parents: readonly number[]): void;
  /** Frees the memory. */
  release(): void;
}

/** Good until the next step, or the end of its decoding. */
export interface Step {
  /** After the last token, by row. */
  readonly logits: Float32Array;
  /** Cross attention at the last token, for each position that the decoder uses. */
  attention(row: number, head: number): Float32Array;
  /** Frees the memory. */
  release(): void;
}

export interface WhisperDecoder {
  /**
   * Computes what decoding of these windows reuses.
   * @param positions least number of positions per window, 0.02 s each: every step reads all their keys and values, so
   *   those of padding are left out
   */
  open(heard: readonly EncodedSound[], positions: readonly number[]): Promise<Windows>;
  close(): Promise<void>;
}
