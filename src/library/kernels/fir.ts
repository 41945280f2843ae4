import { nativeKernels } from './load.ts';

export interface FirOptions {
  /** 1 to 64; all get the same filter. */
  readonly channels: number;
  /** The impulse response, 1 to 16384 samples. It is copied. */
  readonly taps: Float32Array;
}

export interface Fir {
  /**
   * Frames by which the output lags the plain convolution. A filter with linear phase delays by (taps - 1) / 2 more.
   */
  readonly latencyFrames: number;
  /**
   * Takes `frames` frames (default: the first plane's length) of each plane and fills as many of each plane of `out`,
   * which may be `planes`. NaN, infinite and absurd samples count as 0.
   */
  process(planes: readonly Float32Array[], out: readonly Float32Array[], frames?: number): void;
}

/**
 * Convolution with a long filter by overlap-save. Own FFT in float32: its noise lies about 130 dB under the signal; a
 * silent channel stays silent.
 * @throws TypeError on a bad option, on another number of planes, on a plane that is too short.
 */
export function createFir({ channels, taps }: FirOptions): Fir {
  const native = nativeKernels();
  const handle = native.firCreate(channels, taps);
  return {
    latencyFrames: native.firLatency(handle),
    process: (planes, out, frames) => native.firProcess(handle, planes, out, frames),
  };
}
