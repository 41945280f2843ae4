import type { AudioBlock } from './block.ts';

/** Buffers blocks for an asynchronous stage, as copies: their sender reuses its buffers. */
export interface Inbox {
  put(block: AudioBlock): void;
  /** Passes all on in order, one at a time. */
  drain(take: (block: AudioBlock) => Promise<void>): Promise<void>;
}

export function createInbox(): Inbox {
  /** Reused: usually one block is put and drained in turn. */
  const slots: { planes: Float32Array[]; frames: number }[] = [];
  let count = 0;
  return {
    put({ planes, frames }) {
      let slot = slots[count];
      if (!slot || slot.planes.length !== planes.length || (slot.planes[0]?.length ?? 0) < frames)
        slot = slots[count] = { planes: planes.map(() => new Float32Array(frames)), frames };
      for (const [channel, plane] of planes.entries()) slot.planes[channel]?.set(plane.subarray(0, frames));
      slot.frames = frames;
      count += 1;
    },
    async drain(take) {
      for (let index = 0; index < count; index += 1) {
        const { planes, frames } = slots[index] as (typeof slots)[number];
        await take({ planes: planes.map((plane) => plane.subarray(0, frames)), frames });
      }
      count = 0;
      // Slots from a large flush are not kept.
      slots.length = Math.min(slots.length, 1);
    },
  };
}
