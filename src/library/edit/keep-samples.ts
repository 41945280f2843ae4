// Writes edit lists of FLAC and ALAC by their packets: what decodes is, bit for bit, what rendering them makes.
import type { Warning } from '../core/progress/progress.ts';
import { crossfade } from '../kernels/ops.ts';
import { LosslessLine, losslessHeader, usualBlock } from '../media/packets/keep-lossless.ts';
import type { KeepPacketsOptions } from '../media/packets/keep-packets.ts';
import type { PacketIndex } from '../media/packets/packet-index.ts';
import { PacketWriter } from '../media/packets/packet-writer.ts';
import type { EditList } from './edit-list.ts';
import { blockOf, blocksOf, copyParts } from './lossless-parts.ts';
import { type Piece, planPieces } from './pieces.ts';

/** Frames of sound at once. */
const mostFrames = 2 ** 16;

function giveSound(
  line: LosslessLine,
  source: number,
  piece: Piece,
  write: (planes: readonly Float32Array[], frames: number) => void,
): void {
  if (piece.kind === 'fade') {
    const { outgoing, incoming } = piece;
    const planes = line.planes(source, incoming.from, incoming.frames);
    crossfade(line.planes(source, outgoing.from, outgoing.frames), planes, planes, 'equal-power');
    write(planes, incoming.frames);
    return;
  }
  for (let at = piece.from; at < piece.to; at += mostFrames) {
    const frames = Math.min(mostFrames, piece.to - at);
    write(line.planes(source, at, frames), frames);
  }
}

/**
 * Writes edits of recordings one behind the other. Packets that are whole in what is kept are copied, the sound around
 * them is encoded.
 * @param edits of recordings with the same codec and form
 * @returns warnings of what the container cannot hold
 */
export async function keepSamples(
  path: string,
  edits: readonly (readonly [PacketIndex, EditList])[],
  { signal, onProgress, tags, sources }: KeepPacketsOptions,
): Promise<readonly Warning[]> {
  const indexes = edits.map(([index]) => index) as [PacketIndex, ...PacketIndex[]];
  const [first] = indexes;
  const parts = copyParts(
    indexes,
    edits.map(([, own]) => planPieces(own)),
  );
  const frames = edits.reduce((all, [, { keeps }]) => keeps.reduce((sum, { start, end }) => sum + end - start, all), 0);
  const most = usualBlock(first);
  const blocks = blocksOf(indexes, parts, most);
  // All of a recording keeps the checksum of its samples.
  const [whole] = parts;
  const isAll = parts.length === 1 && whole?.kind === 'packets' && whole.to - whole.from === first.count;
  const header = isAll ? null : losslessHeader(first, { leastBlock: blocks.least, mostBlock: blocks.most, frames });
  const writer = new PacketWriter(path, first, header);
  const line = new LosslessLine(indexes, writer, blocks.isFixed);
  let done = 0;
  const count = (more: number): void => {
    done += more;
    onProgress(Math.min(1, done / frames));
  };
  try {
    const complete = writer.begin(tags, sources);
    for (const part of parts) {
      if (part.kind === 'packets') {
        await line.packets(part.source, part.from, part.to, { signal, count });
        continue;
      }
      line.encode(blockOf(part.frames, most), (write) => {
        for (const { source, piece } of part.pieces) giveSound(line, source, piece, write);
      });
      count(part.frames);
    }
    writer.end();
    return complete(path);
  } finally {
    line.close();
    writer.close();
  }
}
