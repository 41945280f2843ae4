import { afterFinish, nativeKernels } from './load.ts';

export interface TruePeakOptions {
  /** Frames per second, whole, 1 to 768000. */
  readonly sampleRate: number;
  /** 1 to 64. */
  readonly channels: number;
}

/** Linear magnitudes, full scale 1; may exceed 1. In dBTP: 20 * log10(truePeak). */
export interface TruePeakResult {
  readonly truePeak: number;
  readonly samplePeak: number;
  readonly perChannel: readonly { readonly truePeak: number; readonly samplePeak: number }[];
}

export interface TruePeak {
  /**
   * Takes `frames` frames (default: the first plane's length) of each plane. NaN, infinite and absurd samples count as
   * 0.
   */
  push(planes: readonly Float32Array[], frames?: number): void;
  /** Measures the filter's tail (silence follows) and answers. Ends the stream; may be called again. */
  finish(): TruePeakResult;
}

/**
 * True peak by ITU-R BS.1770-5 Annex 2: the greatest magnitude of the signal interpolated to at least 352800 points a
 * second (8 points a sample below 96 kHz, 4 from 96 kHz, 2 from 192 kHz), and of parabolas through neighbouring points:
 * within 0.02 dB of the curve up to 18 kHz, where 4 points alone read up to 0.2 dB low. The interpolator is a
 * Kaiser-windowed sinc of 32 taps a phase (beta 9), longer than the standard's 12; readings lie within EBU Tech 3341's
 * +0.2/-0.4 dB. The stream is taken to lie between silences.
 * @throws TypeError on a bad option, on another number of planes, on a plane that is too short.
 */
export function createTruePeak({ sampleRate, channels }: TruePeakOptions): TruePeak {
  const native = nativeKernels();
  const handle = native.truePeakCreate(sampleRate, channels);
  let result: TruePeakResult | undefined;
  return {
    push(planes, frames) {
      if (result) afterFinish('true peak');
      native.truePeakPush(handle, planes, frames);
    },
    finish() {
      if (result) return result;
      const flat = native.truePeakFinish(handle);
      const perChannel = Array.from({ length: channels }, (_, c) => ({
        truePeak: flat[2 * c] ?? 0,
        samplePeak: flat[2 * c + 1] ?? 0,
      }));
      return (result = {
        truePeak: Math.max(...perChannel.map((c) => c.truePeak)),
        samplePeak: Math.max(...perChannel.map((c) => c.samplePeak)),
        perChannel,
      });
    },
  };
}
