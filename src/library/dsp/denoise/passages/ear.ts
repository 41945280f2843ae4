import { createStft } from '../../../kernels/stft.ts';
import { meterSteadiness } from '../../voicing/tone-steadiness.ts';
import { suppressorRate } from '../suppressor/suppressor.ts';
import { meterStandingTones, type ToneBlock } from './standing-tones.ts';
import { earFactor, earRate, hopFrames, hopsPerSecond } from './power-ear.ts';

const hop = hopFrames / earFactor;
const frame = 256;
const binHz = earRate / frame;
/** A hop is in the middle of its frame. */
const ahead = (frame - hop) / 2;
/** Band edges for onset detection: equally wide in octaves. */
const edges = Array.from({ length: 13 }, (_, band) => Math.round((150 * (3700 / 150) ** (band / 12)) / binHz));
const bandCount = edges.length - 1;
/** Bins whose mean over half a second distinguishes chords: 100 Hz to 2 kHz. */
const chordBins = 62;
const firstChordBin = 3;
const chordHops = hopsPerSecond / 2;
/** A tone is steady after a quarter of a second, so the meters start this much earlier. */
const leadSeconds = 0.5;
const tailSeconds = 0.14;
/** Seconds before and after a second that contribute to its character. */
export const characterReachSeconds = leadSeconds;

/** Features of one second, every 10 ms. */
export interface SecondHeard {
  /** Mean rise of twelve bands' levels over 20 ms, dB. */
  readonly onset: Float32Array;
  /** Share of the power in steady tones, 0 to 1 (see tone-steadiness.ts). */
  readonly steady: Float32Array;
  /** Depth of the spectrum's ripple, dB. */
  readonly ripple: Float32Array;
  /** Mean magnitudes of both half seconds. */
  readonly chords: readonly [Float32Array, Float32Array];
  /** Constant tones in both half seconds. */
  readonly tones: readonly ToneBlock[];
}

const window = Float32Array.from({ length: frame }, (_, i) => 0.5 - 0.5 * Math.cos((2 * Math.PI * (i + 0.5)) / frame));
let transform: ReturnType<typeof createStft> | null = null;

function decimated(plane: Float32Array): Float32Array {
  const out = new Float32Array(Math.floor(plane.length / earFactor));
  for (let i = 0, at = 0; i < out.length; i += 1) {
    let sum = 0;
    for (const end = at + earFactor; at < end; at += 1) {
      const x = plane[at] as number;
      if (x < 1e6 && x > -1e6) sum += x;
    }
    out[i] = sum / earFactor;
  }
  return out;
}

/** @param samples frames [from, to) of the recording in mono at 48 kHz; zeros outside */
export function hearSecond(second: number, samples: (from: number, to: number) => Float32Array): SecondHeard {
  const stft = (transform ??= createStft({ window, hop }));
  const { bins } = stft;
  const from = (second - leadSeconds) * suppressorRate;
  const plane = samples(from, (second + 1 + tailSeconds) * suppressorRate);
  const slow = decimated(plane);
  // Two more hops at the front: onsets are rises over two hops.
  const count = hopsPerSecond + 2;
  const [re, im] = [new Float32Array(count * bins), new Float32Array(count * bins)];
  stft.forward(slow.subarray(leadSeconds * earRate - 2 * hop - ahead), count, 1 / frame, re, im);
  const onset = new Float32Array(hopsPerSecond);
  const chords: [Float32Array, Float32Array] = [new Float32Array(chordBins), new Float32Array(chordBins)];
  const levels = new Float32Array(count * bandCount);
  for (let t = 0; t < count; t += 1) {
    let rise = 0;
    for (let band = 0; band < bandCount; band += 1) {
      let power = 1e-9;
      for (let k = t * bins + (edges[band] as number); k < t * bins + (edges[band + 1] as number); k += 1)
        power += (re[k] as number) ** 2 + (im[k] as number) ** 2;
      levels[t * bandCount + band] = 10 * Math.log10(power);
      if (t > 1)
        rise += Math.max(0, (levels[t * bandCount + band] as number) - (levels[(t - 2) * bandCount + band] as number));
    }
    if (t < 2) continue;
    onset[t - 2] = rise / bandCount;
    const chord = chords[t - 2 < chordHops ? 0 : 1];
    for (let k = 0; k < chordBins; k += 1) {
      const at = t * bins + firstChordBin + k;
      chord[k] = (chord[k] as number) + Math.sqrt((re[at] as number) ** 2 + (im[at] as number) ** 2);
    }
  }
  const meter = meterSteadiness(suppressorRate);
  meter.push({ planes: [plane], frames: plane.length });
  const { steady, ripple } = meter.take();
  const step = meter.hopSeconds * hopsPerSecond;
  const spread = (values: Float32Array): Float32Array =>
    Float32Array.from({ length: hopsPerSecond }, (_, t) => {
      // A value is in the middle of its window, which is two steps long.
      const place = Math.round((t + 0.5 + leadSeconds * hopsPerSecond) / step - 1);
      return values[Math.min(values.length - 1, place)] ?? 0;
    });
  const standing = meterStandingTones();
  standing.push(slow);
  const tones = standing.blocks(leadSeconds, leadSeconds + 1);
  return { onset, steady: spread(steady), ripple: spread(ripple), chords, tones };
}

/** The recording before and after the suppressor, as far as it is still needed. */
export interface Hearing {
  /** Number of complete hops. */
  readonly end: number;
  heard(from: number, to: number): Float32Array;
  left(from: number, to: number): Float32Array;
  /** Computed once, when needed: most recordings never need it. */
  second(second: number): SecondHeard;
}

/** Hops [from, to) of one of the series, across seconds. */
export function seriesOf(
  hearing: Hearing,
  which: 'onset' | 'steady' | 'ripple',
  from: number,
  to: number,
): Float32Array {
  const out = new Float32Array(Math.max(0, to - from));
  for (let hopAt = from; hopAt < to;) {
    const second = Math.floor(hopAt / hopsPerSecond);
    const end = Math.min(to, (second + 1) * hopsPerSecond);
    const first = second * hopsPerSecond;
    out.set(hearing.second(second)[which].subarray(hopAt - first, end - first), hopAt - from);
    hopAt = end;
  }
  return out;
}
