import { describe, expect, it } from 'vitest';
import { createLimiter } from '../../../src/library/kernels/limiter.ts';
import { createTruePeak } from '../../../src/library/kernels/true-peak.ts';
import { noFfmpeg, readByFfmpeg } from './ffmpeg.ts';
import { db, fromDb, make, noise, seeded } from './signals.ts';
import { eachOf } from '../../fixtures/rounds.ts';

interface Settings {
  readonly ceilingDbtp: number;
  readonly gainDb?: number;
  readonly lookaheadMs?: number;
  readonly releaseMs?: number;
}

/** The whole signal through, end flushed, lag removed. */
function limit(planes: readonly Float32Array[], sampleRate: number, settings: Settings) {
  const limiter = createLimiter({ sampleRate, channels: planes.length, ...settings });
  const lag = limiter.latencyFrames;
  const padded = planes.map((p) => {
    const longer = new Float32Array(p.length + lag);
    longer.set(p);
    return longer;
  });
  limiter.process(padded, padded);
  return {
    out: padded.map((p) => p.subarray(lag)),
    before: padded.map((p) => p.subarray(0, lag)),
    lag,
    reductionDb: limiter.maxReductionDb(),
  };
}

// The meter of 4 points a sample at every rate: stricter than BS.1770 asks for above 96 kHz.
const truePeakDb = (planes: readonly Float32Array[]): number => {
  const meter = createTruePeak({ sampleRate: 48000, channels: planes.length });
  meter.push(planes);
  return db(meter.finish().truePeak);
};

function hotSignals(sampleRate: number): Record<string, Float32Array[]> {
  const n = sampleRate * 4;
  /** What repeats itself does so often enough in two seconds. */
  const short = sampleRate * 2;
  const random = seeded(77);
  const gauss = (): number => Math.sqrt(-2 * Math.log(random() + 1e-12)) * Math.cos(2 * Math.PI * random());
  return {
    'white noise': [noise(n, 1), noise(n, 2)],
    'Gaussian noise': [make(n, gauss), make(n, gauss)],
    'bursts of noise': [noise(n, 3).map((x, i) => (i % 9001 < 800 ? 3 * x : 0.05 * x))],
    'fs/4 at 45 degrees': [make(short, (i) => Math.sin((Math.PI / 2) * i + Math.PI / 4))],
    'fs/4, hotter than full scale': [make(short, (i) => Math.SQRT2 * Math.sin((Math.PI / 2) * i + Math.PI / 4))],
    'square wave': [make(short, (i) => (i % 109 < 54 ? 1 : -1))],
    'square wave, asymmetric': [make(short, (i) => (i % 1009 < 13 ? 1 : -0.4))],
    impulses: [make(short, (i) => (i % 4801 === 0 ? 2 : i % 4801 === 7 ? -1.9 : 0))],
    'near the Nyquist frequency': [make(short, (i) => (i % 2 ? -1 : 1) * Math.sin(i * 0.001))],
    'bands around 8 and 11 kHz': [8000, 11_000].map((hz) => {
      const tones = Array.from({ length: 9 }, (_, k) => [hz - 400 + 100 * k, 6.28 * random()] as const);
      return make(
        short,
        (i) => 0.3 * tones.reduce((x, [f, p]) => x + Math.sin((2 * Math.PI * f * i) / sampleRate + p), 0),
      );
    }),
    'steps of a low tone': [make(short, (i) => Math.sin(i * 0.01) * (Math.floor(i / 7000) % 2 ? 1 : 0.1))],
  };
}

