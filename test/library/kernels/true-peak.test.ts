// EBU Tech 3341 cases 15-23 (true peak, tolerance +0.2/-0.4 dB), made from their definitions.
import { describe, expect, it } from 'vitest';
import { createTruePeak } from '../../../src/library/kernels/true-peak.ts';
import { db, make, noise } from './signals.ts';
import { slow } from '../../fixtures/rounds.ts';

const meter = (sampleRate: number, plane: Float32Array): { truePeak: number; samplePeak: number } => {
  const m = createTruePeak({ sampleRate, channels: 1 });
  m.push([plane]);
  return m.finish();
};

const expectDbtp = (truePeak: number, expected: number): void => {
  const error = db(truePeak) - expected;
  expect(error, `${db(truePeak)} dBTP against ${expected}`).toBeLessThanOrEqual(0.2);
  expect(error, `${db(truePeak)} dBTP against ${expected}`).toBeGreaterThanOrEqual(-0.4);
};

/** Fades in and out so that the tone's own beginning makes no overshoot. */
const tone = (frames: number, period: number, degrees: number, amplitude: number): Float32Array =>
  make(
    frames,
    (i) =>
      amplitude *
      Math.min(1, i / 480, (frames - 1 - i) / 480) *
      Math.sin((2 * Math.PI * i) / period + (degrees * Math.PI) / 180),
  );

describe('EBU Tech 3341 true peak', () => {
  it.each([
    ['15', 4, 0, 0.5, -6.0],
    ['16', 4, 45, 0.5, -6.0],
    ['17', 6, 60, 0.5, -6.0],
    ['18', 8, 67.5, 0.5, -6.0],
    ['19', 4, 45, 1.41, 3.0],
  ])('case %s: sine of fs/%i at %f degrees, amplitude %f', (_, period, degrees, amplitude, expected) => {
    for (const rate of [44100, 48000])
      expectDbtp(meter(rate, tone(rate, period, degrees, amplitude)).truePeak, expected);
  });

  // Cases 20-23: a signal made at 4 fs, low-passed below fs/2, and taken every fourth sample from offset 0, 1, 2, 3.
  // The EBU's own files are not in our hands and their exact waveform is not known to us: this one is ours, one period
  // at full scale in a tone of fs/6 at half scale, scaled so that its peak at 4 fs is exactly 1: 0.0 dBTP is due at
  // every offset.
  const oversampled = (() => {
    const n = 4 * 4800;
    const middle = n / 2;
    const raw = make(
      n,
      (i) =>
        (i >= middle && i < middle + 24 ? 1 : 0.5) *
        Math.min(1, i / 1920, (n - i) / 1920) *
        Math.sin((2 * Math.PI * (i - middle)) / 24),
    );
    const half = 256;
    const taps = make(2 * half + 1, (k) => {
      const x = (k - half) * 0.2; // cut-off 0.4 fs
      const window =
        0.42 + 0.5 * Math.cos((Math.PI * (k - half)) / half) + 0.08 * Math.cos((2 * Math.PI * (k - half)) / half);
      return 0.2 * window * (x === 0 ? 1 : Math.sin(Math.PI * x) / (Math.PI * x));
    });
    const filtered = make(n, (i) => {
      let sum = 0;
      for (let k = Math.max(0, i + half - n + 1); k <= Math.min(2 * half, i + half); k++)
        sum += taps[k]! * raw[i + half - k]!;
      return sum;
    });
    const peak = filtered.reduce((m, x) => Math.max(m, Math.abs(x)), 0);
    return filtered.map((x) => x / peak);
  })();
  it.each([
    ['20', 0],
    ['21', 1],
    ['22', 2],
    ['23', 3],
  ])('case %s: burst sampled from offset %i of 4', (_, offset) => {
    const plane = make(4800 - 1, (i) => oversampled[4 * i + offset]!);
    expectDbtp(meter(48000, plane).truePeak, 0);
  });

  it.each([0, 0.25, 0.5, 0.75, 0.33])('reads a band-limited impulse at offset %f of a sample', (offset) => {
    // 0.8 of the band under a wide window: its top is exactly 0.8.
    const plane = make(400, (i) => {
      const x = (i - 200 - offset) * 0.8;
      return 0.8 * (x === 0 ? 1 : Math.sin(Math.PI * x) / (Math.PI * x)) * Math.exp(-(((i - 200 - offset) / 60) ** 2));
    });
    expectDbtp(meter(48000, plane).truePeak, db(0.8));
  });

  it('reads tones at 96 and 192 kHz', () => {
    expectDbtp(meter(96000, tone(96000, 8, 22.5, 0.5)).truePeak, -6.02);
    expectDbtp(meter(192000, tone(192000, 16, 11.25, 0.5)).truePeak, -6.02);
    // Between the samples, too: a tone of fs/8 whose samples all lie beside its tops.
    const beside = meter(192000, tone(19200, 8, 22.5, 0.5));
    expect(db(beside.samplePeak)).toBeLessThan(-6.6);
    expect(db(beside.truePeak)).toBeCloseTo(-6.02, 1);
  });
});

