// Pages of Ogg (RFC 3533, 6): where streams of a chain begin, and whether pages are missing.
import { closeSync, openSync, readSync } from 'node:fs';

const chunkBytes = 2 ** 16;
const headerBytes = 27;
/** With its table. */
export const longestHeaderBytes = headerBytes + 255;
const continuedPage = 0x01;
const firstPage = 0x02;
/** A page holds less: 10 s of Opus. More may be silence in FLAC, or a jump of the clock. */
const longestStep = 480_000;

/** What the header of a page says. */
export interface OggPage {
  /** Does a stream begin here? */
  readonly begins: boolean;
  /** Where the last packet that ends here ends, by the codec's own count; -1: none ends. */
  readonly granule: bigint;
  readonly serial: number;
  /** Pages of a stream are counted. */
  readonly sequence: number;
  /** Packets that end here. */
  readonly packets: number;
  /** Did its first packet begin in the page before? */
  readonly continues: boolean;
  readonly bytes: number;
}

/** null: there is no whole header. */
export function readOggPage(bytes: Buffer, at = 0): OggPage | null {
  if (at + headerBytes > bytes.length || bytes.toString('latin1', at, at + 4) !== 'OggS') return null;
  const segments = bytes[at + 26] as number;
  if (at + headerBytes + segments > bytes.length) return null;
  const table = bytes.subarray(at + headerBytes, at + headerBytes + segments);
  return {
    begins: ((bytes[at + 5] as number) & firstPage) !== 0,
    granule: bytes.readBigInt64LE(at + 6),
    serial: bytes.readUInt32LE(at + 14),
    sequence: bytes.readUInt32LE(at + 18),
    packets: table.reduce((count, size) => count + (size < 255 ? 1 : 0), 0),
    continues: ((bytes[at + 5] as number) & continuedPage) !== 0,
    bytes: table.reduce((sum, size) => sum + size, headerBytes + segments),
  };
}

/**
 * Looks at one page after the other.
 * @param after start of a page, in bytes
 * @param look answers false where that was enough
 */
function walk(path: string, after: number, look: (page: OggPage, position: number) => boolean): void {
  const handle = openSync(path, 'r');
  try {
    const chunk = Buffer.alloc(chunkBytes);
    for (let position = after; ;) {
      const got = readSync(handle, chunk, 0, chunkBytes, position);
      const bytes = chunk.subarray(0, got);
      // Sound holds the letters by chance, but not at the end of a page: pages are counted from one to the next.
      let at = bytes.indexOf('OggS');
      while (at !== -1) {
        const page = readOggPage(bytes, at);
        if (page === null) break;
        if (!look(page, position + at)) return;
        const next = at + page.bytes;
        at = next >= got ? next : bytes.indexOf('OggS', next);
        if (next >= got) break;
      }
      if (got < chunkBytes && (at === -1 || at >= got)) return;
      if (got < headerBytes) return;
      position += at === -1 ? got - 3 : Math.max(1, at);
    }
  } finally {
    closeSync(handle);
  }
}

/**
 * Where the next stream of a chain begins; null: none does.
 * @param after start of a page, in bytes; 0: of the file, where several streams may begin side by side
 */
export function nextOggLink(path: string, after: number): number | null {
  let begun = after > 0;
  let found: number | null = null;
  walk(path, after, ({ begins }, position) => {
    if (begins && begun && position > after) found = position;
    begun ||= !begins;
    return found === null;
  });
  return found;
}

/** Are pages missing between the headers of a stream and its first sound? @param from where the stream begins */
export function missesFirstPages(path: string, from: number, serial: number): boolean {
  let last: number | null = null;
  let missing = false;
  walk(path, from, (page) => {
    if (page.serial !== serial) return true;
    missing = last !== null && page.sequence > last + 1;
    last = page.sequence;
    return page.granule === 0n && !missing;
  });
  return missing;
}

/** Is the file one stream, or several side by side, whose pages are all there, and whose clock surely never jumps? */
export function isWholeOgg(path: string): boolean {
  const last = new Map<number, OggPage>();
  let [begun, whole] = [false, true];
  walk(path, 0, (page) => {
    const before = last.get(page.serial);
    const step = before && page.granule >= 0n && before.granule >= 0n ? Number(page.granule - before.granule) : 0;
    whole &&= !(page.begins && begun) && (!before || page.sequence === before.sequence + 1);
    // The granules of pictures are not a count of samples, and step by whatever they hold.
    whole &&= step >= 0 && step < longestStep;
    begun ||= !page.begins;
    last.set(page.serial, page.granule < 0n && before ? { ...page, granule: before.granule } : page);
    return whole;
  });
  return whole;
}
