import type { TimeRange } from '../../core/time-range.ts';
import type { Stage } from '../../pcm/stage.ts';
import { createDecimator } from './decimate.ts';
import { createInterpolator, interpolatorReach } from './interpolate.ts';
import { solveBanded } from './linear-prediction.ts';
import { type RepairSpot, repairSpots } from './repair-spots.ts';

/** Rate at which the lows are told apart, Hz. */
const slowHz = 1000;
/** The voice's lows are learnt from this long on either side, s, and are alike over so many values. */
const learnSeconds = 0.25;
const alikeValues = 60;
/** A pressure pulse is smooth over so many values. */
const smoothValues = 7;
/** It swells and fades over so many. */
const fadeValues = 12;
/** Its power, as a share of its peak's: with less, more of the voice's fundamental stays. */
const powerShare = 0.03;
/** Least noise, as a share of the pulse's power and of the voice's. */
const noiseOfPulse = 1e-6;
const noiseOfVoice = 1e-3;

/** Matérn's covariance for 5/2: as of a curve that bends twice. */
function matern(distance: number): number {
  const x = (Math.sqrt(5) * distance) / smoothValues;
  return (1 + x + (x * x) / 3) * Math.exp(-x);
}

/** Of the voice's lows, from before and behind the pulse. */
function voiceCovariance(stretches: readonly Float32Array[], lags: number): Float64Array {
  const covariance = new Float64Array(lags);
  const total = stretches.reduce((sum, { length }) => sum + length, 0);
  for (let lag = 0; lag < lags; lag += 1) {
    let sum = 0;
    for (const samples of stretches)
      for (let i = lag; i < samples.length; i += 1) sum += (samples[i] as number) * (samples[i - lag] as number);
    covariance[lag] = (sum / total) * Math.exp(-0.5 * (lag / alikeValues) ** 2);
  }
  return covariance;
}

/**
 * The likeliest pulse in [from, to): of two processes whose covariances are known, in the mean (Wiener; Rasmussen and
 * Williams, "Gaussian Processes for Machine Learning", 2006, 2.2).
 */
function pulseIn(lows: Float32Array, from: number, to: number): Float32Array {
  const size = to - from;
  const here = lows.subarray(from, to);
  const voice = voiceCovariance([lows.subarray(0, from), lows.subarray(to)], size);
  const peak = here.reduce((most, x) => Math.max(most, Math.abs(x)), 0);
  const power = powerShare * peak * peak;
  const swell = Float64Array.from({ length: size }, (_, i) =>
    Math.sin((Math.PI / 2) * Math.min(1, (i + 0.5) / fadeValues, (size - i - 0.5) / fadeValues)),
  );
  const alike = Float64Array.from({ length: size }, (_, lag) => power * matern(lag));
  const pulse = (i: number, j: number): number =>
    (swell[i] as number) * (swell[j] as number) * (alike[Math.abs(i - j)] as number);
  const noise = 2 * noiseOfPulse * power + noiseOfVoice * (voice[0] as number) + Number.MIN_VALUE;
  const weights = solveBanded(
    size,
    size - 1,
    (row, column) => pulse(row, column) + (voice[row - column] as number) + (row === column ? noise : 0),
    Float64Array.from(here),
  );
  return Float32Array.from({ length: size }, (_, i) => {
    let sum = 0;
    for (let j = 0; j < size; j += 1) sum += pulse(i, j) * (weights[j] as number);
    return sum;
  });
}

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
    padded.set(pulseIn(lows, start, start + count), interpolatorReach);
    const pulse = interpolate(padded);
    const offset = start * factor + decimator.reach;
    return sane.slice(from, to).map((x, i) => x - (pulse[from + i - offset] ?? 0));
  };
}

/**
 * Takes plosives out: what a smooth pulse explains better than the voice's own lows, as they are before and behind it.
 * Above 0.5 kHz, and elsewhere, all stays as it is.
 * @param channels see `meterBursts`
 */
export const removePlosives = (channels: readonly (readonly TimeRange[])[]): Stage =>
  repairSpots(channels, learnSeconds, withoutPlosive);
