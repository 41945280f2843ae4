// The offset and the slope of a piece, to a part of a sample.
import { type ClockLine, lagAt, type LinePoint } from './clock-lines.ts';
import {
  type DelayRows,
  delayRows,
  lagRate,
  type RowChoice,
  rowLength,
  rowMiddle,
  type SyncSound,
} from './delay-rows.ts';
import { type BentPart, bentParts } from './clock-bends.ts';
import { bestSlope, middleOf, peaksOfStack, stackAlong, type StackPeak } from './slope-stack.ts';
import { vertex } from './vertex.ts';

/** A peak of a piece: a talker, or a reflection. */
export interface FinePeak extends StackPeak {
  /** Rows in which it is the highest of all peaks. */
  readonly rows: number;
  /** Level of the other recording over the first in these rows, dB. */
  readonly levelDb: number;
}

export interface FineLine {
  /** Without a peak's lag. */
  readonly line: ClockLine;
  /** Highest first. */
  readonly peaks: readonly FinePeak[];
  readonly rows: DelayRows;
  /** Where the clock does not keep one rate: the line, part after part, without a peak's lag. */
  readonly bends: readonly BentPart[] | null;
}

/** Peaks of which rows are followed. */
const followed = 3;
/** A row's peak lies this near the stack's, lags. */
const nearLags = 12;
/** Over the row's own mean square. */
const clearRow = 4.5;
const ownedRow = 4;
const tolerances = [0.0015, 0.0006, 0.0004];
/** Bends must make the first peak this much higher over the rest. */
const sharper = 1.1;
/** Peaks in so many rows at least, and in so large a share of them, are talkers. */
const talkerRows = 2;
const talkerShare = 0.04;
const leastRows = 3;
const leastPoints = 6;
const leastSpanSeconds = 20;

interface RowPoint extends LinePoint {
  readonly peak: number;
}

const rmsOf = (curve: Int16Array): number =>
  Math.sqrt(curve.reduce((sum, each) => sum + each * each, 0) / curve.length) + 1e-9;

/** Where single rows show the peaks, in seconds around the middle time. */
function pointsOf(rows: DelayRows, slope: number, peaks: readonly StackPeak[]): RowPoint[] {
  const middle = middleOf(rows);
  return rows.times.flatMap((time, row) => {
    const curve = rows.curves.subarray(row * rowLength, (row + 1) * rowLength);
    const usual = rmsOf(curve);
    const shift = Math.round(slope * (time - middle) * lagRate);
    return peaks.slice(0, followed).flatMap((found, peak): RowPoint[] => {
      const centre = Math.round(found.lagSeconds * lagRate) + shift + rowMiddle;
      if (centre < nearLags + 2 || centre > rowLength - nearLags - 3) return [];
      const sign = Math.sign(found.height);
      let best = centre - nearLags;
      for (let lag = best; lag <= centre + nearLags; lag += 1)
        if (sign * (curve[lag] as number) > sign * (curve[best] as number)) best = lag;
      const height = sign * (curve[best] as number);
      if (Math.abs(best - centre) === nearLags || height < clearRow * usual) return [];
      const at = best + vertex(sign * (curve[best - 1] as number), height, sign * (curve[best + 1] as number));
      return [
        { atSeconds: time - middle, lagSeconds: (at - rowMiddle) / lagRate, weight: (height / usual) ** 2, peak },
      ];
    });
  });
}

interface Fitted {
  readonly slope: number;
  /** By peak, seconds at the middle time. */
  readonly lags: readonly number[];
}

/** One slope for all peaks, and an offset for each. */
function fitPeaks(points: readonly RowPoint[], start: Fitted): Fitted {
  let { slope, lags } = start;
  for (const tolerance of tolerances) {
    const near = points.filter(
      ({ atSeconds, lagSeconds, peak }) =>
        Math.abs(lagSeconds - (lags[peak] as number) - slope * atSeconds) < tolerance,
    );
    if (near.length < leastPoints) break;
    const groups = lags.map((_, index) => near.filter(({ peak }) => peak === index));
    const means = groups.map((group) => {
      const weight = group.reduce((sum, each) => sum + each.weight, 0);
      const mean = (value: (point: RowPoint) => number): number =>
        group.reduce((sum, each) => sum + each.weight * value(each), 0) / weight;
      return { at: mean(({ atSeconds }) => atSeconds), lag: mean(({ lagSeconds }) => lagSeconds) };
    });
    let [over, under] = [0, 0];
    for (const { atSeconds, lagSeconds, weight, peak } of near) {
      const { at, lag } = means[peak] as { at: number; lag: number };
      over += weight * (atSeconds - at) * (lagSeconds - lag);
      under += weight * (atSeconds - at) ** 2;
    }
    if (under > 0) slope = over / under;
    lags = lags.map((lag, index) => {
      const { at, lag: mean } = means[index] as { at: number; lag: number };
      return groups[index]?.length ? mean - slope * at : lag;
    });
  }
  return { slope, lags };
}

