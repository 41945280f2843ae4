// A call's delay: the network holds it for a while, and jumps.
import { type ClockLine, lagAt } from './clock-lines.ts';
import { delayRows, lagRate, rowLength, rowMiddle, type SyncSound } from './delay-rows.ts';
import { activeShare, activitySums, leastActive } from './find-segments.ts';
import { alikeNear } from './line-pieces.ts';
import { marksPerSecond } from './marks.ts';
import { vertex } from './vertex.ts';

/** A stretch with one delay. */
export interface DelayStep {
  readonly startSeconds: number;
  readonly endSeconds: number;
  /** Where the other clock's 0 would be with this delay, seconds. */
  readonly offsetSeconds: number;
}

export interface SteppedDelay {
  /** The clocks, with the delay that most of the sound has. */
  readonly line: ClockLine;
  readonly steps: readonly DelayStep[];
}

const windowRows = 8 * marksPerSecond;
const hopRows = 2 * marksPerSecond;
/** Delays are looked for this far from the line, rows: 400 ms. */
const reachRows = 20;
const leastAlike = 0.3;
/** Windows that are enough to tell whether the delay jumps at all. */
const someWindows = 150;
/** The usual window lies this far from the line where it does. */
const wanders = 0.006;
const leastWindows = 5;
/** A row's delay is that of a window this near, seconds. */
const nearSeconds = 8;
/** Over the row's own mean square. */
const clearRow = 8;
const leastClear = 10;
const leastClearShare = 0.15;
const leastUsed = 0.6;
/** Delays this near are one, seconds. */
const sameDelay = 0.0015;
const otherDelay = 0.001;
const leastDistinct = 0.7;
const twoStepsApart = 0.02;
/** Pairs of rows whose slope counts lie this far apart, seconds. */
const slopeFrom = 8;
const slopeTo = 60;
const mostSlope = 400e-6;
const slopeBin = 1e-6;
const slopeReach = 2;

interface Point {
  readonly atSeconds: number;
  readonly lagSeconds: number;
}

const medianOf = (values: readonly number[]): number => values.toSorted((a, b) => a - b)[values.length >> 1] ?? 0;
const meanOf = (values: readonly number[]): number => values.reduce((sum, each) => sum + each, 0) / values.length;

/** How much later the other is in single windows, by what both sound like. */
function windowsOf(one: SyncSound, other: SyncSound, line: ClockLine, most: number): Point[] {
  const sums = activitySums(one.marks);
  const starts: number[] = [];
  for (let from = 0; from + windowRows <= one.marks.count; from += hopRows)
    if (activeShare(sums, from, windowRows) >= leastActive) starts.push(from);
  const every = Math.max(1, Math.ceil(starts.length / most));
  return starts.flatMap((from, index) => {
    if (index % every !== 0) return [];
    const atSeconds = (from + windowRows / 2) / marksPerSecond;
    const row = Math.round(from + lagAt(line, atSeconds) * marksPerSecond);
    const curve = alikeNear([one.marks, other.marks], from, windowRows, { row, reachRows });
    const best = curve.indexOf(Math.max(...curve));
    if (best === 0 || best === curve.length - 1 || (curve[best] as number) < leastAlike) return [];
    const [before, middle, after] = curve.subarray(best - 1, best + 2) as unknown as [number, number, number];
    return [
      { atSeconds, lagSeconds: (row - from + best - reachRows + vertex(before, middle, after)) / marksPerSecond },
    ];
  });
}

/** Single rows that show one clear peak, around the delays of windows. */
function clearRows(
  one: SyncSound,
  other: SyncSound,
  windows: readonly Point[],
): { readonly points: Point[]; readonly rows: number } {
  let at = 0;
  const follow = (seconds: number): number => {
    const away = (index: number): number => Math.abs((windows[index]?.atSeconds ?? Infinity) - seconds);
    while (away(at + 1) <= away(at)) at += 1;
    return away(at) > nearSeconds ? Number.NaN : (windows[at]?.lagSeconds ?? Number.NaN);
  };
  const stretch = [0, Number.POSITIVE_INFINITY] as const;
  const { times, curves } = delayRows(one, other, { offsetSeconds: 0, slope: 0 }, stretch, { follow });
  at = 0;
  const points = times.flatMap((atSeconds, row) => {
    const curve = curves.subarray(row * rowLength, (row + 1) * rowLength);
    const usual = Math.sqrt(curve.reduce((sum, each) => sum + each * each, 0) / curve.length) + 1e-9;
    let best = 1;
    for (let lag = 1; lag < curve.length - 1; lag += 1)
      if (Math.abs(curve[lag] as number) > Math.abs(curve[best] as number)) best = lag;
    const height = Math.abs(curve[best] as number);
    if (height < clearRow * usual) return [];
    const part = vertex(Math.abs(curve[best - 1] as number), height, Math.abs(curve[best + 1] as number));
    return [{ atSeconds, lagSeconds: follow(atSeconds) + (best + part - rowMiddle) / lagRate }];
  });
  return { points, rows: times.length };
}

