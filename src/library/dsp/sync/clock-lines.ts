// Lines on which segments agree: one clock against another.
import type { Place } from './find-segments.ts';

/** Of one clock against another: what is at t here is at t + offset + slope t there. */
export interface ClockLine {
  readonly offsetSeconds: number;
  /** 1e-6: the other clock counts one second in a million more. */
  readonly slope: number;
}

export interface AgreedLine extends ClockLine {
  /** The places that lie on it, each of another segment. */
  readonly places: readonly Place[];
}

/** Clocks differ by no more, as a share: the worst recorders differ by 200 in a million. */
const mostSlope = 400e-6;
/** Places on one line lie this near, seconds. */
const agreeSeconds = 0.05;
const fitSeconds = 0.03;
const leastContrast = 8;
const mostLines = 6;
/** Segments that make a line, and that make a further one. */
const leastAgreeing = 3;
const leastFurther = 2;
/** Pairs of points that are tried. */
const mostPairs = 4000;

export const lagAt = ({ offsetSeconds, slope }: ClockLine, seconds: number): number => offsetSeconds + slope * seconds;

/** A point of a line, seconds, and how much it counts. */
export interface LinePoint {
  readonly atSeconds: number;
  readonly lagSeconds: number;
  readonly weight: number;
}

function bySlope(points: readonly LinePoint[], tolerance: number): ClockLine {
  const times = points.map(({ atSeconds }) => atSeconds);
  const apart = Math.min(30, 0.3 * (Math.max(...times) - Math.min(...times)));
  const pairs = (points.length * (points.length - 1)) / 2;
  const every = Math.max(1, Math.ceil(pairs / mostPairs));
  let best: ClockLine & { readonly score: number } = { offsetSeconds: 0, slope: 0, score: -1 };
  let turn = 0;
  for (const [index, one] of points.entries())
    for (const two of points.slice(index + 1)) {
      turn += 1;
      const seconds = two.atSeconds - one.atSeconds;
      if (turn % every !== 0 || Math.abs(seconds) < apart || seconds === 0) continue;
      const slope = (two.lagSeconds - one.lagSeconds) / seconds;
      if (Math.abs(slope) > mostSlope) continue;
      const line = { offsetSeconds: one.lagSeconds - slope * one.atSeconds, slope };
      const score = points.reduce((sum, { atSeconds, lagSeconds, weight }) => {
        const miss = (lagSeconds - lagAt(line, atSeconds)) / tolerance;
        return sum + weight * Math.max(0, 1 - miss * miss);
      }, 0);
      if (score > best.score) best = { ...line, score };
    }
  if (best.score >= 0) return best;
  const heaviest = points.reduce((most, each) => (each.weight > most.weight ? each : most));
  return { offsetSeconds: heaviest.lagSeconds, slope: 0 };
}

/** Least squares with weights; the slope stays where the points do not tell one. */
function leastSquares(points: readonly LinePoint[], before: ClockLine): ClockLine {
  const weight = points.reduce((sum, each) => sum + each.weight, 0);
  const mean = points.reduce((sum, each) => sum + each.weight * each.atSeconds, 0) / weight;
  const lag = points.reduce((sum, each) => sum + each.weight * each.lagSeconds, 0) / weight;
  let [over, under] = [0, 0];
  for (const each of points) {
    over += each.weight * (each.atSeconds - mean) * (each.lagSeconds - lag);
    under += each.weight * (each.atSeconds - mean) ** 2;
  }
  const slope = under > 0 ? over / under : before.slope;
  return { offsetSeconds: lag - slope * mean, slope };
}

/** The line of most points, and then of those within `tolerance` seconds of it. */
function fitLine(points: readonly LinePoint[], tolerance: number): ClockLine {
  let line = bySlope(points, tolerance);
  for (let round = 0; round < 5; round += 1) {
    const near = points.filter((each) => Math.abs(each.lagSeconds - lagAt(line, each.atSeconds)) < tolerance);
    if (near.length < 3) break;
    line = leastSquares(near, line);
  }
  return line;
}

/** The group of places, one a segment, that lie on one line and have the most contrast together. */
function largestGroup(segments: readonly (readonly Place[])[]): Place[] {
  const all = segments
    .flatMap((places, segment) => places.map((place) => ({ ...place, segment })))
    .sort((one, two) => two.contrast - one.contrast);
  let best: Place[] = [];
  let most = 0;
  for (const { atSeconds, lagSeconds } of all) {
    const used = new Set<number>();
    let sum = 0;
    const group = all.filter((each) => {
      const reach = agreeSeconds + Math.abs(each.atSeconds - atSeconds) * mostSlope;
      if (used.has(each.segment) || Math.abs(each.lagSeconds - lagSeconds) >= reach) return false;
      used.add(each.segment);
      sum += each.contrast;
      return true;
    });
    if (sum > most) [best, most] = [group, sum];
  }
  return best;
}

/**
 * The lines on which segments agree, largest first: a recorder that was stopped and started again has one a stretch.
 * @param segments the places of each segment
 */
export function linesOf(segments: readonly (readonly Place[])[]): AgreedLine[] {
  let left = segments.map((places) => places.filter(({ contrast }) => contrast >= leastContrast));
  const lines: AgreedLine[] = [];
  while (lines.length < mostLines) {
    const group = largestGroup(left);
    if (group.length < (lines.length === 0 ? leastAgreeing : leastFurther)) break;
    const line = fitLine(
      group.map(({ atSeconds, lagSeconds, contrast }) => ({ atSeconds, lagSeconds, weight: contrast })),
      fitSeconds,
    );
    lines.push({ ...line, places: group });
    const used = new Set(group.map(({ atSeconds }) => atSeconds));
    left = left.map((places) => places.filter(({ atSeconds }) => !used.has(atSeconds)));
  }
  return lines;
}
