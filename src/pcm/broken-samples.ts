import type { AudioBlock } from './block.ts';

/** As in every kernel: NaN, infinite and absurd samples (full scale is 1) are broken. */
const absurd = 1e6;
const isBroken = (sample: number): boolean => !(sample < absurd && sample > -absurd);

function hasBroken(plane: Float32Array, frames: number): boolean {
  for (let i = 0; i < frames; i += 1) if (isBroken(plane[i] as number)) return true;
  return false;
}

/** The block with silence in the place of broken samples; itself where it has none. What it holds is not changed. */
export function withoutBroken(block: AudioBlock): AudioBlock {
  const { planes, frames } = block;
  if (!planes.some((plane) => hasBroken(plane, frames))) return block;
  return { planes: planes.map((plane) => plane.map((sample) => (isBroken(sample) ? 0 : sample))), frames };
}
