import type { TimeRange } from '../../core/time-range.ts';
import { createDecimator } from './decimate.ts';
import { createInterpolator, interpolatorReach } from './interpolate.ts';
import { pulseIn } from './pressure-pulse.ts';
import { type RepairSpot, type SpotRepairer, repairSpots } from './repair-spots.ts';
import { slowHz } from './plosives.ts';

/** The voice's lows are learnt from this long on either side, s. */
const learnSeconds = 0.12;

function withoutPlosive(rate: number): RepairSpot {
  const factor = Math.max(1, Math.round(rate / slowHz));
  const [decimator, interpolate] = [createDecimator(factor), createInterpolator(factor)];
  return (plane, from, to) => {
    const sane = plane.map((x) => (Math.abs(x) < 1e6 ? x : 0));
    // On the grid of the slow values, whose first belongs to the frame `reach`.
    const start = Math.max(0, Math.floor((from - decimator.reach) / factor));
    const lows = decimator.run(sane);
    const count = Math.min(lows.length - start, Math.ceil((to - decimator.reach) / factor) + 1 - start);
    const padded = new Float32Array(count + 2 * interpolatorReach);
    const found = pulseIn(lows, start, start + count);
    if (!found) return null;
    padded.set(found, interpolatorReach);
    const pulse = interpolate(padded);
    const offset = start * factor + decimator.reach;
    return sane.slice(from, to).map((x, i) => x - (pulse[from + i - offset] ?? 0));
  };
}

/**
 * Takes plosives out: what a smooth pulse explains better than the voice's own lows, as they are before and behind it.
 * Above 0.5 kHz, and elsewhere, all stays as it is; so does a pulse that cannot be told from a deep voice.
 * @param channels see `meterBursts`
 */
export const removePlosives = (channels: readonly (readonly TimeRange[])[]): SpotRepairer =>
  repairSpots(channels, learnSeconds, withoutPlosive);
