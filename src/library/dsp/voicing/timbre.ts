import { ByteList } from '../series/float-list.ts';

/** Coefficients of one frame. */
export const timbreSize = 12;
/** Quantisation step of a coefficient: of an orthonormal transform of natural logarithms. */
export const timbreStep = 0.2;
const bandCount = 18;
const lowHz = 110;
const highHz = 3500;
/** Spectra summed into one frame. */
const spectra = 2;
/** Least share of a band in the whole. */
const leastShare = 1e-5;

/** The shape of a recording's spectra, independent of level, for distinguishing voices. */
export interface Timbre {
  /** Mel-frequency cepstral coefficients 1 to 12 of each frame, concatenated, in steps of 0.2. */
  readonly values: Int8Array;
  /** From one frame to the next. Frame k covers the time from k to k + 1 of these. */
  readonly hopSeconds: number;
}

export interface TimbreMeter {
  /** @param power spectrum, of which the bins between 110 and 3500 Hz are read */
  hear(power: Float64Array): void;
  /** Hands over the frames so far. */
  take(): Timbre;
}

const melOf = (hz: number): number => 2595 * Math.log10(1 + hz / 700);
const hzOf = (mel: number): number => 700 * (10 ** (mel / 2595) - 1);

/**
 * Mel-frequency cepstral coefficients (Davis and Mermelstein, "Comparison of parametric representations for
 * monosyllabic word recognition", IEEE ASSP 1980) of 18 bands between 110 and 3500 Hz, without the zeroth, so that
 * level does not count. Memory: 12 bytes a frame.
 * @param binHz distance of the spectra's bins
 * @param lastBin the highest bin
 * @param hopSeconds from one spectrum to the next
 */
export function meterTimbre(binHz: number, lastBin: number, hopSeconds: number): TimbreMeter {
  const [low, high] = [melOf(lowHz), melOf(Math.min(highHz, lastBin * binHz))];
  const edges: number[] = [];
  for (let band = 0; band <= bandCount; band += 1)
    edges.push(Math.max((edges.at(-1) ?? 0) + 1, Math.round(hzOf(low + ((high - low) * band) / bandCount) / binHz)));
  const scale = Math.sqrt(2 / bandCount) / timbreStep;
  const cosines = Float64Array.from({ length: timbreSize * bandCount }, (_, index) => {
    const [order, band] = [1 + Math.floor(index / bandCount), index % bandCount];
    return scale * Math.cos((Math.PI * order * (band + 0.5)) / bandCount);
  });
  const list = new ByteList();
  const powers = new Float64Array(bandCount);
  const row = new Float32Array(timbreSize);
  let heard = 0;

  return {
    hear(power) {
      for (let band = 0; band < bandCount; band += 1)
        for (let bin = edges[band] as number; bin < (edges[band + 1] as number); bin += 1)
          powers[band]! += power[bin] as number;
      heard += 1;
      if (heard < spectra) return;
      const floor = (leastShare / bandCount) * powers.reduce((sum, x) => sum + x, 0) + 1e-12;
      for (let band = 0; band < bandCount; band += 1)
        powers[band] = Math.log(
          (powers[band] as number) / ((edges[band + 1] as number) - (edges[band] as number)) + floor,
        );
      for (let order = 0; order < timbreSize; order += 1) {
        let sum = 0;
        for (let band = 0; band < bandCount; band += 1)
          sum += (cosines[order * bandCount + band] as number) * (powers[band] as number);
        row[order] = Math.round(sum);
      }
      list.push(row);
      powers.fill(0);
      heard = 0;
    },
    take: () => ({ values: list.take(), hopSeconds: spectra * hopSeconds }),
  };
}
