// What a copy of lossless packets is made of: packets as they are, and between them sound that is encoded again.
import type { PacketIndex } from '../media/packets/packet-index.ts';
import { framesOf, type Piece } from './pieces.ts';

/** A piece of a recording, by the recording's place among several. */
interface OwnPiece {
  readonly source: number;
  readonly piece: Piece;
}

/** Parts of the copy in order. Packets from `from` to `to`, exclusive; or sound, of so many frames. */
export type CopyPart =
  | { readonly kind: 'packets'; readonly source: number; from: number; readonly to: number }
  | { readonly kind: 'sound'; readonly pieces: OwnPiece[]; frames: number };

/** The shortest block of FLAC that others may follow (RFC 9639, section 8.2). */
const leastFrames = 16;

/** The first border of packets at a frame or behind it; the end of the last one is one. */
function borderFrom({ starts, count }: PacketIndex, frame: number): number {
  let [low, high] = [0, count + 1];
  while (low < high) {
    const middle = (low + high) >> 1;
    if ((starts[middle] as number) < frame) low = middle + 1;
    else high = middle;
  }
  return low;
}

const sizeOf = ({ starts }: PacketIndex, number: number): number =>
  (starts[number + 1] as number) - (starts[number] as number);

/** The last packet of a recording may be shorter than others may follow. */
const endOf = (index: PacketIndex): number =>
  sizeOf(index, index.count - 1) < leastFrames ? index.count - 1 : index.count;

/**
 * Divides pieces of recordings into packets that are whole in them and the sound around these.
 * @param indexes of the recordings
 * @param pieces of each, in the order of its sound
 */
export function copyParts(indexes: readonly PacketIndex[], pieces: readonly (readonly Piece[])[]): CopyPart[] {
  const parts: CopyPart[] = [];
  const addSound = (source: number, piece: Piece): void => {
    const frames = framesOf(piece);
    if (frames === 0) return;
    const last = parts.at(-1);
    if (last?.kind === 'sound') {
      last.pieces.push({ source, piece });
      last.frames += frames;
    } else parts.push({ kind: 'sound', pieces: [{ source, piece }], frames });
  };
  for (const [source, own] of pieces.entries()) {
    const index = indexes[source] as PacketIndex;
    const { starts } = index;
    for (const piece of own) {
      if (piece.kind === 'fade') {
        addSound(source, piece);
        continue;
      }
      const from = borderFrom(index, piece.from);
      const to = Math.min(endOf(index), borderFrom(index, piece.to + 1) - 1);
      if (to <= from) {
        addSound(source, piece);
        continue;
      }
      addSound(source, { kind: 'pass', from: piece.from, to: starts[from] as number });
      parts.push({ kind: 'packets', source, from, to });
      addSound(source, { kind: 'pass', from: starts[to] as number, to: piece.to });
    }
  }
  return widened(indexes, parts);
}

/** Sound too short for a block takes the packet behind it. */
function widened(indexes: readonly PacketIndex[], parts: readonly CopyPart[]): CopyPart[] {
  const wide: CopyPart[] = [];
  for (const part of parts) {
    const before = wide.at(-1);
    if (before?.kind !== 'sound') {
      wide.push(part);
      continue;
    }
    if (part.kind === 'sound') {
      before.pieces.push(...part.pieces);
      before.frames += part.frames;
      continue;
    }
    const { starts } = indexes[part.source] as PacketIndex;
    for (; before.frames < leastFrames && part.from < part.to; part.from += 1) {
      const piece: Piece = { kind: 'pass', from: starts[part.from] as number, to: starts[part.from + 1] as number };
      before.pieces.push({ source: part.source, piece });
      before.frames += framesOf(piece);
    }
    if (part.from < part.to) wide.push(part);
  }
  return wide;
}

/** The largest block, up to `most` frames, that leaves none too short for others to follow it. */
export function blockOf(frames: number, most: number): number {
  for (let block = most; block > leastFrames; block -= 1)
    if (frames % block === 0 || frames % block >= leastFrames) return block;
  return most;
}

/** Blocks of a copy, in frames. */
export interface Blocks {
  /** The last one left out; the only one's where there is no other. */
  readonly least: number;
  readonly most: number;
  /** Have all but the last one the same length, which that is not longer than? */
  readonly isFixed: boolean;
}

/** @param most frames in a block of what is encoded again */
export function blocksOf(indexes: readonly PacketIndex[], parts: readonly CopyPart[], most: number): Blocks {
  let [least, greatest, last] = [Number.POSITIVE_INFINITY, 0, 0];
  const add = (frames: number): void => {
    if (last > 0) least = Math.min(least, last);
    greatest = Math.max(greatest, frames);
    last = frames;
  };
  for (const part of parts) {
    if (part.kind === 'packets') {
      const index = indexes[part.source] as PacketIndex;
      for (let at = part.from; at < part.to; at += 1) add(sizeOf(index, at));
      continue;
    }
    const block = blockOf(part.frames, most);
    for (let left = part.frames; left > 0; left -= block) add(Math.min(block, left));
  }
  const isOnlyOne = least === Number.POSITIVE_INFINITY;
  return {
    least: isOnlyOne ? Math.max(leastFrames, last) : least,
    most: Math.max(leastFrames, greatest),
    isFixed: isOnlyOne || least === greatest,
  };
}
