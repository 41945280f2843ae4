import type { AudioBlock } from './block.ts';

/** Blocks that wait for an asynchronous stage, as copies: whoever emitted them goes on using its buffers. */
export interface Inbox {
  put(block: AudioBlock): void;
  /** Hands all on in order, one at a time. */
  drain(take: (block: AudioBlock) => Promise<void>): Promise<void>;
}

export function createInbox(): Inbox {
  /** Used again and again: usually one block is put and drained in turn. */
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
      // What a flush may have piled up is not kept.
      slots.length = Math.min(slots.length, 1);
    },
  };
}
