import { createStft } from '../../../kernels/stft.ts';
import { meterSteadiness } from '../../voicing/tone-steadiness.ts';
import { createSampleWindow, type SampleWindow } from '../suppressor/sample-window.ts';
import { suppressorRate } from '../suppressor/suppressor.ts';

/** 10 ms. */
export const hopFrames = 480;
export const hopsPerSecond = suppressorRate / hopFrames;

/** Sound is listened to at 8 kHz: a voice is there, and what it costs is a sixth. */
const factor = 6;
const hop = hopFrames / factor;
const frame = 256;
const binHz = suppressorRate / factor / frame;
/** A hop stands in the middle of its frame. */
const ahead = (frame - hop) / 2;
/** Rumble does not count, and neither does what aliases. */
const firstBin = Math.round(150 / binHz);
const lastBin = Math.round(3700 / binHz);
/** Edges of the bands in which onsets are looked for: equally wide in octaves. */
const edges = Array.from({ length: 13 }, (_, band) => Math.round((150 * (3700 / 150) ** (band / 12)) / binHz));
/** Bins whose mean over half a second tells one chord from another: 100 Hz to 2 kHz. */
export const chordBins = 62;
const firstChordBin = 3;
/** Hops to a mean. */
export const chordHops = 50;

/** What is heard every 10 ms; numbers of hops are absolute. */
export interface Hearing {
  /** Hops that are complete. */
  readonly end: number;
  /** Power between 150 and 3700 Hz. */
  readonly power: (from: number, to: number) => Float32Array;
  /** Mean rise of the bands' levels over 20 ms, dB. */
  readonly onset: (from: number, to: number) => Float32Array;
  /** Share of the power in steady tones, 0 to 1. */
  readonly steady: (from: number, to: number) => Float32Array;
  /** Depth of the spectrum's ripple, dB. */
  readonly ripple: (from: number, to: number) => Float32Array;
  /** Mean magnitudes of half seconds. */
  readonly chord: (block: number) => Float32Array | undefined;
  push(plane: Float32Array, frames: number): void;
  discard(beforeHop: number): void;
}

const window = Float32Array.from({ length: frame }, (_, i) => 0.5 - 0.5 * Math.cos((2 * Math.PI * (i + 0.5)) / frame));

/** @param tones false: only power is wanted */
export function createHearing(tones: boolean): Hearing {
  const stft = createStft({ window, hop });
  const { bins } = stft;
  const slow = createSampleWindow(1);
  const heard: SampleWindow = createSampleWindow(2);
  const tonality: SampleWindow = createSampleWindow(2);
  const steadiness = tones ? meterSteadiness(suppressorRate) : null;
  const chords = new Map<number, Float32Array>();
  let [sum, count, next] = [0, 0, 0];
  let before: readonly [Float32Array, Float32Array] = [
    new Float32Array(edges.length - 1),
    new Float32Array(edges.length - 1),
  ];

  const analyse = (from: number, to: number): void => {
    const samples = slow.read(0, from * hop - ahead, to * hop + frame - ahead);
    const [re, im] = [new Float32Array((to - from) * bins), new Float32Array((to - from) * bins)];
    stft.forward(samples, to - from, 1 / frame, re, im);
    const [powers, onsets] = [new Float32Array(to - from), new Float32Array(to - from)];
    for (let t = 0; t < to - from; t += 1) {
      const at = t * bins;
      let power = 0;
      for (let k = firstBin; k < lastBin; k += 1) power += (re[at + k] as number) ** 2 + (im[at + k] as number) ** 2;
      powers[t] = power;
      if (!tones) continue;
      const levels = new Float32Array(edges.length - 1);
      let rise = 0;
      for (let band = 0; band < levels.length; band += 1) {
        let inBand = 1e-9;
        for (let k = edges[band] as number; k < (edges[band + 1] as number); k += 1)
          inBand += (re[at + k] as number) ** 2 + (im[at + k] as number) ** 2;
        levels[band] = 10 * Math.log10(inBand);
        rise += Math.max(0, (levels[band] as number) - (before[0][band] as number));
      }
      onsets[t] = rise / levels.length;
      before = [before[1], levels];
      const block = Math.floor((from + t) / chordHops);
      let chord = chords.get(block);
      if (!chord) chords.set(block, (chord = new Float32Array(chordBins)));
      for (let k = 0; k < chordBins; k += 1)
        chord[k] =
          (chord[k] as number) + Math.hypot(re[at + firstChordBin + k] as number, im[at + firstChordBin + k] as number);
    }
    heard.append([powers, onsets], to - from);
    slow.discard(to * hop - ahead);
  };

  const tonesOf = (which: 0 | 1) => (from: number, to: number): Float32Array => {
    const step = (steadiness?.hopSeconds ?? 1) * hopsPerSecond;
    // A value stands in the middle of its window, which is two steps long.
    const place = (at: number): number => Math.floor((at + 0.5) / step - 0.5);
    const values = tonality.read(which, place(from), place(to - 1) + 1);
    return Float32Array.from({ length: to - from }, (_, i) => values[place(from + i) - place(from)] ?? 0);
  };

  return {
    get end() {
      return heard.end;
    },
    power: (from, to) => heard.read(0, from, to),
    onset: (from, to) => heard.read(1, from, to),
    steady: tonesOf(0),
    ripple: tonesOf(1),
    chord: (block) => chords.get(block),
    push(plane, frames) {
      const out = new Float32Array(Math.ceil((frames + count) / factor));
      let got = 0;
      for (let i = 0; i < frames; i += 1) {
        const x = plane[i] as number;
        sum += x < 1e6 && x > -1e6 ? x : 0;
        count += 1;
        if (count < factor) continue;
        out[got] = sum / factor;
        got += 1;
        [sum, count] = [0, 0];
      }
      slow.append([out], got);
      if (steadiness) {
        steadiness.push({ planes: [plane], frames });
        const { steady, ripple } = steadiness.take();
        tonality.append([steady, ripple], steady.length);
      }
      const ready = Math.floor((slow.end - frame + ahead) / hop) + 1;
      if (ready > next) analyse(next, ready);
      next = Math.max(next, ready);
    },
    discard(beforeHop) {
      heard.discard(beforeHop);
      tonality.discard(Math.floor(beforeHop / ((steadiness?.hopSeconds ?? 1) * hopsPerSecond)) - 2);
      for (const block of chords.keys()) if ((block + 1) * chordHops <= beforeHop) chords.delete(block);
    },
  };
}
