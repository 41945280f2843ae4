// Triangular dither to 16 bits: noise of two steps' width, from a seed, so that a file is the same each time.
import type { AudioBlock } from '../../library/pcm/block.ts';

const step = 2 ** -15;
/** Below a thirty-second of a step in all channels, sound is silence and stays that. */
const nothing = step / 32;

/** @returns a new block; the input stays as it is */
export function createDither(channels: number): (block: AudioBlock) => AudioBlock {
  const seeds = Array.from({ length: channels }, (_, channel) => (channel * 0x9e37_79b9 + 1) >>> 0);
  const next = (channel: number): number => {
    // Numerical Recipes' congruential generator; its upper bits are used.
    const seed = (Math.imul(seeds[channel] as number, 1_664_525) + 1_013_904_223) >>> 0;
    seeds[channel] = seed;
    return seed / 2 ** 32;
  };
  return ({ planes, frames }) => {
    const isSilent = (at: number): boolean => planes.every((plane) => Math.abs(plane[at] as number) < nothing);
    const out = planes.map((plane) => plane.slice(0, frames));
    for (let at = 0; at < frames; at += 1) {
      const silent = isSilent(at);
      for (const [channel, plane] of out.entries()) {
        const noise = (next(channel) - next(channel)) * step;
        plane[at] = silent ? 0 : (plane[at] as number) + noise;
      }
    }
    return { planes: out, frames };
  };
}
