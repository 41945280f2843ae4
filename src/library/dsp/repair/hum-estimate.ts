import { slidingMean } from '../series/sliding.ts';

/** The phase is tracked with this many harmonics, in blocks of this length, s. */
const phaseHarmonics = 7;
const phaseSeconds = 0.1;
const phaseRounds = 4;
/** Smoothing of the harmonics and of the frequency, in blocks to either side. */
const phaseReach = 12;
const frequencyReach = 7;
/** Mains drift by this much, Hz. */
const mostDriftHz = 0.2;
/** Louder blocks weigh less; this percentile of the levels counts as quiet. */
const quietPhase = 0.3;

/** Highest harmonic that is removed, Hz. */
const highestHz = 2500;
/**
 * Amplitudes are read in blocks of this length, s, grouped by this many, and smoothed over this time to either side, s.
 */
const sizeSeconds = 0.005;
const blocksPerStep = 4;
const sizeReachSeconds = 1;
/** The sound around a line is measured over this many blocks. */
const nearBlocks = 20;
const quietSize = 0.2;
const weightPower = 1.5;
/** In the quietest quarter a line must have at least this share of the power around it. */
const quietQuarter = 0.25;
const leastCoherence = 0.03;

interface Complex {
  readonly re: Float64Array;
  readonly im: Float64Array;
}

const percentile = (values: Float32Array | Float64Array, share: number): number =>
  Float64Array.from(values).sort()[Math.floor(share * (values.length - 1))] ?? 0;

/** A weighted mean under a Hann window, shortened at the ends. */
function smoothed(values: Complex, weights: Float64Array, reach: number): Complex {
  const { length } = weights;
  const [re, im] = [new Float64Array(length), new Float64Array(length)];
  const bell = Float64Array.from(
    { length: reach + 1 },
    (_, away) => 0.5 + 0.5 * Math.cos((Math.PI * away) / (reach + 1)),
  );
  for (let at = 0; at < length; at += 1) {
    let [sumRe, sumIm, sum] = [0, 0, 1e-300];
    for (let place = Math.max(0, at - reach); place <= Math.min(length - 1, at + reach); place += 1) {
      const weight = (bell[Math.abs(place - at)] as number) * (weights[place] as number);
      sumRe += weight * (values.re[place] as number);
      sumIm += weight * (values.im[place] as number);
      sum += weight;
    }
    re[at] = sumRe / sum;
    im[at] = sumIm / sum;
  }
  return { re, im };
}

/** Means of x e^-jk(phase) over blocks, for k = 1 .. count: [harmonic]. */
function demodulate(x: Float32Array, phase: Float64Array, count: number, block: number): Complex[] {
  const blocks = Math.floor(x.length / block);
  const out = Array.from({ length: count }, () => ({ re: new Float64Array(blocks), im: new Float64Array(blocks) }));
  const [cos, sin] = [new Float64Array(block), new Float64Array(block)];
  const [re, im] = [new Float64Array(block), new Float64Array(block)];
  for (let b = 0; b < blocks; b += 1) {
    for (let i = 0; i < block; i += 1) {
      const angle = phase[b * block + i] as number;
      cos[i] = Math.cos(angle);
      sin[i] = Math.sin(angle);
      re[i] = x[b * block + i] as number;
      im[i] = 0;
    }
    for (const { re: outRe, im: outIm } of out) {
      let [sumRe, sumIm] = [0, 0];
      for (let i = 0; i < block; i += 1) {
        const [a, c, s] = [re[i] as number, cos[i] as number, sin[i] as number];
        const bIm = im[i] as number;
        const [nextRe, nextIm] = [a * c + bIm * s, bIm * c - a * s];
        re[i] = nextRe;
        im[i] = nextIm;
        sumRe += nextRe;
        sumIm += nextIm;
      }
      outRe[b] = sumRe / block;
      outIm[b] = sumIm / block;
    }
  }
  return out;
}

const powerOf = ({ re, im }: Complex): Float32Array => Float32Array.from(re, (x, i) => x * x + (im[i] as number) ** 2);

