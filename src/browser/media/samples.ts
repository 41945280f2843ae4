// Where the samples of a file lie, for any form of them.
import type { AudioFormat } from '../../library/pcm/block.ts';

/** An open file's sound as planar floats, full scale 1. */
export interface Samples {
  readonly format: AudioFormat;
  /** All that is there. */
  readonly frames: number;
  /** Fills the planes from their start. */
  read(from: number, frames: number, planes: readonly Float32Array[]): void;
  close(): void;
}
