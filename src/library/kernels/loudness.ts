import { nativeKernels } from './load.ts';

export { channelWeights } from './channel-weights.ts';

export interface LoudnessOptions {
  /**
   * Frames per second, whole, 1 to 768000. Below about 4 kHz the filter's corner is clamped and no standard applies.
   */
  readonly sampleRate: number;
  /** One per channel (1 to 64 of them), 0 to 100: 1, 10^0.15 (surround), 0 (LFE, not heard). See `channelWeights`. */
  readonly weights: readonly number[];
}

/** Every value is null where there is none: too short for its window, silent, or nothing above the gate. */
export interface LoudnessResult {
  /** Programme loudness, LUFS: 400 ms blocks every 100 ms, gates at -70 LUFS and 10 LU under the first mean. */
  readonly integratedLufs: number | null;
  /** LU between the 10th and the 95th percentile of short-term loudness, gates at -70 LUFS and 20 LU under the mean. */
  readonly loudnessRangeLu: number | null;
  /** Greatest loudness of any 400 ms (moved by 10 ms: a short sound must not fall between two windows). */
  readonly maxMomentaryLufs: number | null;
  /** Greatest loudness of any 3 s (moved by 100 ms). */
  readonly maxShortTermLufs: number | null;
  /** Loudness of the last 400 ms, renewed every 10 ms. */
  readonly momentaryLufs: number | null;
  /** Loudness of the last 3 s, renewed every 100 ms. */
  readonly shortTermLufs: number | null;
  /** 400 ms blocks that passed both gates. */
  readonly gatedBlocks: number;
}

export interface Loudness {
  /**
   * Takes `frames` frames (default: the first plane's length) of each plane. NaN, infinite and absurd samples count as
   * 0.
   */
  push(planes: readonly Float32Array[], frames?: number): void;
  /** The measurement so far; the stream may go on. */
  result(): LoudnessResult;
  /** LUFS of the 3 s that end at 3.0, 3.1, 3.2 ... s; -Infinity for silence. */
  shortTermSeries(): Float32Array;
}

const orNull = (value: number): number | null => (Number.isFinite(value) ? value : null);

/**
 * Loudness by ITU-R BS.1770-5, EBU Tech 3341 and EBU Tech 3342. Exact: block energies are kept as doubles (0.3 MB an
 * hour), not sorted into a histogram. The K-weighting filter is designed at the stream's own rate by the bilinear
 * transform of the analogue prototype; its coefficients at 48 kHz equal the standard's tables to 1e-7. Where 100 ms is
 * not a whole number of frames, block borders are rounded to frames without drift.
 * @throws TypeError on a bad option, on another number of planes, on a plane that is too short.
 */
export function createLoudness({ sampleRate, weights }: LoudnessOptions): Loudness {
  const native = nativeKernels();
  const handle = native.loudnessCreate(sampleRate, weights);
  return {
    push: (planes, frames) => native.loudnessPush(handle, planes, frames),
    result() {
      const r = native.loudnessResult(handle);
      return {
        integratedLufs: orNull(r.integratedLufs),
        loudnessRangeLu: orNull(r.loudnessRangeLu),
        maxMomentaryLufs: orNull(r.maxMomentaryLufs),
        maxShortTermLufs: orNull(r.maxShortTermLufs),
        momentaryLufs: orNull(r.momentaryLufs),
        shortTermLufs: orNull(r.shortTermLufs),
        gatedBlocks: r.gatedBlocks,
      };
    },
    shortTermSeries: () => native.loudnessSeries(handle),
  };
}
