import { powerToDb } from '../../core/levels.ts';
import type { Analyser } from '../../pcm/stage.ts';
import { averageSpeechSpectrum, thirdOctave } from './ltass.ts';
import { binHz, bins, frameSamples, powerScale, readSpectra } from './spectral-stage.ts';

/** Properties of a voice over a whole recording. */
export interface SpeechProfile {
  /**
   * Level of the speech without pauses (in the sense of ITU-T P.56), dBFS mean square over the channels; null for
   * silence.
   */
  readonly activeDb: number | null;
  /** Mean power of each bin during speech: its sum times `powerScale` is the mean square. */
  readonly activePower: Float64Array;
  /** Seconds of speech. */
  readonly activeSeconds: number;
}

/** Frames are grouped by level into classes of this width, dB, from -100 dBFS on. */
const classDb = 2;
const classes = 51;
const lowestDb = -100;
/** Speech extends this far below the level at which the loudest twentieth of the frames starts, dB. */
const speechRangeDb = 25;

/**
 * Measures the long-term spectrum of a recording's speech at 48 kHz and passes it through. Which frames are speech is
 * known only at the end, so spectra are summed by the level of their frame, in constant memory. Noise should be removed
 * before.
 */
export function meterSpeechProfile(): Analyser<SpeechProfile> {
  const sums = new Float64Array(classes * bins);
  const counts = new Float64Array(classes);
  let turn = 0;
  return {
    ...readSpectra((channels) => {
      const power = new Float64Array(bins);
      return (spectra) => {
        // Half the overlap is enough.
        turn = 1 - turn;
        if (turn === 0) return;
        power.fill(0);
        let total = 0;
        for (const { re, im } of spectra) {
          for (let bin = 1; bin < bins; bin += 1) {
            const value = (re[bin] as number) ** 2 + (im[bin] as number) ** 2;
            power[bin] = (power[bin] as number) + value;
            total += value;
          }
        }
        const level = powerToDb((total * powerScale) / channels);
        if (!(level > lowestDb)) return;
        const index = Math.min(classes - 1, Math.floor((level - lowestDb) / classDb));
        counts[index] = (counts[index] as number) + 1;
        const from = index * bins;
        for (let bin = 1; bin < bins; bin += 1)
          sums[from + bin] = (sums[from + bin] as number) + (power[bin] as number) / channels;
      };
    }),
    result: () => summarise(sums, counts),
  };
}

function summarise(sums: Float64Array, counts: Float64Array): SpeechProfile {
  const total = counts.reduce((sum, count) => sum + count, 0);
  const activePower = new Float64Array(bins);
  let loud = classes - 1;
  for (let seen = counts[loud] as number; loud > 0 && seen < 0.05 * total; seen += counts[loud] as number) loud -= 1;
  const first = Math.max(0, loud - Math.round(speechRangeDb / classDb));
  let active = 0;
  for (let index = first; index < classes; index += 1) {
    active += counts[index] as number;
    for (let bin = 0; bin < bins; bin += 1)
      activePower[bin] = (activePower[bin] as number) + (sums[index * bins + bin] as number);
  }
  if (active === 0) return { activeDb: null, activePower, activeSeconds: 0 };
  let power = 0;
  for (let bin = 0; bin < bins; bin += 1) {
    activePower[bin] = (activePower[bin] as number) / active;
    power += activePower[bin] as number;
  }
  return { activeDb: powerToDb(power * powerScale), activePower, activeSeconds: (active * frameSamples) / 2 / 48_000 };
}

export interface BandLevel {
  readonly centreHz: number;
  /** Level of the third octave relative to average speech, dB, aligned where voices are alike (400 to 2500 Hz). */
  readonly excessDb: number;
}

/** Mean power of the bins in a band, including partial bins at its edges. */
export function bandPower(power: Float64Array, lowHz: number, highHz: number): number {
  let sum = 0;
  for (let bin = Math.max(1, Math.floor(lowHz / binHz)); bin < bins; bin += 1) {
    const share = Math.min(highHz, (bin + 0.5) * binHz) - Math.max(lowHz, (bin - 0.5) * binHz);
    if (share <= 0) {
      if ((bin - 0.5) * binHz > highHz) break;
      continue;
    }
    sum += ((power[bin] as number) * share) / binHz;
  }
  return sum;
}

/** Compares a long-term spectrum with average speech, band by band. */
export function compareWithAverage(activePower: Float64Array): BandLevel[] {
  const raw = averageSpeechSpectrum.map(([centreHz, levelDb]) => ({
    centreHz,
    excessDb: powerToDb(bandPower(activePower, ...thirdOctave(centreHz)) + 1e-20) - levelDb,
  }));
  const middle = raw.filter(({ centreHz }) => centreHz >= 400 && centreHz <= 2500);
  const offset = middle.reduce((sum, { excessDb }) => sum + excessDb, 0) / middle.length;
  return raw.map(({ centreHz, excessDb }) => ({ centreHz, excessDb: excessDb - offset }));
}

/** Highs of s and sh, and their excess over average speech in bright voices at good microphones, dB. */
const hissFromHz = 4500;
const hissToHz = 9000;
const brightDb = 14;
/** From here on a recording is sharp for any speaker, dB. */
const sharpDb = 18;

/**
 * 0 for natural voices as in a studio, including bright ones; 1 for sharp recordings. Measured: readers at good
 * microphones 8, with a shelf of 6 dB from 4 kHz on 13, of 12 dB 18 dB over the average.
 */
export function sharpnessOf(bands: readonly BandLevel[]): number {
  const highs = bands.filter(({ centreHz }) => centreHz >= hissFromHz && centreHz <= hissToHz);
  const excessDb = highs.reduce((sum, band) => sum + band.excessDb, 0) / highs.length;
  return Math.min(1, Math.max(0, (excessDb - brightDb) / (sharpDb - brightDb)));
}
