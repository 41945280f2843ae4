import { expect, test } from 'vitest';
import { createFanOut } from '../../../../src/library/runtime/job/fan-out.ts';
import { createShares } from '../../../../src/library/runtime/engine/shares.ts';
import type { KeepItem } from '../../../fixtures/processes/keeps-session-task.ts';
import type { WaitItem } from '../../../fixtures/processes/waits-task.ts';
import { until } from '../../../fixtures/until.ts';

test('what threads keep is closed on each of them, and made anew when it is wanted again', async () => {
  const threads = 3;
  const fanOut = createFanOut(threads, new AbortController().signal);
  const counts = new SharedArrayBuffer(8);
  const open = (): number => Atomics.load(new Int32Array(counts), 0);
  const taskUrl = new URL('../../../fixtures/processes/keeps-session-task.ts', import.meta.url).href;
  const items = Array.from({ length: threads }, (): KeepItem => ({ counts, pieces: threads }));

  await fanOut.clearThreads();
  await fanOut.map(taskUrl, 'keepSession', items);
  await fanOut.map(taskUrl, 'keepSession', items);
  expect(open()).toBe(threads);

  await fanOut.clearThreads();
  expect(open()).toBe(0);

  await fanOut.map(taskUrl, 'keepSession', items);
  expect(open()).toBe(threads);
});

test('a run gives cores back when others come, and takes them when those end', async () => {
  const fanOut = createFanOut(3, new AbortController().signal);
  const counts = new SharedArrayBuffer(8);
  const count = new Int32Array(counts);
  const running = (): number => Atomics.load(count, 0);
  const taskUrl = new URL('../../../fixtures/processes/waits-task.ts', import.meta.url).href;
  const all = fanOut.map<WaitItem, void>(
    taskUrl,
    'waits',
    Array.from({ length: 8 }, () => ({ counts })),
  );
  const end = (pieces: number): number => Atomics.add(count, 1, pieces);
  await until('three pieces to run', () => running() === 3);

  fanOut.setCores(1);
  expect(fanOut.lanes(0)).toBe(1);
  end(2);
  await until('the pieces beyond one core to end', () => running() === 1);
  end(1);
  await until('one to follow one', () => Atomics.load(count, 1) === 0 && running() === 1);

  fanOut.setCores(3);
  await until('three to run again', () => running() === 3);
  fanOut.setCores(99);
  expect(fanOut.lanes(0)).toBe(3);
  end(5);
  await all;
});

test('each run is told its share when others come and end', () => {
  let demand = 1;
  const shares = createShares(8, 4, () => demand);
  const told: number[] = [];
  expect(shares.share).toBe(8);
  const leave = shares.follow(8, (share) => told.push(share));
  expect(told).toEqual([]);
  for (const now of [2, 3, 4, 9, 4, 1]) {
    demand = now;
    shares.redivide();
  }
  expect(told).toEqual([4, 2, 8]);
  // A run that was started while the demand changed hears of it at once.
  const late: number[] = [];
  shares.follow(4, (share) => late.push(share));
  expect(late).toEqual([8]);
  leave();
  demand = 2;
  shares.redivide();
  expect(told).toEqual([4, 2, 8]);
});
