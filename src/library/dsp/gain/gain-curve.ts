import { slidingMin } from '../series/sliding.ts';

/** A gain over time: dB at the start of every hop, linear in between, the last one held. */
export interface GainCurve {
  readonly hopSeconds: number;
  readonly gainsDb: Float32Array;
}

export interface CurveShape {
  /** Fastest fall, dB per second. */
  readonly fallDbPerSecond: number;
  /** Fastest rise, dB per second. */
  readonly riseDbPerSecond: number;
  /** Length of the smoothing window, seconds. */
  readonly roundingSeconds: number;
}

/** Slopes of each hop, dB per hop, above 0; 0 where the shape's are enough. */
export interface SteeperSlopes {
  /** From the hop before. */
  readonly rises: Float32Array;
  /** To the next hop. */
  readonly falls: Float32Array;
}

/**
 * The highest smooth gain curve that never exceeds `demandDb` and keeps to the slopes: it falls in time, because it
 * knows the future. Method: the greatest function below the demand with bounded slope (one pass forward, one back),
 * then a Hann window over the result after lowering it by the same window, so that smoothing cannot exceed the demand.
 * @param out output array; may be the demand itself
 * @param steeper where slopes may be steeper than the shape's
 */
export function smoothUnder(
  demandDb: Float32Array,
  hopSeconds: number,
  shape: CurveShape,
  out: Float32Array = new Float32Array(demandDb.length),
  steeper: SteeperSlopes | null = null,
): GainCurve {
  const reach = Math.round(shape.roundingSeconds / 2 / hopSeconds);
  const curve = slidingMin(demandDb, reach, out);
  const rise = shape.riseDbPerSecond * hopSeconds;
  const fall = shape.fallDbPerSecond * hopSeconds;
  for (let hop = 1; hop < curve.length; hop += 1)
    curve[hop] = Math.min(curve[hop] as number, (curve[hop - 1] as number) + Math.max(rise, steeper?.rises[hop] ?? 0));
  for (let hop = curve.length - 2; hop >= 0; hop -= 1)
    curve[hop] = Math.min(curve[hop] as number, (curve[hop + 1] as number) + Math.max(fall, steeper?.falls[hop] ?? 0));
  const taps = Float64Array.from(
    { length: 2 * reach + 1 },
    (_, i) => 1 - Math.cos((2 * Math.PI * (i + 1)) / (2 * reach + 2)),
  );
  const sum = taps.reduce((total, tap) => total + tap, 0);
  // In place, so the window's values are saved: from `reach` hops before to `reach` after, constant beyond the ends.
  const seen = Float32Array.from(taps, (_, i) => curve[Math.min(curve.length - 1, Math.max(0, i - reach))] ?? 0);
  for (let hop = 0; hop < curve.length; hop += 1) {
    if (hop > 0) {
      seen.copyWithin(0, 1);
      seen[2 * reach] = curve[Math.min(curve.length - 1, hop + reach)] as number;
    }
    // Most of a curve is flat: there the window changes nothing, not even a last bit.
    if (isFlat(seen)) continue;
    let value = 0;
    for (let i = 0; i < seen.length; i += 1) value += (taps[i] as number) * (seen[i] as number);
    curve[hop] = value / sum;
  }
  return { hopSeconds, gainsDb: curve };
}

function isFlat(values: Float32Array): boolean {
  for (let at = 1; at < values.length; at += 1) if (values[at] !== values[0]) return false;
  return true;
}

/** The sum of two curves with the same hop; the shorter continues with its last gain. */
export function addCurves(a: GainCurve, b: GainCurve): GainCurve {
  const at = (curve: GainCurve, hop: number): number => curve.gainsDb[Math.min(hop, curve.gainsDb.length - 1)] ?? 0;
  const length = Math.max(a.gainsDb.length, b.gainsDb.length);
  return { hopSeconds: a.hopSeconds, gainsDb: Float32Array.from({ length }, (_, hop) => at(a, hop) + at(b, hop)) };
}
