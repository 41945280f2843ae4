import { nativeKernels } from './load.ts';

export interface Declip {
  /**
   * Restores the clipped samples of frames that lie one after the other: those from `highest` up and from `lowest`
   * down. NaN, infinite and absurd samples count as 0. A frame's result does not depend on the others.
   * @param samples at least count * frame of them
   * @param mostRounds of a frame; it ends earlier where a sparse spectrum explains it
   * @param out of the same length: each frame under the square root of a periodic Hann window
   * @returns rounds of all frames
   */
  restore(
    samples: Float32Array,
    count: number,
    limits: { readonly lowest: number; readonly highest: number },
    mostRounds: number,
    out: Float32Array,
  ): number;
}

/**
 * Restores clipped samples: A-SPADE (Kitic, Bertin, Gribonval, "Sparsity and cosparsity for audio declipping", LVA/ICA
 * 2015), with a spectrum of twice the frame's length.
 * @param frame 32 to 8192 samples, a product of 2, 3 and 5
 * @throws TypeError on a bad option, on an array that is too short
 */
export function createDeclip(frame: number): Declip {
  const native = nativeKernels();
  const handle = native.declipCreate(frame);
  return {
    restore: (samples, count, { lowest, highest }, mostRounds, out) =>
      native.declipRestore(handle, samples, count, lowest, highest, mostRounds, out),
  };
}
