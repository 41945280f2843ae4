import { expect, it } from 'vitest';
import { createStarts, waitForStart } from '../../../../src/library/core/machine/spaced-starts.ts';

it('lets one start after the other, and the first at once', async () => {
  const starts = createStarts();
  const gapSeconds = 0.03;
  const began = performance.now();
  const times = await Promise.all(
    Array.from({ length: 4 }, async () => {
      await waitForStart(starts, gapSeconds);
      return performance.now() - began;
    }),
  );
  // Timers may be a millisecond early.
  for (const [index, time] of times.toSorted((a, b) => a - b).entries())
    expect(time).toBeGreaterThan(index * gapSeconds * 1000 - 2);
  expect(Atomics.load(new BigInt64Array(starts), 0)).toBeGreaterThan(0n);
});