describe.each([44100, 48000, 96000, 192000])('limiter at %i Hz', (sampleRate) => {
  const signals = hotSignals(sampleRate);
  eachOf(Object.keys(signals))('keeps %s under the ceiling, by our meter and by ffmpeg', (name) => {
    if (noFfmpeg) console.log(`ffmpeg's reading skipped: ${noFfmpeg}`);
    const settings: Settings[] = [
      { ceilingDbtp: -1, gainDb: 9 },
      { ceilingDbtp: -6, gainDb: 12, lookaheadMs: 1, releaseMs: 5 },
    ];
    const limited = settings.map((s) => limit(signals[name]!, sampleRate, s));
    for (const [n, s] of settings.entries()) {
      const { out, reductionDb } = limited[n]!;
      const over = truePeakDb(out) - s.ceilingDbtp;
      expect(over, `our meter, ${JSON.stringify(s)}`).toBeLessThanOrEqual(0.05);
      // Not crushed either: what was over the ceiling ends near it. (Square waves ring between our meter's points.)
      expect(over).toBeGreaterThan(-0.3);
      expect(reductionDb).toBeGreaterThan(3);
    }
    if (noFfmpeg) return;
    // Both in one run, beside each other. ffmpeg's resampler continues a stream on both sides by its own mirror image;
    // what really lies there is silence.
    const channels = limited.flatMap(({ out }) => out);
    const { truePeaks } = readByFfmpeg(
      channels.map((p) => {
        const followed = new Float32Array(p.length + 128);
        followed.set(p, 64);
        return followed;
      }),
      sampleRate,
    );
    for (const [n, s] of settings.entries()) {
      const each = channels.length / settings.length;
      const other = db(Math.max(...truePeaks.slice(n * each, (n + 1) * each))) - s.ceilingDbtp;
      expect(other, `ffmpeg, ${JSON.stringify(s)}`).toBeLessThanOrEqual(0.05);
    }
  });

  it('passes what stays under the ceiling bit for bit, times the gain, exactly latencyFrames late', () => {
    const planes = [noise(20000, 5, 0.2), noise(20000, 6, 0.2)];
    for (const gainDb of [0, 3.7, -8]) {
      const { out, before, reductionDb } = limit(planes, sampleRate, { ceilingDbtp: -1, gainDb });
      const gain = Math.fround(fromDb(gainDb));
      expect(out).toEqual(planes.map((p) => p.map((x) => Math.fround(x * gain))));
      for (const p of before) expect(p.every((x) => x === 0)).toBe(true);
      expect(reductionDb).toBe(0);
    }
  });

  it('returns to bit-exact after a peak', () => {
    const plane = noise(sampleRate * 3, 8, 0.2);
    plane[1000] = 4;
    const { out, lag, reductionDb } = limit([plane], sampleRate, { ceilingDbtp: -1, releaseMs: 50 });
    expect(reductionDb).toBeGreaterThan(10);
    expect(Math.abs(out[0]![1000]!)).toBeLessThanOrEqual(fromDb(-0.95));
    expect(out[0]!.subarray(0, 1000 - lag)).toEqual(plane.subarray(0, 1000 - lag));
    expect(out[0]!.subarray(sampleRate * 2)).toEqual(plane.subarray(sampleRate * 2));
  });

  it('moves its gain smoothly and alike on all channels', () => {
    const n = sampleRate;
    // Swells and fades slowly: a tone that is cut off rings, and would be limited for that too.
    const loud = make(
      n,
      (i) =>
        (0.4 + 1.6 * Math.exp(-(((i - n / 2) / (n / 20)) ** 2))) * Math.min(1, (n - i) / 2000) * Math.sin(i * 0.031),
    );
    const level = new Float32Array(n).fill(0.25); // shows the gain itself
    const { out, lag } = limit([loud, level], sampleRate, { ceilingDbtp: -1 });
    const gains = out[1]!.map((x) => x / 0.25);
    let steepest = 0;
    let least = 1;
    let apart = 0;
    for (let i = 1; i < n - lag; i++) {
      steepest = Math.max(steepest, Math.abs(gains[i]! - gains[i - 1]!));
      least = Math.min(least, gains[i]!);
      const off = Math.abs(out[0]![i]! - loud[i]! * gains[i]!);
      if (!(off <= apart)) apart = off;
    }
    expect(apart).toBeLessThan(1e-6);
    expect(least).toBeCloseTo(fromDb(-1) / 2, 2);
    // A triangle over 5 ms: no step may be steeper than twice its mean slope.
    expect(steepest).toBeLessThanOrEqual((2.05 * (1 - least)) / (0.005 * sampleRate));
  });
});

describe('limiter', () => {
  it('has a latency of the look-ahead plus its filters', () => {
    for (const [lookaheadMs, frames] of [
      [5, 240],
      [1, 48],
      [20, 960],
    ] as const) {
      expect(createLimiter({ sampleRate: 48000, channels: 1, ceilingDbtp: -1, lookaheadMs }).latencyFrames).toBe(
        frames + 31,
      );
    }
  });

  it('gives the same in place as into other memory', () => {
    const planes = [noise(30000, 1, 2), noise(30000, 2, 2)];
    const a = createLimiter({ sampleRate: 48000, channels: 2, ceilingDbtp: -3 });
    const b = createLimiter({ sampleRate: 48000, channels: 2, ceilingDbtp: -3 });
    const out = planes.map((p) => new Float32Array(p.length));
    a.process(planes, out);
    b.process(planes, planes);
    expect(planes).toEqual(out);
    expect(a.maxReductionDb()).toBe(b.maxReductionDb());
  });
});