describe('true peak', () => {
  /** Every interval, without any skipping, in doubles, from the documented prototype. */
  function reference(plane: Float32Array, factor: number): number {
    const bessel = (x: number): number => {
      let sum = 1;
      for (let k = 1, term = 1; k < 60; k++) sum += term *= (x / (2 * k)) ** 2;
      return sum;
    };
    let peak = 0;
    const at = (i: number): number => plane[i] ?? 0;
    const phases = Array.from({ length: factor - 1 }, (_, p) => {
      const t = (p + 1) / factor;
      const taps = Array.from({ length: 32 }, (_unused, i) => {
        const x = i - 15 - t;
        return (Math.sin(Math.PI * x) / (Math.PI * x)) * bessel(9 * Math.sqrt(Math.max(0, 1 - (x / 16) ** 2)));
      });
      const sum = taps.reduce((a, b) => a + b, 0);
      return taps.map((h) => h / sum);
    });
    for (let n = -16; n < plane.length + 16; n++) {
      peak = Math.max(peak, Math.abs(at(n)));
      for (const taps of phases)
        peak = Math.max(peak, Math.abs(taps.reduce((sum, h, i) => sum + h * at(n - 15 + i), 0)));
    }
    return peak;
  }

  // Four points a sample read the second one 0.17 dB low; a limiter that trusts them lets it over its ceiling.
  it.each([
    [48000, 8000],
    [44100, 11025],
    [48000, 11000],
    [44100, 17000],
    [96000, 19000],
    [192000, 19000],
  ])('at %i Hz reads a tone of %i Hz right at every phase', (rate, hz) => {
    for (let degrees = 0; degrees < 90; degrees += 11.25)
      expect(Math.abs(db(meter(rate, tone(4800, rate / hz, degrees, 0.5)).truePeak / 0.5))).toBeLessThan(0.02);
  });

  it.each([
    [48000, 8, 1],
    [48000, 8, 40],
    [96000, 4, 3000],
    [192000, 2, 3000],
    [48000, 8, 5003],
  ])('at %i Hz skips nothing that could matter (%i points, %i frames)', slow, (rate, factor, frames) => {
    for (let seed = 1; seed <= 8; seed++) {
      // Loudness that wanders, so that the bound is tried at every height.
      const plane = noise(frames, seed).map((x, i) => x * (0.55 + 0.45 * Math.sin(i / 97 + seed)));
      const read = meter(rate, plane).truePeak;
      expect(read / reference(plane, factor)).toBeGreaterThan(1 - 1e-5);
      // The height between the points is estimated: at 2 points a sample noise in all the band is far from a parabola.
      expect(Math.abs(db(read / reference(plane, 32)))).toBeLessThan(factor === 8 ? 0.02 : factor === 4 ? 0.1 : 0.5);
    }
  });

  it('measures what rings after the last frame and before the first', () => {
    const plane = new Float32Array([0.9, 0.9, -0.9, -0.9].flatMap((x) => [x, x]).slice(0, 2));
    expect(Math.abs(meter(48000, plane).truePeak - reference(plane, 32))).toBeLessThan(1e-3);
    expect(meter(48000, plane).truePeak).toBeGreaterThan(0.95);
  });

  it('keeps channels apart', () => {
    const m = createTruePeak({ sampleRate: 48000, channels: 3 });
    m.push([make(100, () => 0.25), make(100, (i) => (i === 50 ? -0.75 : 0)), new Float32Array(100)]);
    const { perChannel, samplePeak, truePeak } = m.finish();
    expect(perChannel.map((c) => c.samplePeak)).toEqual([0.25, 0.75, 0]);
    expect(perChannel[2]).toEqual({ truePeak: 0, samplePeak: 0 });
    expect(samplePeak).toBe(0.75);
    expect(truePeak).toBe(Math.max(...perChannel.map((c) => c.truePeak)));
  });
});
