// AAC without a container (ADTS) whose rate changes, as in joined files: FFmpeg counts times as if all frames had the
// first one's rate.
import { closeSync, openSync, readSync } from 'node:fs';
import { oncePerFile } from './once-per-file.ts';

const chunkBytes = 2 ** 20;
const headerBytes = 7;

/** Tells of each frame in a chunk its length and its rate's index; answers how many bytes were looked at. */
function walk(chunk: Buffer, tell: (rate: number) => void): number {
  // ISO/IEC 13818-7 6.2.
  const isFrame = (at: number): boolean => chunk[at] === 0xff && ((chunk[at + 1] as number) & 0xf6) === 0xf0;
  const sizeAt = (at: number): number => (chunk.readUIntBE(at + 3, 3) >> 5) & 0x1fff;
  const end = chunk.length - headerBytes;
  let isSure = false;
  let at = 0;
  while (at <= end) {
    const size = isFrame(at) ? sizeAt(at) : 0;
    const next = at + size;
    // Behind other bytes, a frame has another one behind it.
    if (size >= headerBytes && next > end && !isSure) break;
    if (size >= headerBytes && (isSure || isFrame(next))) {
      tell(((chunk[at + 2] as number) >> 2) & 15);
      at = next;
      isSure = true;
      continue;
    }
    isSure = false;
    const other = chunk.indexOf(0xff, at + 1);
    at = other === -1 ? chunk.length : other;
  }
  return at;
}

const onceFound = oncePerFile<boolean>();

/** Have all frames of a file one rate, so that a time is found by a search? 70 ms for an hour, once. */
export const hasOneRate = (path: string): boolean =>
  onceFound(path, () => {
    const rates = new Set<number>();
    const handle = openSync(path, 'r');
    try {
      const chunk = Buffer.alloc(chunkBytes);
      for (let position = 0; rates.size < 2;) {
        const got = readSync(handle, chunk, 0, chunkBytes, position);
        position += Math.max(
          1,
          walk(chunk.subarray(0, got), (rate) => rates.add(rate)),
        );
        if (got < chunkBytes) break;
      }
      return rates.size < 2;
    } finally {
      closeSync(handle);
    }
  });
