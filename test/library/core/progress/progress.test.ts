import { describe, expect, it } from 'vitest';
import { createProgressMeter } from '../../../../src/library/core/progress/progress.ts';

describe('createProgressMeter', () => {
  it('estimates the time left of steady work, and only once it can', () => {
    let now = 100;
    const meter = createProgressMeter(() => now);
    expect(meter(0, 'a')).toEqual({ progress: 0, stage: 'a', estimatedSecondsLeft: null });
    now += 0.2;
    expect(meter(0.02, 'a').estimatedSecondsLeft).toBeNull();
    now += 0.8;
    expect(meter(0.1, 'a').estimatedSecondsLeft).toBeCloseTo(9, 5);
    now += 4;
    expect(meter(0.5, 'b').estimatedSecondsLeft).toBeCloseTo(5, 5);
    now += 5;
    expect(meter(1, 'b')).toEqual({ progress: 1, stage: 'b', estimatedSecondsLeft: 0 });
  });

  it('follows a change of pace without jumping', () => {
    let now = 0;
    const meter = createProgressMeter(() => now);
    meter(0, 'fast');
    for (let step = 1; step <= 50; step++) {
      now += 0.1;
      meter(step / 100, 'fast');
    }
    // Ten times slower from here: 50 s are left, 5 s at the old pace.
    now += 1;
    const soon = meter(0.51, 'slow').estimatedSecondsLeft ?? 0;
    expect(soon).toBeGreaterThan(4.9);
    expect(soon).toBeLessThan(10);
    let later = soon;
    for (let step = 52; step <= 75; step++) {
      now += 1;
      later = meter(step / 100, 'slow').estimatedSecondsLeft ?? 0;
    }
    // After 2.5 time constants the rate is 0.01 + 0.09 exp(-2.5) a second.
    expect(later).toBeCloseTo(0.25 / (0.01 + 0.09 * Math.exp(-2.5)), 6);
  });

  it('never falls, stays within 0 and 1, and survives what is no number', () => {
    let now = 0;
    const meter = createProgressMeter(() => (now += 1));
    const seen = [0.3, 0.1, -2, Number.NaN, 0.4, 7, 0.2].map((fraction) => meter(fraction, '').progress);
    expect(seen).toEqual([0.3, 0.3, 0.3, 0.3, 0.4, 1, 1]);
  });
});
