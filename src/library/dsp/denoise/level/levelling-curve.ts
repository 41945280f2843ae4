import type { ChannelLevels } from './channel-levels.ts';

/** A slowly changing factor for every frame of a recording at one rate. */
export interface LevellingCurve {
  /** Multiplies `planes` in place from frame `from` on; `undo` divides instead. */
  apply(planes: readonly Float32Array[], from: number, frames: number, undo: boolean): void;
}

/** The level is averaged over this many seconds to either side, weighted by distance. */
const reachSeconds = 15;
/** Passages this much quieter than the whole recording are pauses and not raised any further, dB. */
const mostUnderDb = 30;
/** The noise of 16 bits is not raised to a recording's level, dBFS. */
const quietestDbfs = -95;

const decibels = (power: number): number => 10 * Math.log10(power + 1e-20);

/** Powers, smoothed by a Hann window. */
function smoothed(powers: Float32Array): Float32Array {
  const weights = Float32Array.from(
    { length: reachSeconds },
    (_, k) => 0.5 + 0.5 * Math.cos((Math.PI * k) / reachSeconds),
  );
  return powers.map((_, second) => {
    let [sum, total] = [0, 0];
    for (let k = 1 - reachSeconds; k < reachSeconds; k += 1) {
      const power = powers[second + k];
      if (power === undefined) continue;
      const weight = weights[Math.abs(k)] as number;
      sum += weight * power;
      total += weight;
    }
    return sum / total;
  });
}

/** A gain that goes from one second's middle to the next one's, for planes that begin at frame `from`. */
interface Slope {
  readonly from: number;
  readonly rate: number;
  readonly second: number;
  readonly left: number;
  readonly right: number;
}

// Functions of their own, which V8 optimizes once.
function multiply(plane: Float32Array, start: number, end: number, { from, rate, second, left, right }: Slope): void {
  for (let i = start; i < end; i += 1)
    plane[i] = (plane[i] as number) * (left + (right - left) * ((from + i) / rate - 0.5 - second));
}

function divide(plane: Float32Array, start: number, end: number, { from, rate, second, left, right }: Slope): void {
  for (let i = start; i < end; i += 1)
    plane[i] = (plane[i] as number) / (left + (right - left) * ((from + i) / rate - 0.5 - second));
}

/**
 * A slow gain that brings a group of channels to one level throughout: networks work best at the levels of their
 * training, and take quieter voices for noise (DeepFilterNet3 below about -47 LUFS). Their output is divided by the
 * same gain. Independent of the recording's own level by construction. Our own method; figures: `node
 * bench/quality/run.ts --levels`.
 * @param levels of a first pass
 * @param group channels that are processed together
 * @param targetDbfs RMS level above 150 Hz
 * @param rate frames per second of the sound that the curve is applied to
 */
export function levellingCurve(
  { perChannel }: ChannelLevels,
  group: readonly number[],
  targetDbfs: number,
  rate: number,
): LevellingCurve {
  const [first] = group.map((channel) => perChannel[channel] ?? new Float32Array());
  const powers = (first ?? new Float32Array()).map(
    (_, second) => group.reduce((sum, channel) => sum + (perChannel[channel]?.[second] ?? 0), 0) / group.length,
  );
  const whole = decibels(powers.reduce((sum, power) => sum + power, 0) / Math.max(1, powers.length));
  const lowest = Math.max(quietestDbfs, whole - mostUnderDb);
  const gains = smoothed(powers).map((power) => 10 ** ((targetDbfs - Math.max(lowest, decibels(power))) / 20));
  /** In the middle of a second; constant beyond the ends. */
  const at = (second: number): number => gains[Math.min(gains.length - 1, Math.max(0, second))] ?? 1;
  return {
    apply(planes, from, frames, undo) {
      for (let start = 0; start < frames;) {
        const place = (from + start) / rate - 0.5;
        const second = Math.floor(place);
        const end = Math.min(frames, Math.max(start + 1, Math.ceil((second + 1.5) * rate) - from));
        const [left, right] = [at(second), at(second + 1)];
        const slope: Slope = { from, rate, second, left, right };
        for (const plane of planes) {
          if (undo) divide(plane, start, end, slope);
          else multiply(plane, start, end, slope);
        }
        start = end;
      }
    },
  };
}
