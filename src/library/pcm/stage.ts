import type { AudioBlock, AudioFormat } from './block.ts';

export type Emit = (block: AudioBlock) => void;

/**
 * One step of a pipeline. `open` once, `process` per block in order, `flush` once at the end, `close` always. Results
 * must not depend on the division of the input into blocks.
 */
export interface Stage {
  /** Distinguishes it from an `AsyncStage` for the type checker, since a promise is assignable to void. */
  readonly asynchronous?: false;
  /** Takes the input format; returns the output format. */
  open(format: AudioFormat): AudioFormat;
  /** Frames by which the output lags the input (at the output's rate); valid after `open`. `compose` trims them. */
  readonly latencyFrames: number;
  process(block: AudioBlock, emit: Emit): void;
  flush(emit: Emit): void;
  close(): void;
}

/**
 * A step whose work may be done elsewhere: on other threads, by a network. As `Stage`, but `process` and `flush`
 * resolve when the next call may come, which is the back-pressure. Calls never overlap. A block belongs to the stage
 * until the call settles; an emitted block belongs to the receiver until `emit` returns. A stage that works longer than
 * a block's time checks the run's signal itself and rejects.
 */
export interface AsyncStage {
  /** Distinguishes it from a `Stage`. */
  readonly asynchronous: true;
  open(format: AudioFormat): AudioFormat;
  /** As in `Stage`. */
  readonly latencyFrames: number;
  process(block: AudioBlock, emit: Emit): Promise<void>;
  flush(emit: Emit): Promise<void>;
  close(): void;
}

export type AnyStage = Stage | AsyncStage;

/** A stage that passes its input unchanged and has a result at the end. */
export interface Analyser<Result> extends Stage {
  /** Valid after `flush`. */
  result(): Result;
}
