import { nativeKernels } from './load.ts';

export interface StftOptions {
  /**
   * For both directions; as long as a frame: 32 to 16384 samples, a multiple of 4 and a product of 2, 3 and 5. It is
   * copied.
   */
  readonly window: Float32Array;
  /** Samples from one frame's start to the next, 1 to the frame's length. */
  readonly hop: number;
}

/** Spectra lie frame after frame, `bins` real parts in `re` and as many imaginary parts in `im`. */
export interface Stft {
  /** frame / 2 + 1 */
  readonly bins: number;
  /**
   * Frame t is made of the samples from t * hop on. NaN, infinite and absurd samples count as 0.
   * @param samples at least (count - 1) * hop + frame of them
   * @param scale factor of the transform (which is unscaled otherwise)
   */
  forward(samples: Float32Array, count: number, scale: number, re: Float32Array, im: Float32Array): void;
  /**
   * Adds each frame's signal, under the window, to `out` from t * hop on: overlap-add. A whole circle of forward and
   * inverse is unscaled by frame.
   */
  inverse(re: Float32Array, im: Float32Array, count: number, scale: number, out: Float32Array): void;
}

/**
 * Short-time Fourier transform. A frame's result does not depend on how many frames a call is about.
 * @throws TypeError on a bad option, on an array that is too short.
 */
export function createStft({ window, hop }: StftOptions): Stft {
  const native = nativeKernels();
  const handle = native.stftCreate(window, hop);
  return {
    bins: window.length / 2 + 1,
    forward: (samples, count, scale, re, im) => native.stftForward(handle, samples, count, scale, re, im),
    inverse: (re, im, count, scale, out) => native.stftInverse(handle, re, im, count, scale, out),
  };
}
