// Every kernel on the same material, as plain numbers: for comparing cuts, instruction sets and threads with one
// another. Run as a program it prints them as V8 serialises them.
import { serialize } from 'node:v8';
import { createEnvelope } from '../../../src/library/kernels/envelope.ts';
import { createFir } from '../../../src/library/kernels/fir.ts';
import { createLimiter } from '../../../src/library/kernels/limiter.ts';
import { nativeKernels } from '../../../src/library/kernels/load.ts';
import { createLoudness } from '../../../src/library/kernels/loudness.ts';
import { applyGain, crossfade, mixInto, tileRanges, toPcm16 } from '../../../src/library/kernels/ops.ts';
import { createPeaks } from '../../../src/library/kernels/peaks.ts';
import { createRateConverter } from '../../../src/library/kernels/rate-converter.ts';
import { createSpectrum } from '../../../src/library/kernels/spectrum.ts';
import { createStats } from '../../../src/library/kernels/stats.ts';
import { createStft } from '../../../src/library/kernels/stft.ts';
import { createTruePeak } from '../../../src/library/kernels/true-peak.ts';
import { make, noise } from './signals.ts';

export interface Format {
  readonly sampleRate: number;
  readonly channels: number;
}

export interface Running {
  push(planes: readonly Float32Array[]): void;
  /** Everything the kernel says, as numbers (null as NaN). */
  end(): Numbers;
}

export type Numbers = Float32Array | Float64Array;

/** One behind the other: millions of samples, for which plain arrays would be slow. */
function joined(parts: readonly ArrayLike<number>[]): Numbers {
  const length = parts.reduce((sum, part) => sum + part.length, 0);
  const all = parts.every((part) => part instanceof Float32Array) ? new Float32Array(length) : new Float64Array(length);
  let at = 0;
  for (const part of parts) {
    all.set(part, at);
    at += part.length;
  }
  return all;
}

const numbers = (value: unknown): number[] => {
  if (typeof value === 'number') return [value];
  if (value === null) return [NaN];
  if (ArrayBuffer.isView(value)) return [...(value as Float32Array)];
  if (Array.isArray(value)) return value.flatMap(numbers);
  if (typeof value === 'object') return Object.values(value).flatMap(numbers);
  throw new Error(`not made of numbers: a ${typeof value}`);
};

