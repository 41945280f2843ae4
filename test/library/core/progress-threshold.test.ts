import { expect, it } from 'vitest';
import { createProgressMeter } from '../../../src/library/core/progress/progress.ts';

it('estimates nothing before a hundredth is done, however long that took', () => {
  let now = 0;
  const meter = createProgressMeter(() => now);
  meter(0, 'a');
  for (const fraction of [0.001, 0.005, 0.0099]) {
    now += 10;
    expect(meter(fraction, 'a').estimatedSecondsLeft).toBeNull();
  }
  now += 0.1;
  expect(meter(0.01, 'a').estimatedSecondsLeft).toBeGreaterThan(100);
});
