import { describe, expect, it } from 'vitest';
import { resample, resampleReach } from '../../../src/library/kernels/resample.ts';

describe('resample', () => {
  it.each([1, 1.000_13, 0.999_8, 1.04])('gives a tone as it is computed there to -93 dB at a step of %d', (step) => {
    const [count, start, turn] = [4000, 20.3, 2 * Math.PI * 0.31];
    const samples = Float32Array.from({ length: 5000 }, (_, at) => Math.sin(turn * at + 0.4));
    const out = new Float32Array(count);
    resample(samples, { start, step, out, count });
    let worst = 0;
    for (const [at, value] of out.entries())
      worst = Math.max(worst, Math.abs(value - Math.sin(turn * (start + step * at) + 0.4)));
    expect(20 * Math.log10(worst)).toBeLessThan(-93);
  });

  it('gives the samples themselves at whole places', () => {
    const samples = Float32Array.from({ length: 200 }, (_, at) => Math.cos(at * at));
    const out = new Float32Array(100);
    resample(samples, { start: 40, step: 1, out, count: 100 });
    for (const [at, value] of out.entries()) expect(value).toBeCloseTo(samples[at + 40] as number, 6);
  });

  it('counts broken samples as silence, and takes no place that is not there', () => {
    const samples = new Float32Array(64).fill(Number.NaN);
    const out = new Float32Array(8).fill(1);
    resample(samples, { start: 20, step: 1, out, count: 8 });
    expect([...out]).toEqual(Array.from({ length: 8 }, () => 0));
    const good = { start: resampleReach.before, step: 1, out, count: 8 };
    resample(new Float32Array(resampleReach.before + 8 + resampleReach.after), good);
    for (const bad of [{ start: 14 }, { start: 50 }, { step: -1 }, { step: Number.NaN }, { count: 9 }, { count: 1.5 }])
      expect(() => resample(samples, { ...good, ...bad }), JSON.stringify(bad)).toThrow(TypeError);
  });
});
