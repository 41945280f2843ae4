import { describe, expect, test } from 'vitest';
import type { FanOut } from '../../../../src/library/core/machine/fan-out.ts';
import { SoundQueue, soundReader } from '../../../../src/library/media/write/segments/shared-sound.ts';
import { createFanOut } from '../../../../src/library/runtime/job/fan-out.ts';

const run = (): FanOut => createFanOut(1, new AbortController().signal);

/** Samples that say where they are. */
const counted = (from: number, frames: number, sign = 1): Float32Array =>
  Float32Array.from({ length: frames }, (_, i) => sign * (from + i));

function fill(queue: SoundQueue, frames: number): void {
  for (let at = 0; at < frames; at += 50_000) {
    const count = Math.min(50_000, frames - at);
    queue.append([counted(at, count), counted(at, count, -1)], count);
  }
}

describe('sound that threads share', () => {
  test('a stretch is read over the joints of pieces, also after the front was dropped', () => {
    const queue = new SoundQueue(2, run());
    fill(queue, 700_000);
    queue.dropBefore(300_000);
    const read = soundReader(queue.stretch(300_000, 699_999));
    for (const [at, frames] of [
      [0, 399_999],
      [90_001, 200_000],
      [5, 1],
    ] as const)
      expect(read(at, frames)).toEqual([counted(300_000 + at, frames), counted(300_000 + at, frames, -1)]);
  });

  test('what a thread was given stays as it is while sound comes and goes', () => {
    const queue = new SoundQueue(2, run());
    fill(queue, 400_000);
    const read = soundReader(queue.stretch(200_000, 400_000));
    queue.dropBefore(200_000);
    queue.append([new Float32Array(900_000), new Float32Array(900_000)], 900_000);
    expect(read(0, 200_000)[0]).toEqual(counted(200_000, 200_000));
  });

  test('a run that encodes again uses the same memory, another run its own', () => {
    const fanOut = run();
    const memoryOf = (of: FanOut): Set<SharedArrayBuffer> => {
      const queue = new SoundQueue(2, of);
      fill(queue, 500_000);
      const { pieces } = queue.stretch(0, 500_000);
      queue.dropAll();
      return new Set(pieces);
    };
    const first = memoryOf(fanOut);
    expect(first.size).toBeGreaterThan(2);
    expect(memoryOf(fanOut)).toEqual(first);
    expect([...memoryOf(run())].filter((piece) => first.has(piece))).toEqual([]);
  });
});
