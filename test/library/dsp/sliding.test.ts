import { describe, expect, it } from 'vitest';
import { runningMean, slidingMean, slidingMin } from '../../../src/library/dsp/series/sliding.ts';
import { difference, seeded } from '../../fixtures/media/signals.ts';

describe('sliding windows', () => {
  it('are what their definitions say', () => {
    const random = seeded(3);
    const values = Float32Array.from({ length: 3000 }, () => random() * 10 - 5);
    for (const reach of [0, 1, 7, 200]) {
      const [least, mean] = [slidingMin(values, reach), slidingMean(values, reach)];
      for (let i = 0; i < values.length; i += 37) {
        const around = values.slice(Math.max(0, i - reach), i + reach + 1);
        expect(least[i]).toBe(around.reduce((a, b) => Math.min(a, b)));
        expect(mean[i]).toBeCloseTo(around.reduce((a, b) => a + b, 0) / around.length, 5);
      }
    }
    expect(slidingMin(new Float32Array(0), 5).length).toBe(0);
  });
  it('give the same in place, and means of values that nobody keeps', () => {
    const random = seeded(4);
    const values = Float32Array.from({ length: 3000 }, () => random() * 10 - 5);
    for (const reach of [0, 1, 200, 4000]) {
      const own = values.slice();
      expect(difference(slidingMin(own, reach, own), slidingMin(values, reach))).toBe(0);
      const next = runningMean(values.length, reach, (index) => values[index] as number);
      expect(difference(Float32Array.from({ length: values.length }, next), slidingMean(values, reach))).toBe(0);
    }
  });
});
