import type { AudioBlock, AudioFormat } from './block.ts';

export type Emit = (block: AudioBlock) => void;

/**
 * One step of a pipeline. `open` once, `process` per block in order, `flush` once at the end, `close` always.
 * Sample results must not depend on how the input is cut into blocks.
 */
export interface Stage {
  /** Told what comes in; answers what goes out. */
  open(format: AudioFormat): AudioFormat;
  /** Frames by which the output lags the input (at the output's rate); valid after `open`. `compose` trims them. */
  readonly latencyFrames: number;
  process(block: AudioBlock, emit: Emit): void;
  flush(emit: Emit): void;
  close(): void;
}

/** A stage that lets its input through untouched and has something to say about it at the end. */
export interface Analyser<Result> extends Stage {
  /** Valid after `flush`. */
  result(): Result;
}