/** The correction of the phase of the first harmonic, radians, block by block. */
function followPhase(lines: readonly Complex[], blockSeconds: number): Float64Array {
  const blocks = lines[0]?.re.length ?? 0;
  const path = new Float64Array(blocks);
  const most = 2 * Math.PI * mostDriftHz * blockSeconds;
  const weights = lines.map((line) => {
    const near = slidingMean(powerOf(line), 1);
    const quiet = percentile(near, quietPhase);
    return Float64Array.from(near, (power) => 1 / (power + quiet + 1e-30));
  });
  for (let round = 0; round < phaseRounds; round += 1) {
    const [turn, weight] = [new Float64Array(blocks), new Float64Array(blocks).fill(1e-30)];
    for (const [index, line] of lines.entries()) {
      const k = index + 1;
      const turned = {
        re: line.re.map((x, b) => {
          const angle = k * (path[b] as number);
          return x * Math.cos(angle) + (line.im[b] as number) * Math.sin(angle);
        }),
        im: line.im.map((y, b) => {
          const angle = k * (path[b] as number);
          return y * Math.cos(angle) - (line.re[b] as number) * Math.sin(angle);
        }),
      };
      const { re, im } = smoothed(turned, weights[index] as Float64Array, phaseReach);
      for (let b = 1; b < blocks; b += 1) {
        const [a, c, d, e] = [re[b - 1], im[b - 1], re[b], im[b]] as [number, number, number, number];
        const size = Math.min(a * a + c * c, d * d + e * e) * k * k;
        turn[b] = (turn[b] as number) + (size * Math.atan2(e * a - d * c, d * a + e * c)) / k;
        weight[b] = (weight[b] as number) + size;
      }
    }
    const steps = turn.map((sum, b) => Math.max(-most, Math.min(most, sum / (weight[b] as number))));
    const even = smoothed({ re: steps, im: steps }, new Float64Array(blocks).fill(1), frequencyReach).re;
    let sum = 0;
    for (let b = 1; b < blocks; b += 1) path[b] = (path[b] as number) + (sum += even[b] as number);
  }
  return path;
}

/** Interpolates values that belong to the middles of blocks. */
function between(values: Float64Array, block: number, at: number): number {
  const place = (at + 0.5) / block - 0.5;
  const left = Math.min(values.length - 1, Math.max(0, Math.floor(place)));
  const right = Math.min(values.length - 1, left + 1);
  const share = Math.min(1, Math.max(0, place - left));
  return (values[left] as number) * (1 - share) + (values[right] as number) * share;
}

/** The amplitude of a line, step by step; null when it does not stand out. */
function sizeOf(line: Complex, steps: number, reach: number): Complex | null {
  const near = slidingMean(powerOf(line), nearBlocks >> 1);
  const quiet = percentile(near, quietSize);
  const weights = Float64Array.from(near, (power) => (power + quiet + 1e-30) ** -weightPower);
  const [re, im, weight] = [new Float64Array(steps), new Float64Array(steps), new Float64Array(steps)];
  for (let b = 0; b < steps * blocksPerStep; b += 1) {
    const step = Math.floor(b / blocksPerStep);
    const own = weights[b] ?? 0;
    re[step] = (re[step] as number) + own * (line.re[b] ?? 0);
    im[step] = (im[step] as number) + own * (line.im[b] ?? 0);
    weight[step] = (weight[step] as number) + own;
  }
  const mean = {
    re: re.map((x, step) => x / ((weight[step] as number) + 1e-300)),
    im: im.map((x, step) => x / ((weight[step] as number) + 1e-300)),
  };
  const size = smoothed(mean, weight, reach);
  const bound = percentile(near, quietQuarter);
  let [kept, rest] = [0, 1e-30];
  for (const [b, power] of near.entries()) {
    const step = Math.floor(b / blocksPerStep);
    if (power > bound || step >= steps) continue;
    const [a, c] = [size.re[step] as number, size.im[step] as number];
    kept += a * a + c * c;
    rest += ((line.re[b] as number) - a) ** 2 + ((line.im[b] as number) - c) ** 2;
  }
  return kept > leastCoherence * rest ? size : null;
}

/**
 * The mains hum in a stretch of sound, with the same length. The phase of the mains is followed by the first seven
 * harmonics; then each harmonic's size is a mean over two seconds, weighted by how little else sounds near it, so that
 * a voice does not pull it. Harmonics that do not stand out in the quietest quarter are left alone.
 * @param hz about: within 0.2 Hz
 */
export function estimateHum(x: Float32Array, rate: number, hz: number): Float32Array {
  const phase = Float64Array.from(x, (_, n) => (2 * Math.PI * hz * n) / rate);
  const block = Math.max(1, Math.round(phaseSeconds * rate));
  const out = new Float32Array(x.length);
  if (x.length < 2 * block) return out;
  const path = followPhase(demodulate(x, phase, phaseHarmonics, block), block / rate);
  for (let n = 0; n < phase.length; n += 1) phase[n] = (phase[n] as number) + between(path, block, n);

  const count = Math.floor(Math.min(highestHz, 0.45 * rate) / hz);
  const small = Math.max(1, Math.round(sizeSeconds * rate));
  const lines = demodulate(x, phase, count, small);
  const steps = Math.max(1, Math.floor((lines[0]?.re.length ?? 0) / blocksPerStep));
  const reach = Math.round((sizeReachSeconds * rate) / small / blocksPerStep);
  const sizes = lines.map((line) => sizeOf(line, steps, reach));
  const step = small * blocksPerStep;
  for (const [index, size] of sizes.entries()) {
    if (!size) continue;
    const k = index + 1;
    for (let n = 0; n < x.length; n += 1) {
      const angle = k * (phase[n] as number);
      const [a, c] = [between(size.re, step, n), between(size.im, step, n)];
      out[n] = (out[n] as number) + 2 * (a * Math.cos(angle) - c * Math.sin(angle));
    }
  }
  return out;
}
