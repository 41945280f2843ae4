// What threads that encode neighbouring segments tell each other, and how long one waits for the other.
import { Worker } from 'node:worker_threads';
import { afterEach, expect, it, vi } from 'vitest';
import type { CodedPacket } from '../../../../src/library/media/write/segments/coded-packet.ts';
import { headReader, headWaiter, headWriter, makeHead } from '../../../../src/library/media/write/segments/heads.ts';
import { bytesNumber } from '../../../../src/library/media/write/segments/joiner.ts';

afterEach(() => vi.restoreAllMocks());

const packetsOf = (count: number): CodedPacket[] =>
  Array.from({ length: count }, (_, index) => ({
    data: Uint8Array.of(index % 251, index >> 8),
    pts: 100 * index,
    duration: 100,
    skip: null,
  }));

it('waits where the other thread is behind, and for no other', () => {
  const wait = vi.spyOn(Atomics, 'wait').mockReturnValue('timed-out');
  const head = makeHead();
  headWaiter(head, 0)(500);
  expect(wait).not.toHaveBeenCalled();
  const write = headWriter(head, 0, 100_000, bytesNumber);
  write(packetsOf(4));
  headWaiter(head, 0)(300);
  expect(wait).not.toHaveBeenCalled();
  headWaiter(head, 0)(400);
  expect(wait).toHaveBeenCalledTimes(1);
});

it('waits once for a thread that does not get on', () => {
  const wait = vi.spyOn(Atomics, 'wait').mockReturnValue('timed-out');
  const head = makeHead();
  headWriter(head, 0, 100_000, bytesNumber);
  const waitFor = headWaiter(head, 0);
  for (const pts of [100, 200, 300]) waitFor(pts);
  expect(wait).toHaveBeenCalledTimes(1);
});

it.each([
  ['beyond the last packet that is compared', 6, 500],
  ['where a head has no room for more', 2000, 1e9],
])('does not wait %s', (_, count, until) => {
  const wait = vi.spyOn(Atomics, 'wait').mockReturnValue('timed-out');
  const head = makeHead();
  headWriter(head, 0, until, bytesNumber)(packetsOf(count));
  headWaiter(head, 0)(300_000);
  expect(wait).not.toHaveBeenCalled();
});

it('is woken by what the other thread writes', async () => {
  const head = makeHead();
  headWriter(head, 0, 100_000, bytesNumber)(packetsOf(1));
  const waiting = new Worker(
    `const { workerData, parentPort } = require('node:worker_threads');
     const words = new Int32Array(workerData);
     parentPort.postMessage('waits');
     parentPort.postMessage(Atomics.wait(words, 0, 1, 500_000));`,
    { eval: true, workerData: head.memory },
  );
  const told: string[] = [];
  const write = headWriter(head, 0, 100_000, bytesNumber);
  waiting.on('message', (word: string) => {
    told.push(word);
    if (word === 'waits') write(packetsOf(2));
  });
  await new Promise((resolve) => waiting.once('exit', resolve));
  // The write may come before the wait.
  expect(['ok', 'not-equal']).toContain(told[1]);
});

it('finds packets that are the same in both, in a row', () => {
  const head = makeHead();
  const other = packetsOf(20);
  headWriter(head, 0, 100_000, bytesNumber)(other);
  const own = other.map((packet, index) => (index < 12 ? { ...packet, data: Uint8Array.of(255) } : packet));
  const isSame = headReader(head, 0, { from: 1000, number: bytesNumber, run: 4 });
  expect(isSame(own.slice(0, 15))).toBe(false);
  expect(isSame(own.slice(0, 16))).toBe(true);
});
