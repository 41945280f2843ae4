// Offsets of samples in MP4 have 32 bits or 64: chapters and tags that are added move them, and none runs over.
import { readFileSync, writeFileSync } from 'node:fs';
import { expect, it } from 'vitest';
import { writeMp4Additions } from '../../../src/library/media/chapters/mp4.ts';
import { box } from '../../../src/library/media/tags/mp4.ts';
import { scratch } from '../../fixtures/media/media.ts';

const at = scratch();
const sound = Buffer.from('the coded sound');
const chapters = [{ startSeconds: 0, endSeconds: 1, title: 'One' }];

/** @param offsets of chunks, which may lie behind the end of what is there */
function film(kind: 'stco' | 'co64', offsets: readonly bigint[]): string {
  const width = kind === 'stco' ? 4 : 8;
  const table = Buffer.alloc(8 + width * offsets.length);
  table.writeUInt32BE(offsets.length, 4);
  for (const [n, offset] of offsets.entries())
    if (kind === 'stco') table.writeUInt32BE(Number(offset), 8 + n * width);
    else table.writeBigUInt64BE(offset, 8 + n * width);
  const track = ['stbl', 'minf', 'mdia', 'trak'].reduce((inner, name) => box(name, inner), box(kind, table));
  const path = at(`large-${kind}.mp4`);
  writeFileSync(path, Buffer.concat([box('ftyp', Buffer.from('isom')), box('mdat', sound), box('moov', track)]));
  return path;
}

function read(path: string, kind: 'stco' | 'co64'): { order: string[]; offsets: bigint[]; moved: bigint } {
  const bytes = readFileSync(path);
  const order = ['ftyp', 'mdat', 'moov'].toSorted((one, other) => bytes.indexOf(one) - bytes.indexOf(other));
  const table = bytes.indexOf(kind) + 4;
  const offsets = Array.from({ length: bytes.readUInt32BE(table + 4) }, (_, n) =>
    kind === 'stco' ? BigInt(bytes.readUInt32BE(table + 8 + n * 4)) : bytes.readBigUInt64BE(table + 8 + n * 8),
  );
  expect(bytes.includes('chpl')).toBe(true);
  // 12 bytes of "ftyp" and 8 of the box's head were before it.
  return { order, offsets, moved: BigInt(bytes.indexOf(sound)) - 20n };
}

it.for([
  ['stco', [20n, 1000n], ['ftyp', 'moov', 'mdat']],
  ['stco', [20n, 0xffff_fff0n], ['ftyp', 'mdat', 'moov']],
  ['co64', [20n, 0xffff_fff0n, 0x2_0000_0000n], ['ftyp', 'moov', 'mdat']],
] as const)('%s with offsets %s: every sample is where the table says', ([kind, offsets, order]) => {
  const path = film(kind, offsets);
  writeMp4Additions(path, { chapters, list: null });
  const after = read(path, kind);
  expect(after.order).toEqual(order);
  expect(after.offsets).toEqual(offsets.map((offset) => offset + after.moved));
});
