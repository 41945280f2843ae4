import { dbToGain, powerToDb } from '../../core/levels.ts';
import { createFir, type Fir } from '../../kernels/fir.ts';
import type { AudioBlock } from '../../pcm/block.ts';
import type { Stage } from '../../pcm/stage.ts';
import { bandPower, type BandLevel, compareWithAverage, sharpnessOf } from './speech-profile.ts';
import { thirdOctave } from './ltass.ts';
import { binHz, bins, voiceRate } from './spectral-stage.ts';

/** A gain at each frequency. */
export interface BalancePoint {
  readonly hz: number;
  readonly gainDb: number;
}

/** Differences within this of the average are the speaker's own, not the recording's, dB. */
const ownSoundDb = 5;
/** Bright voices and close microphones have more highs than the average, which is not a fault, dB. */
const brightnessDb = 9;
const brightFromHz = 3500;
/** In the range of consonants, good recordings are hardly ever weaker than the average by more than this, dB. */
const dullnessDb = 2;
const clarityFromHz = 2000;
/** Share of the excess that is corrected. */
const strength = 0.8;
const mostBoostDb = 10;
const mostCutDb = 6;
/** High voices have nothing below this that could be raised. */
const leastBoostHz = 150;

/** Share of a cut that remains for a bright voice's highs. */
const brightCutShare = 0.2;

function wantedDb({ centreHz, excessDb }: BandLevel, sharpness: number): number {
  const weakness = centreHz >= clarityFromHz ? dullnessDb : ownSoundDb;
  if (excessDb < -weakness)
    return centreHz < leastBoostHz ? 0 : Math.min(mostBoostDb, strength * (-weakness - excessDb));
  const isHigh = centreHz >= brightFromHz;
  const tolerated = isHigh ? brightnessDb : ownSoundDb;
  const share = isHigh ? brightCutShare + (1 - brightCutShare) * sharpness : 1;
  return excessDb > tolerated ? -share * Math.min(mostCutDb, strength * (excessDb - tolerated)) : 0;
}

/**
 * The gains that bring a voice's long-term spectrum nearer to that of average speech (Byrne et al. 1994): nothing
 * within 5 dB of it (from 2 kHz on weaker by 2, from 3.5 kHz on stronger by 9; a bright voice is hardly cut there, a
 * sharp recording is), eight tenths of the excess, +10 and -6 dB at most, smoothed over an octave, with the loudness of
 * the speech kept. Where the recording has no real sound the nearest gain applies, by half.
 * @param lowHz, highHz band with real sound in the recording
 * @returns null when nothing is more than half a decibel off
 */
export function balanceFor(activePower: Float64Array, lowHz: number, highHz: number): BalancePoint[] | null {
  const bands = compareWithAverage(activePower);
  const sharpness = sharpnessOf(bands);
  const inside = bands.map(({ centreHz }) => thirdOctave(centreHz)[0] >= lowHz && thirdOctave(centreHz)[1] <= highHz);
  const first = inside.indexOf(true);
  const last = inside.lastIndexOf(true);
  if (first < 0) return null;
  const raw = bands.map((band, index) =>
    index < first
      ? 0.5 * wantedDb(bands[first] as BandLevel, sharpness)
      : index > last
        ? 0.5 * wantedDb(bands[last] as BandLevel, sharpness)
        : wantedDb(band, sharpness),
  );
  const smooth = raw.map(
    (here, index) => 0.5 * here + 0.25 * (raw[index - 1] ?? here) + 0.25 * (raw[index + 1] ?? here),
  );
  if (smooth.every((gain) => Math.abs(gain) < 0.5)) return null;
  const points = bands.map(({ centreHz }, index) => ({ hz: centreHz, gainDb: smooth[index] as number }));
  // Loudness is made between 400 and 4000 Hz: the power there is kept.
  const lifted = activePower.map((power, bin) => power * dbToGain(2 * gainAt(points, bin * binHz)));
  const offset = powerToDb(bandPower(activePower, 400, 4000)) - powerToDb(bandPower(lifted, 400, 4000));
  return points.map(({ hz, gainDb }) => ({ hz, gainDb: gainDb + offset }));
}

/** Interpolated between the points over the logarithm of frequency; constant beyond the ends. */
export function gainAt(points: readonly BalancePoint[], hz: number): number {
  let before = points[0] as BalancePoint;
  for (const point of points) {
    if (point.hz >= hz) {
      if (point === before) return point.gainDb;
      const share = Math.log(hz / before.hz) / Math.log(point.hz / before.hz);
      return before.gainDb + share * (point.gainDb - before.gainDb);
    }
    before = point;
  }
  return before.gainDb;
}

/** Half the length of the filter, samples: its ripple above 100 Hz stays below 0.1 dB. */
const reach = 1023;

/** Taps of linear phase with the given gains: frequency sampling over `bins` points, Hann window. */
function tapsFor(points: readonly BalancePoint[]): Float32Array {
  const taps = new Float32Array(2 * reach + 1);
  const count = 4 * (bins - 1);
  const stepHz = voiceRate / 2 / count;
  const gains = Float64Array.from({ length: count + 1 }, (_, k) => dbToGain(gainAt(points, Math.max(1, k * stepHz))));
  for (let n = 0; n <= reach; n += 1) {
    let sum = 0;
    for (let k = 0; k <= count; k += 1)
      sum += (k === 0 || k === count ? 1 : 2) * (gains[k] as number) * Math.cos((Math.PI * k * n) / count);
    const value = (sum / (2 * count)) * (0.5 + 0.5 * Math.cos((Math.PI * n) / (reach + 1)));
    taps[reach + n] = value;
    taps[reach - n] = value;
  }
  return taps;
}

/** Applies gains over frequency at 48 kHz by one filter of linear phase for all channels. */
export function balance(points: readonly BalancePoint[]): Stage {
  let fir: Fir | null = null;
  let channels = 0;
  const run = (planes: readonly Float32Array[], frames: number): AudioBlock => {
    const out = planes.map(() => new Float32Array(frames));
    fir?.process(planes, out, frames);
    return { planes: out, frames };
  };
  return {
    get latencyFrames() {
      return (fir?.latencyFrames ?? 0) + reach;
    },
    open(format) {
      ({ channels } = format);
      fir = createFir({ channels, taps: tapsFor(points) });
      return format;
    },
    process: ({ planes, frames }, emit) => emit(run(planes, frames)),
    flush(emit) {
      const frames = this.latencyFrames;
      emit(
        run(
          Array.from({ length: channels }, () => new Float32Array(frames)),
          frames,
        ),
      );
    },
    close() {
      fir = null;
    },
  };
}
