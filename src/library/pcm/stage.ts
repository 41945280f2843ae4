import type { AudioBlock, AudioFormat } from './block.ts';

export type Emit = (block: AudioBlock) => void;

/**
 * One step of a pipeline. `open` once, `process` per block in order, `flush` once at the end, `close` always.
 * Sample results must not depend on how the input is cut into blocks.
 */
export interface Stage {
  /** Keeps an `AsyncStage` from passing for a `Stage`: a promise fits where nothing is asked for. */
  readonly asynchronous?: false;
  /** Told what comes in; answers what goes out. */
  open(format: AudioFormat): AudioFormat;
  /** Frames by which the output lags the input (at the output's rate); valid after `open`. `compose` trims them. */
  readonly latencyFrames: number;
  process(block: AudioBlock, emit: Emit): void;
  flush(emit: Emit): void;
  close(): void;
}

/**
 * A step whose work may be done elsewhere: on other threads, by a network. As `Stage`, but a call of `process` or
 * `flush` resolves when the next may come: this is the back-pressure. It is called once at a time. A block is the
 * stage's until the call settles; what it emits is the receiver's until `emit` returns. A stage that works longer than
 * a block's time watches the run's signal itself and rejects.
 */
export interface AsyncStage {
  /** Tells it from a `Stage`. */
  readonly asynchronous: true;
  open(format: AudioFormat): AudioFormat;
  /** As of a `Stage`. */
  readonly latencyFrames: number;
  process(block: AudioBlock, emit: Emit): Promise<void>;
  flush(emit: Emit): Promise<void>;
  close(): void;
}

export type AnyStage = Stage | AsyncStage;

/** A stage that lets its input through untouched and has something to say about it at the end. */
export interface Analyser<Result> extends Stage {
  /** Valid after `flush`. */
  result(): Result;
}