/** The slope of most pairs of rows that have one delay. */
function usualSlope(points: readonly Point[]): number {
  const bins = new Float64Array(Math.round((2 * mostSlope) / slopeBin) + 1);
  for (const [index, one] of points.entries())
    for (let next = index + 1; next < points.length; next += 1) {
      const two = points[next] as Point;
      const seconds = two.atSeconds - one.atSeconds;
      if (seconds > slopeTo) break;
      const slope = (two.lagSeconds - one.lagSeconds) / seconds;
      if (seconds < slopeFrom || Math.abs(slope) > mostSlope) continue;
      const bin = Math.round((slope + mostSlope) / slopeBin);
      bins[bin] = (bins[bin] as number) + seconds;
    }
  let [best, most] = [mostSlope / slopeBin, 0];
  for (let bin = 0; bin < bins.length; bin += 1) {
    const near = bins.subarray(Math.max(0, bin - slopeReach), bin + slopeReach + 1);
    const sum = near.reduce((all, each) => all + each, 0);
    if (sum > most) [best, most] = [bin, sum];
  }
  return best * slopeBin - mostSlope;
}

/** Groups of rows with one delay, in order: two in a row with another one begin the next. */
function groupsOf(points: readonly Point[], slope: number): Point[][] {
  const groups: Point[][] = [];
  let waiting: Point[] = [];
  const delayOf = ({ atSeconds, lagSeconds }: Point): number => lagSeconds - slope * atSeconds;
  for (const point of points) {
    const group = groups.at(-1);
    const isNear = (each: Point): boolean => Math.abs(delayOf(each) - delayOf(point)) < sameDelay;
    if (group !== undefined && Math.abs(medianOf(group.slice(-20).map(delayOf)) - delayOf(point)) < sameDelay) {
      group.push(point);
      waiting = [];
      continue;
    }
    const alike = waiting.filter(isNear);
    if (alike.length > 0) {
      groups.push([...alike, point]);
      waiting = [];
    } else waiting.push(point);
  }
  return groups;
}

/** One slope for all groups, an offset for each. */
function slopeOf(groups: readonly (readonly Point[])[], before: number): number {
  let [over, under] = [0, 0];
  for (const group of groups) {
    if (group.length < 3) continue;
    const at = meanOf(group.map(({ atSeconds }) => atSeconds));
    const lag = meanOf(group.map(({ lagSeconds }) => lagSeconds));
    for (const { atSeconds, lagSeconds } of group) {
      over += (atSeconds - at) * (lagSeconds - lag);
      under += (atSeconds - at) ** 2;
    }
  }
  return under > 0 ? over / under : before;
}

/**
 * The steps of a delay that jumps; null: it does not. Delays that come back are talkers in a room, not a network.
 * @param line of the two, by their segments
 */
export function steppedDelay(one: SyncSound, other: SyncSound, line: ClockLine): SteppedDelay | null {
  const some = windowsOf(one, other, line, someWindows);
  const away = some.map(({ atSeconds, lagSeconds }) => Math.abs(lagSeconds - lagAt(line, atSeconds)));
  if (some.length < leastWindows || medianOf(away) < wanders) return null;
  const { points, rows } = clearRows(one, other, windowsOf(one, other, line, Number.POSITIVE_INFINITY));
  if (points.length < Math.max(leastClear, leastClearShare * rows)) return null;
  let slope = usualSlope(points);
  let groups = groupsOf(points, slope);
  slope = slopeOf(groups, slope);
  groups = groupsOf(points, slope);
  slope = slopeOf(groups, slope);
  const used = groups.flat();
  const delays = groups.map((group) =>
    medianOf(group.map(({ atSeconds, lagSeconds }) => lagSeconds - slope * atSeconds)),
  );
  const sorted = delays.toSorted((a, b) => a - b);
  const distinct = 1 + sorted.slice(1).filter((each, index) => each - (sorted[index] as number) > otherDelay).length;
  const span = (sorted.at(-1) ?? 0) - (sorted[0] ?? 0);
  if (used.length < leastUsed * points.length || groups.length < 2) return null;
  if (distinct < leastDistinct * groups.length || (groups.length === 2 && span < twoStepsApart)) return null;
  return {
    line: { offsetSeconds: medianOf(used.map(({ atSeconds, lagSeconds }) => lagSeconds - slope * atSeconds)), slope },
    steps: groups.map((group, index) => ({
      startSeconds: group[0]?.atSeconds ?? 0,
      endSeconds: group.at(-1)?.atSeconds ?? 0,
      offsetSeconds: delays[index] as number,
    })),
  };
}
