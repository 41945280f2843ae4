import { createReadStream } from 'node:fs';
import { open } from 'node:fs/promises';
import { basename } from 'node:path/posix';
import { createGunzip } from 'node:zlib';
import { EarshotError } from '../core/errors.ts';
import { flushFile } from '../core/flush-folder.ts';

/** A file to extract: the first whose path ends in this name, in any folder. */
export interface WantedMember {
  readonly name: string;
  /** Larger files are refused before they are written. */
  readonly bytes: number;
  readonly path: string;
}

const blockBytes = 512;
const textOf = (block: Uint8Array, from: number, length: number): string =>
  Buffer.from(block.buffer, block.byteOffset + from, length)
    .toString('utf8')
    .replace(/\0.*$/s, '');

/** Splits a stream into pieces of requested sizes. */
class ByteReader {
  private held: Buffer = Buffer.alloc(0);
  private readonly source: AsyncIterator<Buffer>;

  constructor(source: AsyncIterable<Buffer>) {
    this.source = source[Symbol.asyncIterator]();
  }

  /** Up to `most` bytes, as many as are available; null at the end. */
  async some(most: number): Promise<Buffer | null> {
    while (this.held.length === 0) {
      const { value, done } = await this.source.next();
      if (done) return null;
      this.held = value;
    }
    const piece = this.held.subarray(0, most);
    this.held = this.held.subarray(piece.length);
    return piece;
  }

  /** Exactly `count` bytes; null when the stream ends sooner. */
  async exactly(count: number): Promise<Buffer | null> {
    const pieces: Buffer[] = [];
    for (let left = count; left > 0;) {
      const piece = await this.some(left);
      if (piece === null) return null;
      pieces.push(piece);
      left -= piece.length;
    }
    return Buffer.concat(pieces);
  }
}

async function copy(reader: ByteReader, bytes: number, path: string | null): Promise<boolean> {
  const handle = path === null ? null : await open(path, 'wx');
  try {
    for (let left = bytes; left > 0;) {
      const piece = await reader.some(left);
      if (piece === null) return false;
      await handle?.writeFile(piece);
      left -= piece.length;
    }
    if (handle !== null) await flushFile(handle);
    return true;
  } finally {
    await handle?.close();
  }
}

/**
 * Extracts files from a .tar.gz (POSIX 1003.1 ustar) by name. Nothing else is written, and paths in the archive are not
 * followed: the caller chooses the destinations.
 * @throws EarshotError file_invalid when the archive is damaged, or a file is missing or too large
 */
export async function takeFromTarGz(archivePath: string, wanted: readonly WantedMember[]): Promise<void> {
  const invalid = (why: string, cause?: unknown): EarshotError =>
    new EarshotError(
      'file_invalid',
      `Expected a .tar.gz with ${wanted.map(({ name }) => name).join(', ')} but ${why}`,
      { cause },
    );
  const missing = new Map(wanted.map((member) => [member.name, member]));
  const file = createReadStream(archivePath);
  const gunzip = createGunzip();
  // A read error must reach the reader of the unpacked stream.
  file.on('error', (error) => gunzip.destroy(error));
  const reader = new ByteReader(file.pipe(gunzip) as AsyncIterable<Buffer>);
  try {
    while (missing.size > 0) {
      const header = await reader.exactly(blockBytes);
      if (header === null || header.every((byte) => byte === 0)) break;
      const size = Number.parseInt(textOf(header, 124, 12).trim(), 8);
      if (!Number.isSafeInteger(size) || size < 0) throw invalid('it is damaged');
      const type = String.fromCharCode(header[156] ?? 0);
      const member = type === '0' || type === '\0' ? missing.get(basename(textOf(header, 0, 100))) : undefined;
      if (member && size > member.bytes)
        throw invalid(`${member.name} in it has ${size} bytes instead of ${member.bytes}`);
      if (
        !(await copy(reader, size, member?.path ?? null)) ||
        (await reader.exactly((blockBytes - (size % blockBytes)) % blockBytes)) === null
      )
        throw invalid('it is cut off');
      if (member) missing.delete(member.name);
    }
  } catch (thrown) {
    // zlib's errors for bytes that are not a gzip stream.
    if ((thrown as NodeJS.ErrnoException).code?.startsWith('Z_')) throw invalid('it is damaged', thrown);
    throw thrown;
  } finally {
    file.destroy();
    gunzip.destroy();
  }
  if (missing.size > 0) throw invalid(`${[...missing.keys()].join(', ')} is not in it`);
}
