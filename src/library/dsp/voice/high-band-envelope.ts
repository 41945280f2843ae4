import { powerToDb } from '../../core/levels.ts';
import { hiddenUnits, highBandWeights } from './high-band-weights.ts';
import { binHz, binOf, bins, powerScale } from './spectral-stage.ts';

/** Edges of the input bands, Hz: within a telephone's range. */
const heardEdgesHz = [300, 500, 700, 1000, 1400, 1900, 2500, 3100];
/** Edges of the predicted bands, Hz. */
export const highEdgesHz = [3300, 4200, 5200, 6500, 8000, 10_000, 12_000, 14_500];

const heardBands = heardEdgesHz.length - 1;
export const highBands = highEdgesHz.length - 1;
/** Levels of the input bands, level of the frame, flatness; and the same as running averages. */
const nowFeatures = heardBands + 2;
export const features = 2 * nowFeatures;
/** Share of the average that is kept from one hop to the next. */
const memory = 0.8;

const heardEdges = heardEdgesHz.map(binOf);
const [firstBin, lastBin] = [heardEdges[0] as number, heardEdges[heardBands] as number];

export interface FrameReader {
  /**
   * Fills `out` (`features` long) from a frame's bin powers; returns the power between 300 and 3100 Hz (sum of bins).
   */
  read(power: Float64Array, out: Float64Array): number;
}

/**
 * Features of a frame's lower band: level of each band relative to the whole (dB / 10), level relative to the speech
 * (dB / 20), spectral flatness, and all of it averaged over the last 25 ms.
 */
export function createFrameReader(activeDb: number): FrameReader {
  const average = new Float64Array(nowFeatures);
  let begun = false;
  return {
    read(power, out) {
      let [total, logs] = [0, 0];
      for (let bin = firstBin; bin < lastBin; bin += 1) {
        const here = (power[bin] as number) + 1e-16;
        total += here;
        logs += Math.log(here);
      }
      for (let band = 0; band < heardBands; band += 1) {
        let sum = 1e-16;
        for (let bin = heardEdges[band] as number; bin < (heardEdges[band + 1] as number); bin += 1)
          sum += power[bin] as number;
        out[band] = Math.max(-4, powerToDb(sum / total) / 10);
      }
      out[heardBands] = Math.min(0.75, Math.max(-2.5, (powerToDb(total * powerScale) - activeDb) / 20));
      const count = lastBin - firstBin;
      out[heardBands + 1] = (10 / Math.LN10) * (logs / count - Math.log(total / count)) * 0.1;
      for (let at = 0; at < nowFeatures; at += 1) {
        average[at] = begun
          ? memory * (average[at] as number) + (1 - memory) * (out[at] as number)
          : (out[at] as number);
        out[nowFeatures + at] = average[at] as number;
      }
      begun = true;
      return total;
    },
  };
}

/**
 * Level of each high band relative to the power between 300 and 3100 Hz, dB: one hidden layer of tanh units. `weights`
 * holds [hidden][features], hidden biases, [highBands][hidden], output biases in sequence.
 */
export function predictLevels(
  weights: ArrayLike<number>,
  input: Float64Array,
  hidden: Float64Array,
  out: Float64Array,
): void {
  let at = 0;
  const biases = hiddenUnits * features;
  for (let unit = 0; unit < hiddenUnits; unit += 1) {
    let sum = weights[biases + unit] as number;
    for (let i = 0; i < features; i += 1) sum += (weights[at++] as number) * (input[i] as number);
    hidden[unit] = Math.tanh(sum);
  }
  at = biases + hiddenUnits;
  const outBiases = at + highBands * hiddenUnits;
  for (let band = 0; band < highBands; band += 1) {
    let sum = weights[outBiases + band] as number;
    for (let unit = 0; unit < hiddenUnits; unit += 1) sum += (weights[at++] as number) * (hidden[unit] as number);
    out[band] = 10 * sum;
  }
}

/**
 * Estimates the highs of speech from its band below 3100 Hz, frame by frame: a small network, fitted by
 * bench/quality/voice-envelope.ts to recordings whose long-term spectrum was brought to the average of speech.
 */
export function createHighBandEstimator(activeDb: number): {
  estimate(power: Float64Array, out: Float64Array): number;
} {
  const reader = createFrameReader(activeDb);
  const input = new Float64Array(features);
  const hidden = new Float64Array(hiddenUnits);
  return {
    estimate(power, out) {
      const total = reader.read(power, input);
      predictLevels(highBandWeights, input, hidden, out);
      return total;
    },
  };
}

/** Middles of the high bands as bins, for interpolation. */
export const highCentres = Float64Array.from(
  { length: highBands },
  (_, band) => Math.sqrt((highEdgesHz[band] as number) * (highEdgesHz[band + 1] as number)) / binHz,
);
/** Bins in each high band. */
export const highWidths = Float64Array.from(
  { length: highBands },
  (_, band) => Math.min(bins, binOf(highEdgesHz[band + 1] as number)) - binOf(highEdgesHz[band] as number),
);
