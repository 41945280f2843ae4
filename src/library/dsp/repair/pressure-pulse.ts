import { halfLogDeterminant, rootOf, solveRoot, solveTransposed } from './cholesky.ts';

/** The voice's lows are alike over so many values. */
const alikeValues = 60;
/** They are known for so many on either side of the spot, and go on from there. */
const besideValues = 40;
/** A pressure pulse is smooth over so many values, */
const smoothValues = 7;
/** swells and fades over so many, */
const fadeValues = 40;
/** and has one of these powers, as shares of its peak's: whichever explains the sound best. */
const powerShares = [0.01, 0.03, 0.1, 0.3];
/** Least noise, as a share of the pulse's power and of the voice's. */
const noiseOfPulse = 2e-6;
const noiseOfVoice = 1e-3;
/** The pulse is this much stronger than what it may be wrong by, dB; else more of the voice would be lost. */
const leastSureDb = 14;

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

interface Estimate {
  readonly pulse: Float32Array;
  /** How likely the sound is as a voice with such a pulse: higher is likelier. */
  readonly likelihood: number;
  /** Power of the pulse over that of its likely error, dB. */
  readonly sureDb: number;
}

/**
 * @param lows from before the spot to behind it
 * @param voice covariance by lag
 * @param swell the pulse's shape, 0 outside the spot
 * @param power of the pulse at its peak
 */
function estimate(lows: Float32Array, voice: Float64Array, swell: Float64Array, power: number): Estimate {
  const size = lows.length;
  const alike = Float64Array.from({ length: size }, (_, lag) => power * matern(lag));
  const pulse = (i: number, j: number): number =>
    (swell[i] as number) * (swell[j] as number) * (alike[Math.abs(i - j)] as number);
  const noise = noiseOfPulse * power + noiseOfVoice * (voice[0] as number) + Number.MIN_VALUE;
  const root = rootOf(
    size,
    size - 1,
    (row, column) => pulse(row, column) + (voice[row - column] as number) + (row === column ? noise : 0),
  );
  const half = solveRoot(root, Float64Array.from(lows));
  const weights = solveTransposed(root, half);
  const out = new Float32Array(size);
  let [signal, error] = [0, 0];
  for (let i = 0; i < size; i += 1) {
    if (swell[i] === 0) continue;
    const shared = Float64Array.from({ length: size }, (_, j) => pulse(i, j));
    const value = shared.reduce((sum, x, j) => sum + x * (weights[j] as number), 0);
    out[i] = value;
    signal += value * value;
    error += pulse(i, i) - solveRoot(root, shared).reduce((sum, x) => sum + x * x, 0);
  }
  return {
    pulse: out,
    likelihood: -0.5 * half.reduce((sum, x) => sum + x * x, 0) - halfLogDeterminant(root),
    sureDb: 10 * Math.log10((signal + Number.MIN_VALUE) / (Math.max(0, error) + Number.MIN_VALUE)),
  };
}

/**
 * The likeliest pulse of pressure in [from, to): of two processes whose covariances are known, in the mean, where the
 * voice goes on from what is on either side (Rasmussen and Williams, "Gaussian Processes for Machine Learning", 2006,
 * 2.2 and 5.4).
 * @param lows values of a thousandth of a second, with a voice around the spot
 * @returns null: it cannot be told from the voice, as under a deep voice whose lowest tone is as fast
 */
export function pulseIn(lows: Float32Array, from: number, to: number): Float32Array | null {
  const [start, end] = [Math.max(0, from - besideValues), Math.min(lows.length, to + besideValues)];
  const known = lows.subarray(start, end);
  const voice = voiceCovariance([lows.subarray(0, from), lows.subarray(to)], known.length);
  const peak = lows.subarray(from, to).reduce((most, x) => Math.max(most, Math.abs(x)), 0);
  const swell = Float64Array.from({ length: known.length }, (_, n) => {
    const [before, behind] = [start + n - from, to - start - n - 1];
    const inside = (Math.min(before, behind) + 0.5) / fadeValues;
    return inside < 0 ? 0 : Math.sin((Math.PI / 2) * Math.min(1, inside));
  });
  const best = powerShares
    .map((share) => estimate(known, voice, swell, share * peak * peak))
    .reduce((one, other) => (other.likelihood > one.likelihood ? other : one));
  return best.sureDb < leastSureDb ? null : best.pulse.subarray(from - start, to - start);
}
