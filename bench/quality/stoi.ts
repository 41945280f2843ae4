// Short-time objective intelligibility: Taal, Hendriks, Heusdens, Jensen, "An Algorithm for Intelligibility Prediction
// of Time-Frequency Weighted Noisy Speech", IEEE TASLP 19(7), 2011.
import { createStft } from '../../src/library/kernels/stft.ts';
import { resampled } from './voice-cases.ts';

const rateHz = 10_000;
const frame = 256;
const hop = 128;
const fftLength = 512;
const bands = 15;
const lowestCentreHz = 150;
/** Frames of a segment: 384 ms. */
const segmentFrames = 30;
/** Frames of the reference this far under its strongest one are left out of both. */
const silentDb = 40;
/**
 * 1 + 10^(15/20): how far the estimate may lie over the reference, for a lowest signal-to-distortion ratio of -15 dB.
 */
const clipFactor = 1 + 10 ** (15 / 20);

/** Hann without its zeros at the ends. */
const window = Float64Array.from(
  { length: frame },
  (_, i) => 0.5 - 0.5 * Math.cos((2 * Math.PI * (i + 1)) / (frame + 1)),
);
// The last whole frame is not used: so does the authors' own program, whose values are the published ones.
const frameCount = (length: number): number => Math.max(0, Math.ceil((length - frame) / hop));

/** Starts of the frames in which the reference is not silent. */
function speechFrames(reference: Float32Array): number[] {
  const energies = Array.from({ length: frameCount(reference.length) }, (_, t) => {
    let sum = 0;
    for (let i = 0; i < frame; i += 1) sum += ((window[i] as number) * (reference[t * hop + i] as number)) ** 2;
    return sum;
  });
  const floor = energies.reduce((most, x) => Math.max(most, x), 0) * 10 ** (-silentDb / 10);
  return energies.flatMap((energy, t) => (energy > floor ? [t * hop] : []));
}

/** The frames put together again by overlap-add, as if there had been nothing between them. */
function joined(samples: Float32Array, starts: readonly number[]): Float32Array {
  const out = new Float64Array(Math.max(0, (starts.length - 1) * hop + frame));
  for (const [t, from] of starts.entries()) {
    for (let i = 0; i < frame; i += 1)
      out[t * hop + i] = (out[t * hop + i] as number) + (window[i] as number) * (samples[from + i] ?? 0);
  }
  return Float32Array.from(out);
}

/** First bin of each band, and behind its last one. */
const bandEdges = Array.from(
  { length: bands },
  (_, k) =>
    [2 * k - 1, 2 * k + 1].map((sixth) => Math.round((lowestCentreHz * 2 ** (sixth / 6) * fftLength) / rateHz)) as [
      number,
      number,
    ],
);

/** Magnitudes in one-third octaves, frame after frame for each band. */
function thirdOctaves(samples: Float32Array): Float64Array[] {
  const padded = new Float32Array(fftLength);
  padded.set(window);
  const stft = createStft({ window: padded, hop });
  const count = frameCount(samples.length);
  const [re, im] = [new Float32Array(count * stft.bins), new Float32Array(count * stft.bins)];
  // Behind the window only zeros are looked at.
  const long = new Float32Array(samples.length + fftLength);
  long.set(samples);
  stft.forward(long, count, 1, re, im);
  return bandEdges.map(([from, to]) =>
    Float64Array.from({ length: count }, (_, t) => {
      let sum = 0;
      for (let k = t * stft.bins + from; k < t * stft.bins + to; k += 1)
        sum += (re[k] as number) ** 2 + (im[k] as number) ** 2;
      return Math.sqrt(sum);
    }),
  );
}

const norm = (values: Float64Array): number => Math.sqrt(values.reduce((sum, x) => sum + x * x, 0));

/** Correlation coefficient; 0 where one of them does not vary. */
function correlation(a: Float64Array, b: Float64Array): number {
  const [meanA, meanB] = [a, b].map((values) => values.reduce((sum, x) => sum + x, 0) / values.length) as [
    number,
    number,
  ];
  const [fromA, fromB] = [a.map((x) => x - meanA), b.map((x) => x - meanB)];
  const scale = norm(fromA) * norm(fromB);
  return scale === 0 ? 0 : fromA.reduce((sum, x, i) => sum + x * (fromB[i] as number), 0) / scale;
}

/**
 * STOI, up to 1. Compares where the reference has speech; 15 one-third octaves from 150 Hz, segments of 384 ms.
 * @throws Error when less than one segment of speech is left
 */
export function stoi(estimate: Float32Array, reference: Float32Array, sampleRate: number): number {
  const [x, y] = [reference, estimate].map((plane) =>
    sampleRate === rateHz ? plane : resampled(plane, sampleRate, rateHz),
  ) as [Float32Array, Float32Array];
  const starts = speechFrames(x);
  const [clean, degraded] = [thirdOctaves(joined(x, starts)), thirdOctaves(joined(y, starts))];
  const frames = clean[0]?.length ?? 0;
  if (frames < segmentFrames)
    throw new Error(`Expected at least ${segmentFrames} frames of speech for STOI but found ${frames}`);
  let sum = 0;
  for (const [band, values] of clean.entries()) {
    for (let end = segmentFrames; end <= frames; end += 1) {
      const wanted = values.subarray(end - segmentFrames, end);
      const got = (degraded[band] as Float64Array).subarray(end - segmentFrames, end);
      const level = norm(got);
      const scale = level === 0 ? 0 : norm(wanted) / level;
      sum += correlation(
        wanted,
        got.map((value, t) => Math.min(value * scale, (wanted[t] as number) * clipFactor)),
      );
    }
  }
  return sum / (bands * (frames - segmentFrames + 1));
}
