import { expect, test } from 'vitest';
import { createFanOut } from '../../../src/library/runtime/fan-out.ts';
import type { KeepItem } from '../../fixtures/processes/keeps-session-task.ts';

test('what threads keep is closed on each of them, and made anew when it is wanted again', async () => {
  const threads = 3;
  const fanOut = createFanOut(threads, new AbortController().signal);
  const counts = new SharedArrayBuffer(8);
  const open = (): number => Atomics.load(new Int32Array(counts), 0);
  const taskUrl = new URL('../../fixtures/processes/keeps-session-task.ts', import.meta.url).href;
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
