// The rows of a reverberant room show no peak alone: they are added up along slopes, and the sharpest sum wins.
import { type DelayRows, lagRate, rowLength, rowMiddle } from './delay-rows.ts';

/** Peaks of added rows. */
export interface StackPeak {
  /** From the rows' line, seconds. */
  readonly lagSeconds: number;
  /** With its sign: negative where one recording is upside down. */
  readonly height: number;
  /** Height over the usual size of the sum. */
  readonly contrast: number;
}

/** Neighbouring slopes differ by this over the whole stretch, seconds. */
const slopeStepSeconds = 0.00024;
/** The coarse line errs by no more over the whole stretch to either side, seconds; */
const slopeSpanSeconds = 0.048;
/** but a short stretch by no more than this, and a long one by this may be. */
const mostSpan = 300e-6;
const leastSpan = 10e-6;
const leastStretch = 30;
const stretches = 32;
const peaksKept = 6;
const leastContrast = 6;
/** Further peaks are at least this share of the first, and this far from it, seconds. */
const peakShare = 0.35;
const peakApartSeconds = 0.0008;
/** Median of squares of noise, in its mean square. */
const medianOfSquares = 0.455;
const tapsAside = 16;

export const middleOf = ({ times }: DelayRows): number => times.reduce((sum, each) => sum + each, 0) / times.length;

function addShifted(sum: Float32Array, row: Int16Array | Float32Array, shift: number): void {
  const [from, to] = [Math.max(0, -shift), Math.min(sum.length, row.length - shift)];
  for (let lag = from; lag < to; lag += 1) sum[lag] = (sum[lag] as number) + (row[lag + shift] as number);
}

const rowAt = ({ curves }: DelayRows, row: number): Int16Array =>
  curves.subarray(row * rowLength, (row + 1) * rowLength);

/** Mean of the rows that `wanted` names (default: all) along a slope around the middle time. */
export function stackAlong(rows: DelayRows, slope: number, wanted?: readonly number[]): Float32Array {
  const middle = middleOf(rows);
  const sum = new Float32Array(rowLength);
  const some = wanted ?? rows.times.map((_, row) => row);
  for (const row of some)
    addShifted(sum, rowAt(rows, row), Math.round(slope * ((rows.times[row] as number) - middle) * lagRate));
  return sum.map((each) => each / Math.max(1, some.length));
}

/** Few sharp peaks are worth more than many flat ones, whatever their sign. */
function sharpness(sum: Float32Array): number {
  let total = 0;
  for (let lag = 1; lag < sum.length - 1; lag += 1) {
    const value = (sum[lag] as number) / 2 + ((sum[lag - 1] as number) + (sum[lag + 1] as number)) / 4;
    total += value ** 4;
  }
  return total;
}

/** The slope on which the rows agree best, and the distance to the next that was tried. */
export function bestSlope(rows: DelayRows): { slope: number; step: number } {
  const [first, last] = [rows.times[0] as number, rows.times.at(-1) as number];
  const middle = middleOf(rows);
  const seconds = Math.max(leastStretch, last - first);
  const step = slopeStepSeconds / seconds;
  const span = Math.min(mostSpan, Math.max(leastSpan, slopeSpanSeconds / seconds));
  const slopes = 2 * Math.ceil(span / step) + 1;
  const slopeOf = (index: number): number => (index - (slopes - 1) / 2) * step;
  // In a part of the time, as many slopes together look the same: each part is added up along a few only.
  const parts = Array.from({ length: stretches }, (): number[] => []);
  for (const [row, time] of rows.times.entries())
    parts[Math.min(stretches - 1, Math.floor(((time - first) / seconds) * stretches))]?.push(row);
  const sums = Array.from({ length: slopes }, () => new Float32Array(rowLength));
  for (const part of parts.filter((each) => each.length > 0)) {
    const centre = part.reduce((sum, row) => sum + (rows.times[row] as number), 0) / part.length;
    for (let from = 0; from < slopes; from += stretches) {
      const to = Math.min(slopes, from + stretches);
      const shared = slopeOf((from + to - 1) / 2);
      const own = new Float32Array(rowLength);
      for (const row of part)
        addShifted(own, rowAt(rows, row), Math.round(shared * ((rows.times[row] as number) - centre) * lagRate));
      for (let slope = from; slope < to; slope += 1)
        addShifted(sums[slope] as Float32Array, own, Math.round(slopeOf(slope) * (centre - middle) * lagRate));
    }
  }
  let best = 0;
  const scores = sums.map(sharpness);
  for (const [slope, score] of scores.entries()) if (score > (scores[best] as number)) best = slope;
  return { slope: slopeOf(best), step };
}

/** Between the values of a row, by a windowed sinc. */
function valueAt(row: Float32Array, at: number): number {
  const middle = Math.floor(at);
  let sum = 0;
  for (
    let index = Math.max(0, middle - tapsAside + 1);
    index <= Math.min(row.length - 1, middle + tapsAside);
    index += 1
  ) {
    const x = Math.PI * (at - index);
    const sinc = Math.abs(x) < 1e-9 ? 1 : Math.sin(x) / x;
    sum += (row[index] as number) * sinc * (0.5 + 0.5 * Math.cos(x / tapsAside));
  }
  return sum;
}

/** The place between the values where the row is farthest from 0, near `around`. */
function finestPlace(row: Float32Array, around: number): number {
  let at = around;
  for (const step of [0.25, 1 / 16, 1 / 64]) {
    let best = at;
    for (let turn = -4; turn <= 4; turn += 1)
      if (Math.abs(valueAt(row, at + turn * step)) > Math.abs(valueAt(row, best))) best = at + turn * step;
    at = best;
  }
  return at;
}

/** The peaks of added rows, highest first. */
export function peaksOfStack(stack: Float32Array): StackPeak[] {
  const squares = stack.map((each) => each * each).sort();
  const usual = Math.sqrt((squares[squares.length >> 1] as number) / medianOfSquares) + 1e-9;
  const left = stack.map(Math.abs);
  const peaks: StackPeak[] = [];
  const apart = Math.round(peakApartSeconds * lagRate);
  for (let turn = 0; turn < peaksKept; turn += 1) {
    let best = 0;
    for (let lag = 1; lag < left.length; lag += 1) if ((left[lag] as number) > (left[best] as number)) best = lag;
    const isEdge = best < 4 || best > left.length - 5;
    if (!isEdge) {
      const at = finestPlace(stack, best);
      const height = valueAt(stack, at);
      peaks.push({ lagSeconds: (at - rowMiddle) / lagRate, height, contrast: Math.abs(height) / usual });
    }
    const around = isEdge ? 2 : apart;
    left.fill(0, Math.max(0, best - around), best + around + 1);
  }
  const least = Math.max(leastContrast, peakShare * (peaks[0]?.contrast ?? 0));
  return peaks.filter(({ contrast }) => contrast >= least);
}
