import { afterFinish, nativeKernels } from './load.ts';

/** The bins of one resolution. */
export interface PeakLevel {
  /** Bins per second. */
  readonly perSecond: 500 | 50 | 5;
  /** Bins. `data` holds 2 * count numbers. */
  readonly count: number;
  /** Pairs least, greatest of each bin over all channels; 127 is full scale. */
  readonly data: Int8Array;
}

export interface PeakResult {
  /** Loudest magnitude of any sample of any channel, 0 to 1 (louder samples count as 1). */
  readonly peak: number;
  /** Finest level first: 500, 50, 5 bins a second. */
  readonly levels: readonly PeakLevel[];
}

export interface PeakOptions {
  /** Frames per second, whole, 1 to 768000. */
  readonly sampleRate: number;
  /** 1 to 64. */
  readonly channels: number;
  /** Frames that will come, if known: reserves memory. Default 0 (unknown). */
  readonly expectedFrames?: number;
}

export interface Peaks {
  /**
   * Takes `frames` frames (default: the first plane's length) of each plane. NaN, infinite and absurd samples count as
   * 0.
   */
  push(planes: readonly Float32Array[], frames?: number): void;
  /** Closes the last, partial bin and answers all levels. Ends the stream; may be called again. */
  finish(): PeakResult;
}

/**
 * Waveform peaks in one pass: frame f belongs to bin floor(f * 500 / sampleRate) of the finest level; level 50 merges
 * 10 bins and level 5 merges 100. Values are clamp(round-half-away-from-zero(x * 127), -127, 127). Below 500 Hz bins
 * without a frame are 0, 0.
 * @throws TypeError on a bad option, on another number of planes, on a plane that is too short.
 */
export function createPeaks({ sampleRate, channels, expectedFrames = 0 }: PeakOptions): Peaks {
  const native = nativeKernels();
  const handle = native.peaksCreate(sampleRate, channels, expectedFrames);
  let result: PeakResult | undefined;
  return {
    push(planes, frames) {
      if (result) afterFinish('peaks');
      native.peaksPush(handle, planes, frames);
    },
    finish() {
      if (result) return result;
      const { peak, level500, level50, level5 } = native.peaksFinish(handle);
      const level = (perSecond: 500 | 50 | 5, data: Int8Array): PeakLevel => ({
        perSecond,
        count: data.length / 2,
        data,
      });
      return (result = { peak, levels: [level(500, level500), level(50, level50), level(5, level5)] });
    },
  };
}
