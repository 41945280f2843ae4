import type { AudioBlock } from './block.ts';

/** As in every kernel: NaN, infinite and absurd samples (full scale is 1) are broken. */
const absurd = 1e6;
const isBroken = (sample: number): boolean => !(sample < absurd && sample > -absurd);

const isOver = (sample: number, most: number): boolean => !(sample <= most && sample >= -most);

function hasOver(plane: Float32Array, frames: number, most: number): boolean {
  for (let i = 0; i < frames; i += 1) if (isOver(plane[i] as number, most)) return true;
  return false;
}

/** Are all samples numbers of at most this magnitude? */
export const isWithin = ({ planes, frames }: AudioBlock, most: number): boolean =>
  !planes.some((plane) => hasOver(plane, frames, most));

/**
 * The block with broken samples replaced by silence and others limited; the block itself where nothing changes. The
 * input is not modified.
 * @param most greatest magnitude of a sample; default: any that is not broken
 */
export function withoutBroken(block: AudioBlock, most = absurd): AudioBlock {
  const { planes, frames } = block;
  if (isWithin(block, most)) return block;
  const mend = (sample: number): number =>
    isBroken(sample) ? 0 : isOver(sample, most) ? Math.sign(sample) * most : sample;
  return { planes: planes.map((plane) => plane.map(mend)), frames };
}

/** Replaces broken samples by silence, in place. @returns how many */
export function silenceBroken(planes: readonly Float32Array[], frames: number): number {
  let broken = 0;
  for (const plane of planes) {
    if (!hasOver(plane, frames, absurd)) continue;
    for (let i = 0; i < frames; i += 1)
      if (isBroken(plane[i] as number)) {
        plane[i] = 0;
        broken += 1;
      }
  }
  return broken;
}
