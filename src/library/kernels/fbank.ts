import { nativeKernels } from './load.ts';

/** Samples of one row, and from one row's start to the next, at 16 kHz: 25 and 10 ms. */
export const fbankFrame = 400;
export const fbankHop = 160;

/** As Kaldi computes them, or as YAMNet's authors do. */
export type FbankForm = 'kaldi' | 'yamnet';

export interface FbankOptions {
  /** Default kaldi. */
  readonly form?: FbankForm;
  /** Bands, equally wide in mel, 1 to 128. Default 80. */
  readonly bands?: number;
  /** Lower edge of the first band, Hz, 0 to 7999. Default 20. */
  readonly lowHz?: number;
  /** Upper edge of the last band, Hz, from lowHz + 1 to 8000. Default 8000. */
  readonly highHz?: number;
}

export interface Fbank {
  readonly bands: number;
  /**
   * Row t, the natural logarithm of each band's power (yamnet: magnitude), is made of the samples from 160 t on. NaN,
   * infinite and absurd samples count as 0.
   * @param samples 16 kHz, full scale 1, at least 160 (count - 1) + 400 of them
   * @returns memory of its own, row after row
   */
  rows(samples: Float32Array, count: number): Float32Array<ArrayBuffer>;
}

/**
 * Logarithmic mel filter-bank features. `kaldi`: by Kaldi's definition (compute-fbank-feats, Povey window, no dither,
 * no energy, no partial frames), as networks that tell speakers apart take them; band powers under 2^-23 count as that.
 * `yamnet`: as YAMNet's authors publish them (Hann window, magnitude, plus 0.001), there 64 bands from 125 to 7500 Hz.
 * A row's bits do not depend on how many rows a call is about.
 * @throws TypeError on a bad option, on an array that is too short.
 */
export function createFbank({ form = 'kaldi', bands = 80, lowHz = 20, highHz = 8000 }: FbankOptions = {}): Fbank {
  const native = nativeKernels();
  const handle = native.fbankCreate(bands, lowHz, highHz, form === 'kaldi' ? 0 : 1);
  return {
    bands,
    rows(samples, count) {
      const rows = new Float32Array(count * bands);
      native.fbankRows(handle, samples, count, rows);
      return rows;
    },
  };
}
