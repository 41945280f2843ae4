// Chained Ogg: streams one behind the other in one file (RFC 3533, 4), as a radio's programme with its jingles.
import { closeSync, openSync, readSync } from 'node:fs';

const chunkBytes = 2 ** 16;
const headerBytes = 27;
const firstPage = 0x02;

/**
 * Where the next stream of a chain begins; null: none does.
 * @param after start of a page, in bytes; 0: of the file, where several streams may begin side by side
 */
export function nextOggLink(path: string, after: number): number | null {
  const handle = openSync(path, 'r');
  try {
    const chunk = Buffer.alloc(chunkBytes);
    let begun = after > 0;
    for (let position = after; ;) {
      const got = readSync(handle, chunk, 0, chunkBytes, position);
      const bytes = chunk.subarray(0, got);
      // Sound holds the letters by chance, but not at the end of a page: pages are counted from one to the next.
      let at = bytes.indexOf('OggS');
      while (at !== -1 && at + headerBytes <= got) {
        const begins = ((bytes[at + 5] as number) & firstPage) !== 0;
        if (begins && begun && position + at > after) return position + at;
        begun ||= !begins;
        const segments = bytes[at + 26] as number;
        if (at + headerBytes + segments > got) break;
        const body = bytes.subarray(at + headerBytes, at + headerBytes + segments).reduce((sum, size) => sum + size, 0);
        const next = at + headerBytes + segments + body;
        if (next >= got) {
          at = next;
          break;
        }
        at = bytes.indexOf('OggS', next);
      }
      if (got < chunkBytes && (at === -1 || at >= got)) return null;
      if (got < headerBytes) return null;
      position += at === -1 ? got - 3 : Math.max(1, at);
    }
  } finally {
    closeSync(handle);
  }
}
