import { nativeKernels } from './load.ts';

export interface LimiterOptions {
  /** Frames per second, whole, 1 to 768000. */
  readonly sampleRate: number;
  /** 1 to 64; one gain for all of them. */
  readonly channels: number;
  /** Greatest true peak of the output, dBTP, -80 to 20. */
  readonly ceilingDbtp: number;
  /** Gain applied before limiting, dB, -120 to 120. Default 0. */
  readonly gainDb?: number;
  /** How long before a peak the gain begins to fall, ms, 0.1 to 100. Default 5. */
  readonly lookaheadMs?: number;
  /** Time constant of the gain's recovery, ms, 1 to 10000. Default 100. */
  readonly releaseMs?: number;
}

export interface Limiter {
  /** Frames by which the output lags the input: push as many zeros to get the end out. */
  readonly latencyFrames: number;
  /**
   * Takes `frames` frames (default: the first plane's length) of each plane and fills as many of each plane of `out`,
   * which may be `planes`. NaN, infinite and absurd samples count as 0.
   */
  process(planes: readonly Float32Array[], out: readonly Float32Array[], frames?: number): void;
  /** Deepest gain reduction applied so far, dB, 0 or more. */
  maxReductionDb(): number;
}

/**
 * Look-ahead true-peak limiter. Peaks are found on the interpolated signal (8 points a sample below 96 kHz, 4 from
 * 96 kHz, and a parabola between them); the gain follows the greatest reduction within the look-ahead, smoothed by a
 * triangular window that ends at the peak, and recovers exponentially. The output's true peak stays within 0.05 dB of
 * the ceiling by this library's meter and by FFmpeg's ebur128. Where nothing comes near the ceiling the output is
 * exactly input * Math.fround(10 ** (gainDb / 20)) in float32.
 * @throws TypeError on a bad option, on another number of planes, on a plane that is too short.
 */
export function createLimiter(options: LimiterOptions): Limiter {
  const { sampleRate, channels, ceilingDbtp, gainDb = 0, lookaheadMs = 5, releaseMs = 100 } = options;
  const native = nativeKernels();
  const handle = native.limiterCreate(sampleRate, channels, ceilingDbtp, gainDb, lookaheadMs, releaseMs);
  return {
    latencyFrames: native.limiterLatency(handle),
    process: (planes, out, frames) => native.limiterProcess(handle, planes, out, frames),
    maxReductionDb: () => native.limiterMaxReduction(handle),
  };
}
