import { powerToDb } from '../../core/levels.ts';
import type { TimeRange } from '../../core/time-range.ts';
import type { Stage } from '../../pcm/stage.ts';
import { rootOf, solveRoot, solveTransposed } from './cholesky.ts';
import { aroundDb, hopsAround } from './clicks.ts';
import { createHopLevels } from './hop-levels.ts';
import { type Prediction, predict } from './linear-prediction.ts';
import { type RepairSpot, repairSpots } from './repair-spots.ts';

/** The voice around a click that its prediction is learnt from, on either side, s. */
const learnSeconds = 0.021;
/** Coefficients of the prediction; at low rates fewer, s of signal. */
const mostOrder = 32;
const orderSeconds = 0.001;
/** What the levels need to settle before the first hop that counts, s. */
const settleSeconds = 0.01;
/** Share of a click's power that the highs hold (see hop-levels.ts), as of white noise at 48 kHz. */
const highShare = 0.8;

/** Power of the click in each hop of [from, to): what is there beyond the sound around it. */
function clickPowers(plane: Float32Array, from: number, to: number, rate: number): { powers: number[]; hop: number } {
  const settle = Math.round(settleSeconds * rate);
  const high: number[] = [];
  const levels = createHopLevels(rate, (power) => void high.push(power));
  const hop = levels.hopFrames;
  const start = from - hopsAround * hop;
  // The hops of the spot begin with it.
  const lead = Math.ceil(settle / hop) * hop;
  const read = plane.subarray(Math.max(0, start - lead), to + (hopsAround + 1) * hop);
  const skip = Math.floor((from - Math.max(0, start - lead)) / hop);
  levels.push(read, read.length);
  const count = Math.ceil((to - from) / hop);
  const db = Float32Array.from(high, powerToDb);
  const around = 10 ** (aroundDb(db, skip, skip + count) / 10);
  return {
    hop,
    powers: Array.from({ length: count }, (_, n) => Math.max(0, (high[skip + n] ?? around) - around) / highShare),
  };
}

/**
 * The likeliest sound of a gap, given the prediction of what is around it and that so much of each sample's power is
 * the click's: where the click is strong the prediction decides, and low frequencies, of which the voice has more than
 * the click, stay.
 */
function likeliest(
  plane: Float32Array,
  from: number,
  to: number,
  { coefficients, variance }: Prediction,
  clickVariance: (frame: number) => number,
): Float32Array {
  const order = coefficients.length - 1;
  const size = to - from;
  const products = new Float64Array(order + 1);
  for (let lag = 0; lag <= order; lag += 1)
    for (let k = 0; k + lag <= order; k += 1)
      products[lag] = (products[lag] as number) + (coefficients[k] as number) * (coefficients[k + lag] as number);
  const wanted = new Float64Array(size);
  for (let n = from; n < to + order; n += 1) {
    // What the known samples say of this innovation.
    let known = 0;
    for (let k = 0; k <= order; k += 1)
      if (n - k < from || n - k >= to) known += (coefficients[k] as number) * (plane[n - k] ?? 0);
    for (let k = Math.max(0, n - to + 1); k <= Math.min(order, n - from); k += 1)
      wanted[n - k - from] = (wanted[n - k - from] as number) - (coefficients[k] as number) * known;
  }
  const trust = Float64Array.from({ length: size }, (_, i) => variance / Math.max(clickVariance(i), 1e-14));
  for (let i = 0; i < size; i += 1)
    wanted[i] = (wanted[i] as number) + (trust[i] as number) * (plane[from + i] as number);
  const root = rootOf(
    size,
    order,
    (row, column) => (products[row - column] as number) + (row === column ? (trust[row] as number) : 0),
  );
  return Float32Array.from(solveTransposed(root, solveRoot(root, wanted)));
}

const withoutClick =
  (rate: number): RepairSpot =>
  (plane, from, to) => {
    const order = Math.max(4, Math.min(mostOrder, Math.round(orderSeconds * rate)));
    const learn = Math.round(learnSeconds * rate);
    const sane = plane.map((x) => (Math.abs(x) < 1e6 ? x : 0));
    const { powers, hop } = clickPowers(sane, from, to, rate);
    const prediction = predict([sane.subarray(from - learn, from), sane.subarray(to, to + learn)], order);
    return likeliest(sane, from, to, prediction, (frame) => powers[Math.floor(frame / hop)] ?? 0);
  };

/**
 * Takes clicks out: an autoregressive model of the voice around each and the click as noise on it (Godsill and Rayner,
 * "Digital Audio Restoration", 1998, chapters 5 and 9; without the noise: Janssen, Veldhuis, Vries 1986). All other
 * samples stay as they are.
 * @param channels see `meterBursts`
 */
export const removeClicks = (channels: readonly (readonly TimeRange[])[]): Stage =>
  repairSpots(channels, learnSeconds + settleSeconds, withoutClick);
