import { meterSteadiness } from '../../voicing/tone-steadiness.ts';
import { suppressorRate } from '../suppressor/suppressor.ts';
import { hopsPerSecond } from './power-ear.ts';

/** A tone is steady after a quarter of a second, so the meters start this much earlier. */
const leadSeconds = 0.5;
const tailSeconds = 0.14;
/** Seconds before and after a second that contribute to its character. */
export const characterReachSeconds = leadSeconds;

/** Features of one second, every 10 ms. */
export interface SecondHeard {
  /** Share of the power in steady tones, 0 to 1 (see tone-steadiness.ts). */
  readonly steady: Float32Array;
  /** Depth of the spectrum's ripple, dB. */
  readonly ripple: Float32Array;
}

/** @param samples frames [from, to) of the recording in mono at 48 kHz; zeros outside */
export function hearSecond(second: number, samples: (from: number, to: number) => Float32Array): SecondHeard {
  const from = (second - leadSeconds) * suppressorRate;
  const plane = samples(from, (second + 1 + tailSeconds) * suppressorRate);
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
  return { steady: spread(steady), ripple: spread(ripple) };
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
export function seriesOf(hearing: Hearing, which: 'steady' | 'ripple', from: number, to: number): Float32Array {
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
