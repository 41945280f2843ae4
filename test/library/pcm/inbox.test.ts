import { setImmediate as turn } from 'node:timers/promises';
import { expect, it } from 'vitest';
import type { AudioBlock } from '../../../src/library/pcm/block.ts';
import { createInbox, type Inbox } from '../../../src/library/pcm/inbox.ts';

const block = (...samples: number[]): AudioBlock => ({ planes: [Float32Array.from(samples)], frames: samples.length });

/** What waits, and the memory that it lay in. */
async function drained(inbox: Inbox): Promise<{ sound: number[][][]; buffers: (ArrayBufferLike | undefined)[] }> {
  const sound: number[][][] = [];
  const buffers: (ArrayBufferLike | undefined)[] = [];
  await inbox.drain(async ({ planes, frames }) => {
    expect(planes.every((plane) => plane.length === frames)).toBe(true);
    await turn();
    sound.push(planes.map((plane) => [...plane]));
    buffers.push(planes[0]?.buffer);
  });
  return { sound, buffers };
}

it('hands copies on in order, once', async () => {
  const inbox = createInbox();
  const first = block(1, 2, 3);
  inbox.put(first);
  first.planes[0]?.fill(9);
  inbox.put(block(4));
  inbox.put({ planes: [Float32Array.of(5, 6, 7), Float32Array.of(8, 9, 10)], frames: 2 });
  expect((await drained(inbox)).sound).toEqual([
    [[1, 2, 3]],
    [[4]],
    [
      [5, 6],
      [8, 9],
    ],
  ]);
  expect((await drained(inbox)).sound).toEqual([]);
});

it('one at a time', async () => {
  const inbox = createInbox();
  for (let count = 0; count < 4; count += 1) inbox.put(block(count));
  let inside = 0;
  let most = 0;
  await inbox.drain(async () => {
    inside += 1;
    most = Math.max(most, inside);
    await turn();
    inside -= 1;
  });
  expect(most).toBe(1);
});

it('one block after another lies in the same memory; a longer or wider one is not squeezed into it', async () => {
  const inbox = createInbox();
  const memory: unknown[] = [];
  const inAndOut = async (given: AudioBlock): Promise<void> => {
    inbox.put(given);
    const { sound, buffers } = await drained(inbox);
    expect(sound).toEqual([given.planes.map((plane) => [...plane])]);
    memory.push(buffers[0]);
  };
  await inAndOut(block(1, 2, 3));
  await inAndOut(block(4, 5));
  await inAndOut(block(6, 7, 8));
  expect(new Set(memory).size).toBe(1);
  await inAndOut(block(1, 2, 3, 4));
  await inAndOut({ planes: [Float32Array.of(1), Float32Array.of(2)], frames: 1 });
  expect(new Set(memory).size).toBe(3);
});

it('keeps the memory of one block, however many waited', async () => {
  const inbox = createInbox();
  const wave = async (): Promise<(ArrayBufferLike | undefined)[]> => {
    for (let count = 0; count < 5; count += 1) inbox.put(block(count));
    return (await drained(inbox)).buffers;
  };
  const [before, after] = [await wave(), await wave()];
  expect(after.filter((buffer) => before.includes(buffer))).toEqual([before[0]]);
});
