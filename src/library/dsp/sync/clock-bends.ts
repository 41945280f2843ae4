// A clock that wanders: where single blocks of rows lie beside the line.
import { rootOf, solveRoot, solveTransposed } from '../repair/cholesky.ts';
import { type ClockLine, lagAt } from './clock-lines.ts';
import { lagRate, rowLength, rowMiddle, type DelayRows } from './delay-rows.ts';
import { stackAlong } from './slope-stack.ts';
import { vertex } from './vertex.ts';

/** A part of a piece with one slope. */
export interface BentPart {
  readonly startSeconds: number;
  readonly endSeconds: number;
  readonly line: ClockLine;
}

const blockSeconds = 40;
const hopSeconds = 20;
/** Blocks lie this near the line, lags: 20 ms. */
const reach = 320;
/** A clock's rate changes by no more from block to block, as a share. */
const mostChange = 40e-6;
/** Of a lag of change between blocks. */
const changeCost = 0.15;
const leastRows = 4;
const leastBlocks = 10;
/** Size over the row's own where a peak begins to count, and where it counts no more. */
const clearFrom = 2;
const clearTo = 12;
const clearPower = 1.5;
const stiffness = 30;
const usualMissSeconds = 0.0004;
const smoothings = 5;
const leastWeight = 0.02;
/** Less is no bend, and parts follow the clock this near. */
const bendSeconds = 0.00015;
const followSeconds = 0.00008;

/** How much each lag around the line speaks for itself in a block: every talker's peak pulls the same way. */
function evidence(rows: DelayRows, slope: number, lags: readonly number[], at: number): Float64Array {
  const sums = new Float64Array(2 * reach + 1);
  const near = rows.times.flatMap((time, row) => (Math.abs(time - at) < blockSeconds / 2 ? [row] : []));
  if (near.length < leastRows) return sums;
  const stack = stackAlong(rows, slope, near).map(Math.abs);
  const usual = Math.sqrt(stack.reduce((sum, each) => sum + each * each, 0) / stack.length) + 1e-9;
  for (const lag of lags) {
    const centre = rowMiddle + Math.round(lag * lagRate);
    for (let index = 0; index < sums.length; index += 1) {
      const place = centre + index - reach;
      if (place < 1 || place > rowLength - 2) continue;
      const smooth =
        0.6 * (stack[place] as number) + 0.2 * ((stack[place - 1] as number) + (stack[place + 1] as number));
      sums[index] = (sums[index] as number) + Math.max(0, Math.min(clearTo, smooth / usual - clearFrom)) ** clearPower;
    }
  }
  return sums;
}

/** The way through the blocks with the most evidence that changes no faster than clocks do. */
function wayThrough(blocks: readonly Float64Array[]): number[] {
  const most = Math.ceil(mostChange * hopSeconds * lagRate);
  let sums = blocks[0]?.slice() ?? new Float64Array();
  const steps: Int16Array[] = [];
  for (const block of blocks.slice(1)) {
    const next = new Float64Array(block.length).fill(Number.NEGATIVE_INFINITY);
    const from = new Int16Array(block.length);
    for (let lag = 0; lag < block.length; lag += 1) {
      for (let before = Math.max(0, lag - most); before <= Math.min(block.length - 1, lag + most); before += 1) {
        const sum = (sums[before] as number) - changeCost * Math.abs(lag - before);
        if (sum > (next[lag] as number)) [next[lag], from[lag]] = [sum, before];
      }
      next[lag] = (next[lag] as number) + (block[lag] as number);
    }
    steps.push(from);
    sums = next;
  }
  let lag = sums.indexOf(Math.max(...sums));
  const way = [lag];
  for (const from of steps.toReversed()) {
    lag = from[lag] as number;
    way.push(lag);
  }
  return way.toReversed();
}

/** Values with small second differences near those that are given. */
function smoothed(values: readonly number[], weights: readonly number[]): number[] {
  const count = values.length;
  const part = (row: number, from: number): number => [1, -2, 1][row - from] ?? 0;
  const root = rootOf(count, 2, (row, column) => {
    let sum = row === column ? (weights[row] as number) : 0;
    for (let from = Math.max(0, row - 2); from <= Math.min(column, count - 3); from += 1)
      sum += stiffness * part(row, from) * part(column, from);
    return sum;
  });
  const right = Float64Array.from(values, (each, at) => each * (weights[at] as number));
  return [...solveTransposed(root, solveRoot(root, right))];
}

interface Knot {
  readonly at: number;
  readonly lag: number;
}

/** As few knots as follow the others closely. */
function fewKnots(knots: readonly Knot[]): Knot[] {
  const [first, last] = [knots[0], knots.at(-1)];
  if (first === undefined || last === undefined || knots.length < 3) return [...knots];
  let [worst, miss] = [0, followSeconds];
  for (const [index, { at, lag }] of knots.entries()) {
    const straight = first.lag + ((last.lag - first.lag) * (at - first.at)) / (last.at - first.at);
    if (Math.abs(lag - straight) > miss) [worst, miss] = [index, Math.abs(lag - straight)];
  }
  if (worst === 0) return [first, last];
  return [...fewKnots(knots.slice(0, worst + 1)), ...fewKnots(knots.slice(worst)).slice(1)];
}

/**
 * The parts of a piece whose clock does not keep one rate; null: it does, or too little is known.
 * @param slope of the peaks in the rows
 * @param lags of the talkers' peaks at the rows' middle time, seconds
 * @param line of the piece
 */
export function bentParts(
  rows: DelayRows,
  slope: number,
  lags: readonly number[],
  line: ClockLine,
  [startSeconds, endSeconds]: readonly [number, number],
): BentPart[] | null {
  const [first, last] = [rows.times[0] ?? 0, rows.times.at(-1) ?? 0];
  const count = Math.floor((last - first - blockSeconds) / hopSeconds);
  if (count < leastBlocks || lags.length === 0) return null;
  const times = Array.from({ length: count }, (_, index) => first + blockSeconds / 2 + index * hopSeconds);
  const blocks = times.map((at) => evidence(rows, slope, lags, at));
  const best = Math.max(...blocks.map((block) => Math.max(...block)));
  if (best === 0) return null;
  const way = wayThrough(blocks);
  const weights = way.map((lag, index) => Math.max(leastWeight, (blocks[index]?.[lag] ?? 0) / best));
  const misses = way.map((lag, index) => {
    const [before = 0, middle = 0, after = 0] = blocks[index]?.subarray(Math.max(0, lag - 1), lag + 2) ?? [];
    const part = middle >= before && middle >= after ? vertex(before, middle, after) : 0;
    return (lag + part - reach) / lagRate;
  });
  let [smooth, trusted] = [misses, weights];
  for (let turn = 0; turn < smoothings; turn += 1) {
    smooth = smoothed(misses, trusted);
    trusted = weights.map(
      (weight, index) =>
        weight / (1 + (((misses[index] as number) - (smooth[index] as number)) / usualMissSeconds) ** 2),
    );
  }
  if (Math.max(...smooth.map(Math.abs)) < bendSeconds) return null;
  const knots = fewKnots(times.map((at, index) => ({ at, lag: lagAt(line, at) + (smooth[index] as number) })));
  return knots.slice(1).map(({ at, lag }, index, all): BentPart => {
    const from = knots[index] as Knot;
    const own = (lag - from.lag) / (at - from.at);
    return {
      startSeconds: index === 0 ? startSeconds : from.at,
      endSeconds: index === all.length - 1 ? endSeconds : at,
      line: { offsetSeconds: from.lag - own * from.at, slope: own },
    };
  });
}
