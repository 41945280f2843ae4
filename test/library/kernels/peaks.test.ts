import { describe, expect, it } from 'vitest';
import { createPeaks, type PeakResult } from '../../../src/library/kernels/peaks.ts';
import { noise, randomCuts, seeded } from './signals.ts';

/** The rule, word for word. */
function reference(planes: readonly Float32Array[], sampleRate: number): { peak: number; levels: number[][] } {
  const finest: [number, number][] = [];
  let peak = 0;
  const frames = planes[0]!.length;
  for (let f = 0; f < frames; f++) {
    const bin = Math.floor((f * 500) / sampleRate);
    const fresh = finest[bin] === undefined;
    while (finest.length <= bin) finest.push([0, 0]);
    const values = planes.map((p) => (Number.isFinite(p[f]!) && Math.abs(p[f]!) <= 2 ** 32 ? p[f]! : 0));
    const pair = fresh ? [Infinity, -Infinity] : finest[bin]!;
    finest[bin] = [Math.min(pair[0]!, ...values), Math.max(pair[1]!, ...values)];
    peak = Math.max(peak, ...values.map(Math.abs));
  }
  const quantise = (x: number): number => {
    const rounded = Math.sign(x) * Math.floor(Math.abs(x * 127) + 0.5);
    return Math.max(-127, Math.min(127, rounded)) + 0;
  };
  const levels = [1, 10, 100].map((bins) => {
    const out: number[] = [];
    for (let at = 0; at < finest.length; at += bins) {
      const group = finest.slice(at, at + bins);
      out.push(quantise(Math.min(...group.map((p) => p[0]))), quantise(Math.max(...group.map((p) => p[1]))));
    }
    return out;
  });
  return { peak: Math.min(1, peak), levels };
}

const expectEqual = (result: PeakResult, planes: readonly Float32Array[], sampleRate: number): void => {
  const expected = reference(planes, sampleRate);
  expect(result.peak).toBe(expected.peak);
  expect(result.levels.map((l) => l.perSecond)).toEqual([500, 50, 5]);
  result.levels.forEach((level, k) => {
    expect(level.count).toBe(expected.levels[k]!.length / 2);
    expect([...level.data]).toEqual(expected.levels[k]);
  });
};

describe('peaks', () => {
  it.each([8000, 11025, 16000, 22050, 44100, 48000, 96000, 499, 501, 100, 1])(
    'equals the rule at %i Hz, however it is cut',
    (sampleRate) => {
      const seed = sampleRate + 7;
      const random = seeded(seed);
      for (const channels of [1, 2, 3]) {
        const frames = Math.min(30000, 40 + Math.floor(random() * 3 * sampleRate));
        // Some of it beyond full scale.
        const planes = Array.from({ length: channels }, (_, c) =>
          noise(frames, seed + c, 1.2).map((x, i) => x * Math.abs(Math.sin(i / 900))),
        );
        const peaks = createPeaks({ sampleRate, channels, expectedFrames: frames });
        for (const block of randomCuts(planes, random, 3000)) peaks.push(block);
        expectEqual(peaks.finish(), planes, sampleRate);
      }
    },
  );

  it('rounds half away from zero and clamps', () => {
    const values = [0.5 / 127, -0.5 / 127, 1.5 / 127, 2, -2, 126.5 / 127];
    for (const value of values) {
      const plane = new Float32Array([value]);
      const peaks = createPeaks({ sampleRate: 48000, channels: 1 });
      peaks.push([plane]);
      expectEqual(peaks.finish(), [plane], 48000);
    }
  });

  it('treats what is not a number as 0', () => {
    const plane = noise(5000, 1, 0.5);
    plane.set([NaN, Infinity, -Infinity, 1e30], 1000);
    plane.fill(NaN, 2000, 2200);
    const peaks = createPeaks({ sampleRate: 48000, channels: 1 });
    peaks.push([plane]);
    expectEqual(peaks.finish(), [plane], 48000);
  });

  it('answers empty levels for nothing, the same answer twice, and takes nothing after', () => {
    const peaks = createPeaks({ sampleRate: 48000, channels: 2 });
    peaks.push([new Float32Array(0), new Float32Array(0)]);
    const result = peaks.finish();
    expect(result).toEqual({
      peak: 0,
      levels: [500, 50, 5].map((perSecond) => ({ perSecond, count: 0, data: new Int8Array(0) })),
    });
    expect(peaks.finish()).toBe(result);
    expect(() => peaks.push([new Float32Array(1), new Float32Array(1)])).toThrow(TypeError);
  });
});
