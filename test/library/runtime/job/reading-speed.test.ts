import { expect, it } from 'vitest';
import { keepingNetworks, secondsOfReading } from '../../../../src/library/runtime/job/reading-speed.ts';
import { createFanOut } from '../../../../src/library/runtime/job/fan-out.ts';

async function measured(...seconds: readonly number[]): Promise<readonly [seconds: number, readings: number]> {
  let readings = 0;
  const best = await secondsOfReading((before) => {
    expect(before).toBe(readings);
    return Promise.resolve(seconds[readings++] as number);
  });
  return [best, readings];
}

it('a recogniser is warm before it is timed, and what disturbs one reading does not count', async () => {
  expect(await measured(9, 3, 3.1)).toEqual([3, 3]);
  // Even if the first one was faster.
  expect(await measured(2, 7, 3)).toEqual([3, 3]);
  expect(await measured(61, 50, 50)).toEqual([61, 1]);
});

it('networks stay loaded between readings, however long the recording', async () => {
  const { signal } = new AbortController();
  let cleared = 0;
  const fanOut = { ...createFanOut(2, signal), clearThreads: () => Promise.resolve(void (cleared += 1)) };
  const kept = keepingNetworks(fanOut);
  await kept.clearThreads();
  expect(cleared).toBe(0);
  expect(kept.lanes(1e6)).toBe(fanOut.lanes(1e6));
});
