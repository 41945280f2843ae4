import { dbToGain } from '../../core/levels.ts';
import type { Stage } from '../../pcm/stage.ts';
import { dereverberation, lateSeconds, type RoomReading } from './room.ts';
import { bins, hopSeconds, spectralStage } from './spectral-stage.ts';

/** Greatest suppression, dB: the rest of the reverberation keeps the voice natural and covers artefacts. */
const floorDb = -6;
/** Smoothing of the spectra's powers over time, and of the decision-directed estimate, per hop of 5.3 ms. */
const powerSmoothing = 0.7;
const decisionSmoothing = 0.94;
/** Gains are smoothed over this many bins to either side, so that no single bin rings. */
const gainReach = 2;

const lateHops = Math.round(lateSeconds / hopSeconds);

/**
 * Removes late reverberation. Its power in each bin is estimated from the sound at least 48 ms earlier (Lebart,
 * Boucher, Denbigh, "A new method based on spectral subtraction for speech dereverberation", Acta Acustica 87, 2001),
 * with the direct sound taken into account as in Habets, Gannot, Cohen, "Late reverberant spectral variance
 * estimation", IEEE SPL 16 (2009): r[t] = e^-2a ((1 - k) r[t-1] + k x[t-1]), late[t] = e^-2a(N-1) r[t-N+1], with a from
 * the decay time and k from the drop of the level when the voice stops. It is then suppressed by a Wiener gain with
 * decision-directed prior (Ephraim, Malah 1984), at most 6 dB. Chosen over linear prediction (WPE), which needs a
 * matrix per bin and hop, ten times the work of all other stages, for one microphone. One gain for all channels; no
 * phase shift.
 */
export function dereverberate(room: RoomReading): Stage {
  const decayPerHop = 10 ** ((-6 * hopSeconds) / room.t60Seconds);
  const untilLate = decayPerHop ** lateHops;
  const pastDecay = decayPerHop ** (lateHops - 1);
  // Late to total power at 48 ms: what the decay alone leaves, and what was measured in the recording.
  const direct = Math.min(1, 10 ** (-room.earlyDropDb / 10) / untilLate);
  const strength = dereverberation(room);
  const least = dbToGain(floorDb * strength);
  return spectralStage({
    begin() {
      const smooth = new Float64Array(bins);
      const reverberant = new Float64Array(bins);
      /** The last `lateHops` values of `reverberant`, as a ring. */
      const past = Array.from({ length: lateHops - 1 }, () => new Float64Array(bins));
      let turn = 0;
      const clean = new Float64Array(bins);
      const gains = new Float64Array(bins);
      return (spectra) => {
        const before = past[turn] as Float64Array;
        for (let bin = 0; bin < bins; bin += 1) {
          let power = 1e-20;
          for (const { re, im } of spectra) power += (re[bin] as number) ** 2 + (im[bin] as number) ** 2;
          const heard = smooth[bin] as number;
          reverberant[bin] = decayPerHop * ((1 - direct) * (reverberant[bin] as number) + direct * heard);
          smooth[bin] = powerSmoothing * heard + (1 - powerSmoothing) * power;
          const late = (before[bin] as number) * pastDecay + 1e-20;
          before[bin] = reverberant[bin] as number;
          const prior =
            decisionSmoothing * ((clean[bin] as number) / late) +
            (1 - decisionSmoothing) * Math.max(0, power / late - 1);
          const gain = Math.max(least, prior / (1 + prior));
          clean[bin] = gain * gain * power;
          gains[bin] = gain;
        }
        turn = (turn + 1) % past.length;
        for (let bin = 0; bin < bins; bin += 1) {
          let [sum, count] = [0, 0];
          for (let at = Math.max(0, bin - gainReach); at <= Math.min(bins - 1, bin + gainReach); at += 1) {
            sum += gains[at] as number;
            count += 1;
          }
          const gain = sum / count;
          for (const { re, im } of spectra) {
            re[bin] = (re[bin] as number) * gain;
            im[bin] = (im[bin] as number) * gain;
          }
        }
      };
    },
  });
}
