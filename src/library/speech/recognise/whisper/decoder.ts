// What a Whisper's decoder is asked: windows side by side, its rows.

/** What the encoder made of one window: handed on as it is. */
export type Heard = Float32Array<ArrayBuffer>;

/** Some windows with what the decoder keeps of them whatever it is asked: their cross keys and values. */
export interface Windows {
  readonly rows: number;
  /** Logits behind `<|startoftranscript|>` alone, row after row: they tell the language, and whether anybody speaks. */
  readonly opening: Float32Array;
  begin(): Decoding;
  /** One of them, without a copy. */
  row(index: number): Windows;
  /** Gives the memory back. */
  release(): void;
}

/** A decoding under way. */
export interface Decoding {
  /** @param tokens one list per row, all of the same length */
  step(tokens: readonly (readonly number[])[]): Promise<Step>;
  /**
   * Goes on without rows that are not wanted.
   * @returns those that are left, by their index until now: wanted ones, and perhaps others that lie between
   */
  keep(wanted: readonly boolean[]): readonly number[];
  /** Gives the memory back. */
  release(): void;
}

export interface Step {
  /** Behind the last token, row after row. */
  readonly logits: Float32Array;
  /** Cross attention at the last token: of each position that the decoder looks at. */
  attention(row: number, head: number): Float32Array;
  /** Gives the memory back. */
  release(): void;
}

export interface WhisperDecoder {
  /**
   * Computes what decoding of these windows needs again and again.
   * @param positions how many of each the decoder looks at at least, 0.02 s each: every step reads all keys and values
   * of all of them, so those of the silence that a window was filled up with are left out
   */
  open(heard: readonly Heard[], positions: readonly number[]): Promise<Windows>;
  close(): Promise<void>;
}

/** Caches are megabytes a step: given back now, not when the collector comes by. */
export function freeMemory({ buffer }: Float32Array): void {
  if (buffer instanceof ArrayBuffer && !buffer.detached && buffer.byteLength > 0) buffer.transfer(0);
}

/** The same for a file of weights, which is tens of megabytes. Small files share their memory with others, and keep it. */
export function freeFile({ buffer, byteLength }: Uint8Array): void {
  if (buffer instanceof ArrayBuffer && byteLength > 0 && buffer.byteLength === byteLength) buffer.transfer(0);
}