/** Around the slope of the stack, where its first peak is highest. */
function refinedSlope(rows: DelayRows, { slope, step }: { slope: number; step: number }, first: StackPeak): number {
  const centre = Math.round(first.lagSeconds * lagRate) + rowMiddle;
  let best = { slope, height: 0 };
  for (let turn = -4; turn <= 4; turn += 1) {
    const tried = slope + (turn / 4) * step;
    const height = Math.max(
      ...stackAlong(rows, tried)
        .subarray(Math.max(0, centre - 3), centre + 4)
        .map(Math.abs),
    );
    if (height > best.height) best = { slope: tried, height };
  }
  return best.slope;
}

/** Which peak is the highest in which rows, and the level there. */
function owners(rows: DelayRows, slope: number, peaks: readonly StackPeak[]): FinePeak[] {
  const middle = middleOf(rows);
  const levels = peaks.map((): number[] => []);
  for (const [row, time] of rows.times.entries()) {
    const curve = rows.curves.subarray(row * rowLength, (row + 1) * rowLength);
    const shift = Math.round(slope * (time - middle) * lagRate);
    let [owner, height] = [0, 0];
    for (const [index, { lagSeconds }] of peaks.entries()) {
      const from = Math.trunc(lagSeconds * lagRate + shift) + rowMiddle - 3;
      for (let lag = Math.max(0, from); lag < Math.min(rowLength, from + 8); lag += 1)
        if (Math.abs(curve[lag] as number) > height) [owner, height] = [index, Math.abs(curve[lag] as number)];
    }
    if (height > ownedRow * rmsOf(curve)) levels[owner]?.push(rows.levelsDb[row] as number);
  }
  return peaks.map((peak, index) => {
    const own = (levels[index] ?? []).sort((a, b) => a - b);
    return { ...peak, rows: own.length, levelDb: own[own.length >> 1] ?? Number.NaN };
  });
}

/** The rows along `line`, and what they say of it; null: too few rows. */
export function refineLine(
  one: SyncSound,
  other: SyncSound,
  line: ClockLine,
  stretch: readonly [number, number],
  choice: RowChoice = {},
): FineLine | null {
  const rows = delayRows(one, other, line, stretch, choice);
  if (rows.times.length < leastRows) return null;
  const coarse = bestSlope(rows);
  let peaks = peaksOfStack(stackAlong(rows, coarse.slope));
  const [first] = peaks;
  if (first === undefined) return { line, peaks: [], rows, bends: null };
  const start = { slope: refinedSlope(rows, coarse, first), lags: peaks.map(({ lagSeconds }) => lagSeconds) };
  const points = pointsOf(rows, start.slope, peaks);
  const times = points.map(({ atSeconds }) => atSeconds);
  const tells = points.length >= leastPoints && Math.max(...times) - Math.min(...times) > leastSpanSeconds;
  const { slope, lags } = tells ? fitPeaks(points, start) : start;
  peaks = peaks.map((peak, index) => ({ ...peak, lagSeconds: lags[index] as number }));
  const middle = middleOf(rows);
  const fine = { offsetSeconds: line.offsetSeconds - slope * middle, slope: line.slope + slope };
  const found = owners(rows, slope, peaks);
  const talkers = found.filter((peak) => peak.rows >= Math.max(talkerRows, talkerShare * rows.times.length));
  const bends = bentParts(
    rows,
    slope,
    (talkers.length === 0 ? found.slice(0, 1) : talkers).map(({ lagSeconds }) => lagSeconds),
    fine,
    stretch,
  );
  const firstPart = bends?.[0];
  if (bends === null || firstPart === undefined) return { line: fine, peaks: found, rows, bends };
  // Along the bends peaks are sharp again, and talkers apart.
  const follow = (seconds: number): number => {
    const part = bends.findLast(({ startSeconds }) => startSeconds <= seconds) ?? firstPart;
    return lagAt(part.line, seconds);
  };
  const straight = delayRows(one, other, fine, stretch, { follow });
  const sharp = peaksOfStack(stackAlong(straight, 0));
  if ((sharp[0]?.contrast ?? 0) < sharper * first.contrast) return { line: fine, peaks: found, rows, bends: null };
  return { line: fine, peaks: owners(straight, 0, sharp), rows: straight, bends };
}
