import { nativeKernels } from './load.ts';

export interface StatsOptions {
  /** Frames per second, whole, 1 to 768000. */
  readonly sampleRate: number;
  /** 1 to 64. */
  readonly channels: number;
}

export interface ChannelStats {
  /** Mean of the samples, full scale 1. */
  readonly dcOffset: number;
  /** Root mean square, full scale 1; the mean is not removed. */
  readonly rms: number;
  /** Greatest magnitude, full scale 1; may exceed 1. */
  readonly samplePeak: number;
  /** Samples of magnitude 32767/32768 or more: the greatest value that 16 bits can hold, on both sides. */
  readonly clippedSamples: number;
}

export interface StatsResult {
  /** Frames (samples per channel) seen. */
  readonly frames: number;
  readonly perChannel: readonly ChannelStats[];
  /** Root mean square over all samples of all channels. */
  readonly rms: number;
  /**
   * Pearson's coefficient of left and right, means removed, -1 to 1; null when not stereo or when a side does not vary.
   */
  readonly stereoCorrelation: number | null;
  /**
   * Samples, over all channels, that were NaN, infinite or absurd (magnitude above 2^32). They count as 0 everywhere
   * else.
   */
  readonly nonFiniteSamples: number;
}

export interface Stats {
  /**
   * Takes `frames` frames (default: the first plane's length) of each plane. NaN, infinite and absurd samples count as
   * 0.
   */
  push(planes: readonly Float32Array[], frames?: number): void;
  /** The statistics so far; the stream may go on. All zero before the first frame. */
  result(): StatsResult;
}

/**
 * Level statistics in one pass. Sums run in float32 within 1024 frames and in double over those: relative error about
 * 1e-7.
 * @throws TypeError on a bad option, on another number of planes, on a plane that is too short.
 */
export function createStats({ sampleRate, channels }: StatsOptions): Stats {
  if (!(sampleRate >= 1 && sampleRate <= 768000))
    throw new TypeError(`Expected number between 1 and 768000 for sampleRate but received ${sampleRate}`);
  const native = nativeKernels();
  const handle = native.statsCreate(channels);
  return {
    push: (planes, frames) => native.statsPush(handle, planes, frames),
    result() {
      const { frames, unusable, correlation, channels: flat } = native.statsResult(handle);
      let power = 0;
      const perChannel = Array.from({ length: channels }, (_, c): ChannelStats => {
        const [dcOffset = 0, meanSquare = 0, samplePeak = 0, clippedSamples = 0] = flat.subarray(4 * c, 4 * c + 4);
        power += meanSquare;
        return { dcOffset, rms: Math.sqrt(meanSquare), samplePeak, clippedSamples };
      });
      return {
        frames,
        perChannel,
        rms: Math.sqrt(power / channels),
        stereoCorrelation: Number.isNaN(correlation) ? null : correlation,
        nonFiniteSamples: unusable,
      };
    },
  };
}
