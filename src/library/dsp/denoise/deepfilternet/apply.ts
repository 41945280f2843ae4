import { bandCount, bandOfBin, bins, filteredBins } from './features.ts';

const taps = 5;
/** The filter's reach in frames, back and ahead. */
export const filterReach = 2;

/** Spectra of consecutive frames, `bins` a frame. */
export interface Spectra {
  readonly re: Float32Array<ArrayBuffer>;
  readonly im: Float32Array<ArrayBuffer>;
}

/**
 * Applies the networks' results to one channel: every bin gets its band's gain; the lowest bins are filtered over five
 * frames of the noisy spectrum instead.
 * @param noisy with `filterReach` more frames on both sides
 */
export function applyFilter(noisy: Spectra, frames: number, mask: Float32Array, coefficients: Float32Array): Spectra {
  const re = new Float32Array(frames * bins);
  const im = new Float32Array(frames * bins);
  for (let t = 0; t < frames; t += 1) {
    const to = t * bins;
    const from = (t + filterReach) * bins;
    for (let k = filteredBins; k < bins; k += 1) {
      const gain = mask[t * bandCount + (bandOfBin[k] as number)] as number;
      re[to + k] = (noisy.re[from + k] as number) * gain;
      im[to + k] = (noisy.im[from + k] as number) * gain;
    }
    for (let k = 0; k < filteredBins; k += 1) {
      let [x, y] = [0, 0];
      let tap = (t * filteredBins + k) * taps * 2;
      for (let q = 0, at = t * bins + k; q < taps; q += 1, at += bins, tap += 2) {
        const [a, b] = [noisy.re[at] as number, noisy.im[at] as number];
        const [c, d] = [coefficients[tap] as number, coefficients[tap + 1] as number];
        x += a * c - b * d;
        y += a * d + b * c;
      }
      re[to + k] = x;
      im[to + k] = y;
    }
  }
  return { re, im };
}
