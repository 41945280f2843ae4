// Chunks behind the sound of a finished WAV, RF64 or AIFF file.
import { closeSync, fstatSync, openSync, readSync, writeSync } from 'node:fs';
import type { WaveChunk } from './read-chunks.ts';

/** Adds chunks at the file's end. A file that would be larger than its sizes can say stays as it is. */
export function appendChunks(path: string, format: 'wav' | 'aiff', chunks: readonly WaveChunk[]): void {
  if (chunks.length === 0) return;
  const handle = openSync(path, 'r+');
  try {
    const outer = Buffer.alloc(4);
    if (readSync(handle, outer, 0, 4, 0) < 4) return;
    const isLarge = outer.toString('latin1') === 'RF64';
    const isLittle = format === 'wav';
    const { size } = fstatSync(handle);
    const parts = chunks.flatMap(({ id, body }) => {
      const head = Buffer.alloc(8);
      head.write(id, 'latin1');
      if (isLittle) head.writeUInt32LE(body.length, 4);
      else head.writeUInt32BE(body.length, 4);
      return [head, body, Buffer.alloc(body.length % 2)];
    });
    const added = Buffer.concat([Buffer.alloc(size % 2), ...parts]);
    const whole = size + added.length - 8;
    if (!isLarge && whole > 0xffff_ffff) return;
    writeSync(handle, added, 0, added.length, size);
    const sizes = Buffer.alloc(isLarge ? 8 : 4);
    if (isLarge) sizes.writeBigUInt64LE(BigInt(whole));
    else if (isLittle) sizes.writeUInt32LE(whole);
    else sizes.writeUInt32BE(whole);
    writeSync(handle, sizes, 0, sizes.length, isLarge ? 20 : 4);
  } finally {
    closeSync(handle);
  }
}