export const kernels: Readonly<Record<string, (format: Format) => Running>> = {
  peaks(format) {
    const k = createPeaks(format);
    return { push: (planes) => k.push(planes), end: () => joined([numbers(k.finish())]) };
  },
  loudness({ sampleRate, channels }) {
    const k = createLoudness({
      sampleRate,
      weights: Array.from({ length: channels }, (_, c) => (c === 3 ? 0 : c > 3 ? 10 ** 0.15 : 1)),
    });
    return { push: (planes) => k.push(planes), end: () => joined([numbers(k.result()), k.shortTermSeries()]) };
  },
  truePeak(format) {
    const k = createTruePeak(format);
    return { push: (planes) => k.push(planes), end: () => joined([numbers(k.finish())]) };
  },
  stats(format) {
    const k = createStats(format);
    return { push: (planes) => k.push(planes), end: () => joined([numbers(k.result())]) };
  },
  envelope(format) {
    const k = createEnvelope({ ...format, hopSeconds: Math.max(0.0107, 1 / format.sampleRate) });
    return { push: (planes) => k.push(planes), end: () => joined([numbers(k.finish())]) };
  },
  spectrum(format) {
    const k = createSpectrum({ ...format, size: 1024, everySeconds: Math.max(0.03, 64 / format.sampleRate) });
    return { push: (planes) => k.push(planes), end: () => joined([numbers(k.result())]) };
  },
  spectrumOverlapping(format) {
    const k = createSpectrum({ ...format, size: 2048, everySeconds: 700 / format.sampleRate });
    return { push: (planes) => k.push(planes), end: () => joined([numbers(k.result())]) };
  },
  limiter(format) {
    const k = createLimiter({ ...format, ceilingDbtp: -2, gainDb: 5, releaseMs: 20 });
    const out: Float32Array[][] = Array.from({ length: format.channels }, () => []);
    const pass = (planes: readonly Float32Array[]): void => {
      const to = planes.map((p) => new Float32Array(p.length));
      k.process(planes, to);
      to.forEach((p, c) => out[c]!.push(p));
    };
    return {
      push: pass,
      end() {
        pass(Array.from({ length: format.channels }, () => new Float32Array(k.latencyFrames)));
        return joined([...out.flat(), [k.maxReductionDb()]]);
      },
    };
  },
  fir(format) {
    const k = createFir({ channels: format.channels, taps: noise(301, 77) });
    const out: Float32Array[][] = Array.from({ length: format.channels }, () => []);
    const pass = (planes: readonly Float32Array[]): void => {
      const to = planes.map((p) => p.slice());
      k.process(to, to);
      to.forEach((p, c) => out[c]!.push(p));
    };
    return {
      push: pass,
      end() {
        pass(Array.from({ length: format.channels }, () => new Float32Array(k.latencyFrames)));
        return joined(out.flat());
      },
    };
  },
  rateConverter({ sampleRate, channels }) {
    // To 48 kHz; and 48 kHz to a rate whose weights do not repeat for a long time.
    const toRate = sampleRate === 48_000 ? 44_101 : 48_000;
    const k = createRateConverter({ fromRate: sampleRate, toRate, channels });
    const out: Float32Array[][] = Array.from({ length: channels }, () => []);
    const take = (frames: number, write: (to: Float32Array[]) => void): void => {
      const to = Array.from({ length: channels }, () => new Float32Array(frames));
      write(to);
      to.forEach((plane, c) => out[c]!.push(plane));
    };
    return {
      push: (planes) => take(k.ready(planes[0]!.length), (to) => k.process(planes, to)),
      end() {
        take(k.rest(), (to) => k.flush(to));
        return joined(out.flat());
      },
    };
  },
  pcm16({ channels }) {
    const out: Float32Array[] = [];
    let firstFrame = 0;
    return {
      push(planes) {
        const frames = planes[0]!.length;
        const to = new Int16Array(frames * channels);
        toPcm16(planes, frames, to, { dithered: true, firstFrame });
        firstFrame += frames;
        out.push(Float32Array.from(to));
      },
      end: () => joined(out),
    };
  },
  stft(format) {
    // Keeps no stream of its own: what came is transformed there and back at the end.
    const [frame, hop] = [60, 25];
    const k = createStft({ window: make(frame, (i) => Math.sin((Math.PI * (i + 0.5)) / frame)), hop });
    const held: Float32Array[][] = Array.from({ length: format.channels }, () => []);
    return {
      push: (planes) => planes.forEach((p, c) => held[c]!.push(p.slice())),
      end: () => {
        const parts = held.flatMap((blocks) => {
          const samples = joined(blocks);
          const count = Math.max(1, Math.ceil((samples.length - frame) / hop) + 1);
          const input = new Float32Array((count - 1) * hop + frame);
          input.set(samples);
          const [re, im, out] = [
            new Float32Array(count * k.bins),
            new Float32Array(count * k.bins),
            new Float32Array(input.length),
          ];
          k.forward(input, count, 1, re, im);
          k.inverse(re, im, count, 1 / frame, out);
          return [re, im, out];
        });
        return joined(parts);
      },
    };
  },
};

/** Noise that swells and fades over a tone and an offset, some of it beyond full scale. */
export function material({ sampleRate, channels }: Format, seconds: number, seed: number): Float32Array[] {
  const frames = Math.round(sampleRate * seconds);
  return Array.from({ length: channels }, (_, c) => {
    const hiss = noise(frames, seed * 100 + c);
    return make(
      frames,
      (i) =>
        0.01 + (0.55 + 0.5 * Math.sin(i / (3001 + 100 * c))) * (0.4 * hiss[i]! + 0.7 * Math.sin((i * (c + 2)) / 37)),
    );
  });
}

export function runAll(format: Format, planes: readonly Float32Array[]): Record<string, Numbers> {
  const result: Record<string, Numbers> = {};
  for (const [name, make_] of Object.entries(kernels)) {
    const kernel = make_(format);
    kernel.push(planes);
    result[name] = kernel.end();
  }
  result.ops = runOps(planes);
  return result;
}

function runOps(planes: readonly Float32Array[]): Numbers {
  const a = planes.map((p) => p.slice(0, 5000));
  const b = planes.map((p) => p.slice(5000, 10000));
  applyGain(a, 0.7);
  mixInto(a, b, -0.31);
  const faded = a.map((p) => new Float32Array(p.length));
  crossfade(a, b, faded, 'equal-power');
  const ranges = faded.map((p) => {
    const out = new Float32Array(10);
    tileRanges(p, 1024, out);
    return out;
  });
  return joined([...faded, ...b, ...ranges]);
}

if (process.argv[1] === import.meta.filename) {
  const results: Record<string, Record<string, Numbers>> = {};
  for (const format of [
    { sampleRate: 48000, channels: 2 },
    { sampleRate: 44100, channels: 1 },
    { sampleRate: 96000, channels: 6 },
    { sampleRate: 11025, channels: 3 },
  ]) {
    results[`${format.sampleRate}/${format.channels}`] = runAll(format, material(format, 3.7, 5));
  }
  process.stdout.write(serialize({ simd: nativeKernels().simd, results }));
}
