// The features of DeepFilterNet3: Schroeter, Rosenkranz, Escalante-B., Maier, "DeepFilterNet: Perceptually Motivated
// Real-Time Speech Enhancement", INTERSPEECH 2023, with the constants of its libDF.

export const frameSamples = 960;
export const hopSamples = 480;
export const bins = frameSamples / 2 + 1;
export const bandCount = 32;
/** Lowest bins, which are filtered over time; the others only get a gain. */
export const filteredBins = 96;
const binHz = 50;
const leastBandBins = 2;

/** Number of bins in each of the 32 bands, equally wide on the ERB scale. */
export function bandWidths(): readonly number[] {
  const scale = 9.265;
  const erb = (hz: number): number => scale * Math.log1p(hz / (24.7 * scale));
  const hertz = (value: number): number => 24.7 * scale * Math.expm1(value / scale);
  const step = erb(24_000) / bandCount;
  const widths: number[] = [];
  let before = 0;
  let borrowed = 0;
  for (let band = 1; band <= bandCount; band += 1) {
    const edge = Math.round(hertz(band * step) / binHz);
    const width = edge - before - borrowed;
    // A band has at least two bins and takes missing ones from the next.
    borrowed = Math.max(0, leastBandBins - width);
    widths.push(Math.max(leastBandBins, width));
    before = edge;
  }
  // The bin at half the sample rate belongs to the last band.
  widths[bandCount - 1] = (widths[bandCount - 1] as number) + 1;
  return widths;
}

const widths = bandWidths();

/** The band of each bin. */
export const bandOfBin: Uint8Array = Uint8Array.from(
  widths.flatMap((width, band) => Array.from({ length: width }, () => band)),
);

/** exp(-hop / (sample rate * 1 s)), rounded as in the training. */
const memory = 0.99;
const linear = (from: number, to: number, count: number): Float64Array =>
  Float64Array.from({ length: count }, (_, i) => from + ((to - from) * i) / (count - 1));

/** The running normalisation of the features, with state from frame to frame. */
export interface FeatureExtractor {
  /**
   * Features of one frame.
   * @param re spectrum (`bins` from `at` on), forward transform divided by 960
   * @param erb gets 32 numbers from `erbAt` on
   * @param spec gets 96 real parts from `specAt` on and 96 imaginary parts from `specAt + imaginary` on
   */
  frame(
    re: Float32Array,
    im: Float32Array,
    at: number,
    erb: Float32Array,
    erbAt: number,
    spec: Float32Array,
    specAt: number,
    imaginary: number,
  ): void;
}

export function createFeatureExtractor(): FeatureExtractor {
  const mean = linear(-60, -90, bandCount);
  const magnitude = linear(0.001, 0.0001, filteredBins);
  return {
    frame(re, im, at, erb, erbAt, spec, specAt, imaginary) {
      let bin = at;
      for (let band = 0; band < bandCount; band += 1) {
        const width = widths[band] as number;
        let power = 0;
        for (const end = bin + width; bin < end; bin += 1) power += (re[bin] as number) ** 2 + (im[bin] as number) ** 2;
        const level = 10 * Math.log10(power / width + 1e-10);
        const usual = memory * (mean[band] as number) + (1 - memory) * level;
        mean[band] = usual;
        erb[erbAt + band] = (level - usual) / 40;
      }
      for (let k = 0; k < filteredBins; k += 1) {
        const [x, y] = [re[at + k] as number, im[at + k] as number];
        const usual = memory * (magnitude[k] as number) + (1 - memory) * Math.sqrt(x * x + y * y);
        magnitude[k] = usual;
        const scale = 1 / Math.sqrt(usual);
        spec[specAt + k] = x * scale;
        spec[specAt + imaginary + k] = y * scale;
      }
    },
  };
}
