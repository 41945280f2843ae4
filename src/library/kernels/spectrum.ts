import { nativeKernels } from './load.ts';

export interface SpectrumOptions {
  /** Frames per second, whole, 1 to 768000. */
  readonly sampleRate: number;
  /** 1 to 64. */
  readonly channels: number;
  /** Samples per transform: a power of two, 64 to 65536. Default 4096. */
  readonly size?: number;
  /** Seconds from one transform's start to the next, from size/16 samples to 86400. Default 0.25. */
  readonly everySeconds?: number;
}

export interface SpectrumResult {
  /** Hz from one bin to the next; bin k is at k * binHz. */
  readonly binHz: number;
  /** Transforms averaged. */
  readonly frames: number;
  /** size / 2 + 1 bins: mean power, one-sided, full scale 1. The bins add up to the (windowed) mean square. */
  readonly power: Float64Array;
  /** Each bin's greatest power in any single transform. */
  readonly maxPower: Float64Array;
}

export interface Spectrum {
  /**
   * Takes `frames` frames (default: the first plane's length) of each plane. NaN, infinite and absurd samples count as
   * 0.
   */
  push(planes: readonly Float32Array[], frames?: number): void;
  /**
   * The average so far; the stream may go on. A stream shorter than one transform is measured with zeros after its end.
   */
  result(): SpectrumResult;
}

/**
 * Long-term average power spectrum (Welch 1967, periodic Hann window). Transform j starts at frame
 * round(j * everySeconds * sampleRate); the power of the channels is averaged, so that opposite phases do not cancel.
 * Own FFT in float32: its noise lies about 130 dB under the strongest bin.
 * @throws TypeError on a bad option, on another number of planes, on a plane that is too short.
 */
export function createSpectrum({ sampleRate, channels, size = 4096, everySeconds = 0.25 }: SpectrumOptions): Spectrum {
  const native = nativeKernels();
  const handle = native.spectrumCreate(sampleRate, channels, size, everySeconds);
  return {
    push: (planes, frames) => native.spectrumPush(handle, planes, frames),
    result: () => ({ binHz: sampleRate / size, ...native.spectrumResult(handle) }),
  };
}
