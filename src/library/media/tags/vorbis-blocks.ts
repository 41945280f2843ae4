// Where FLAC and Ogg files keep their comments: read, and written again in finished files.
import { closeSync, openSync, readSync, writeSync } from 'node:fs';
import { EarshotError } from '../../core/errors/errors.ts';
import { renameFileSync } from '../../core/files/rename-file.ts';
import { bytesAt, synchsafe } from './id3-frames.ts';

/** Comments also carry cover art, in Base64. */
export const largestComments = 64 * 1024 * 1024;
const mostPages = 65_536;
const mostBlocks = 1024;
const blockKinds = { comments: 4, picture: 6, padding: 1 } as const;
/** A block's length has 24 bits. */
export const largestFlacBlock = 2 ** 24 - 1;

interface FlacBlock {
  readonly kind: number;
  readonly at: number;
  readonly length: number;
}

/** The metadata blocks of a native FLAC file (RFC 9639, section 8), and where its sound begins; null: it is none. */
export function flacBlocks(handle: number): { blocks: FlacBlock[]; start: number; end: number } | null {
  const head = bytesAt(handle, 0, 10);
  // Some programs put an ID3 tag before it.
  let at = head.toString('latin1', 0, 3) === 'ID3' && head.length === 10 ? 10 + synchsafe(head, 6) : 0;
  const start = at;
  if (bytesAt(handle, at, 4).toString('latin1') !== 'fLaC') return null;
  at += 4;
  const blocks: FlacBlock[] = [];
  for (let isLast = false; !isLast && blocks.length < mostBlocks;) {
    const header = bytesAt(handle, at, 4);
    if (header.length < 4) break;
    isLast = ((header[0] as number) & 0x80) !== 0;
    const length = header.readUIntBE(1, 3);
    blocks.push({ kind: (header[0] as number) & 0x7f, at: at + 4, length });
    at += 4 + length;
  }
  return { blocks, start, end: at };
}

/** Codecs by the first bytes of their first packet, and the number of bytes before the comments in the second. */
const oggCodecs: readonly (readonly [magic: string, skip: number])[] = [
  ['\x01vorbis', 7],
  ['OpusHead', 8],
  ['Speex   ', 0],
  ['\x7fFLAC', 4],
];

/** A page of an Ogg file (RFC 3533). */
interface Page {
  readonly at: number;
  readonly body: number;
  readonly end: number;
  /** Bytes of it that belong to the packet of the comments. */
  readonly wanted: number;
}

/** The pages with the second packet of the first sound stream of an Ogg file; null without one. */
function commentPages(handle: number): { pages: Page[]; skip: number } | null {
  let chosen: { serial: number; skip: number } | null = null;
  const pages: Page[] = [];
  let [length, at] = [0, 0];
  for (let count = 0; count < mostPages; count += 1) {
    const header = bytesAt(handle, at, 27);
    if (header.length < 27 || header.toString('latin1', 0, 4) !== 'OggS') return null;
    const lacing = bytesAt(handle, at + 27, header[26] as number);
    const body = at + 27 + lacing.length;
    const bytes = lacing.reduce((sum, part) => sum + part, 0);
    const serial = header.readUInt32LE(14);
    const start = at;
    at = body + bytes;
    if (((header[5] as number) & 2) !== 0) {
      const magic = bytesAt(handle, body, 8).toString('latin1');
      const codec = oggCodecs.find(([first]) => magic.startsWith(first));
      if (codec && !chosen) chosen = { serial, skip: codec[1] };
      continue;
    }
    if (serial !== chosen?.serial) continue;
    const last = lacing.findIndex((part) => part < 255);
    const wanted = last < 0 ? bytes : lacing.subarray(0, last + 1).reduce((sum, part) => sum + part, 0);
    length += wanted;
    if (length > largestComments) return null;
    pages.push({ at: start, body, end: at, wanted });
    if (last >= 0) return { pages, skip: chosen.skip };
  }
  return null;
}

const oggPacket = (handle: number, pages: readonly Page[]): Buffer =>
  Buffer.concat(pages.map(({ body, wanted }) => bytesAt(handle, body, wanted)));

/** The comments of a FLAC or Ogg file, from the length of the vendor's name on, and FLAC's pictures; null: neither. */
export function readCommentBlock(
  handle: number,
  withPictures = false,
): { comments: Buffer; pictures: Buffer[] } | null {
  const flac = flacBlocks(handle);
  if (flac === null) {
    const found = commentPages(handle);
    return found && { comments: oggPacket(handle, found.pages).subarray(found.skip), pictures: [] };
  }
  let left = largestComments;
  const load = (kind: number): Buffer[] =>
    flac.blocks
      .filter((block) => block.kind === kind && (left -= block.length) >= 0)
      .map(({ at, length }) => bytesAt(handle, at, length));
  const comments = load(blockKinds.comments)[0] ?? Buffer.alloc(0);
  return { comments, pictures: withPictures ? load(blockKinds.picture) : [] };
}

const crcTable = Uint32Array.from({ length: 256 }, (_, byte) => {
  // The polynomial of Ogg's pages.
  let sum = byte << 24;
  for (let bit = 0; bit < 8; bit += 1) sum = sum < 0 ? (sum << 1) ^ 0x04c1_1db7 : sum << 1;
  return sum >>> 0;
});

function pageChecksum(page: Buffer): number {
  let sum = 0;
  for (const byte of page) sum = ((sum << 8) ^ (crcTable[(sum >>> 24) ^ byte] as number)) >>> 0;
  return sum;
}

/** The comment that keeps the place of all others in an Ogg file until it is complete. */
export const placeholderName = 'R';

/** Of FFmpeg's own block around the placeholder: the vendor's name with its length, a count, the comment's length. */
const placeholderHead = 4 + 'ffmpeg'.length + 4 + 4 + `${placeholderName}=`.length;

/** A placeholder as long as this block of comments will be; FFmpeg writes it. */
export const oggPlaceholder = ({ length }: Buffer): string => '.'.repeat(Math.max(0, length - placeholderHead));

/** Replaces the placeholder in a finished Ogg file; its length and all positions in it stay the same. */
export function writeOggComments(path: string, block: Buffer): void {
  const handle = openSync(path, 'r+');
  try {
    const found = commentPages(handle);
    if (found === null) throw new EarshotError('internal_error', 'The comments of the written file are not found');
    const packet = oggPacket(handle, found.pages);
    // A byte of Vorbis follows the comments.
    if (![0, 1].includes(packet.length - found.skip - block.length))
      throw new EarshotError('internal_error', 'The comments of the written file have another length');
    block.copy(packet, found.skip);
    let done = 0;
    for (const { at, body, end, wanted } of found.pages) {
      const page = bytesAt(handle, at, end - at);
      packet.copy(page, body - at, done, done + wanted);
      done += wanted;
      page.writeUInt32LE(0, 22);
      page.writeUInt32LE(pageChecksum(page), 22);
      writeSync(handle, page, 0, page.length, at);
    }
  } finally {
    closeSync(handle);
  }
}

function flacBlock(kind: number, data: Buffer): Buffer {
  const header = Buffer.alloc(4);
  header[0] = kind;
  header.writeUIntBE(data.length, 1, 3);
  return Buffer.concat([header, data]);
}

/** Room that taggers may use later without writing the file anew. */
const flacPadding = 8192;
/** Bytes of padding to ask FFmpeg for, so that these blocks fit into a file's head. */
export const flacRoom = (comments: Buffer, pictures: readonly Buffer[]): number =>
  Math.min(largestFlacBlock, flacPadding + [comments, ...pictures].reduce((sum, { length }) => sum + 4 + length, 0));

/** Writes comments and pictures into the head of a finished FLAC file: in place where they fit. */
export function writeFlacHead(path: string, comments: Buffer, pictures: readonly Buffer[]): void {
  const handle = openSync(path, 'r+');
  let isMoved = false;
  const target = `${path}.head`;
  try {
    const found = flacBlocks(handle);
    if (found === null) throw new EarshotError('internal_error', 'The written file is no FLAC');
    const { blocks, start, end } = found;
    const replaced: readonly number[] = Object.values(blockKinds);
    const head = Buffer.concat([
      Buffer.from('fLaC'),
      ...blocks
        .filter(({ kind }) => !replaced.includes(kind))
        .map(({ kind, at, length }) => flacBlock(kind, bytesAt(handle, at, length))),
      flacBlock(blockKinds.comments, comments),
      ...pictures.map((picture) => flacBlock(blockKinds.picture, picture)),
    ]);
    const left = end - start - head.length - 4;
    isMoved = left < 0;
    const padding = Buffer.alloc(isMoved ? flacPadding : Math.min(left, largestFlacBlock));
    const whole = Buffer.concat([head, flacBlock(0x80 | blockKinds.padding, padding)]);
    if (isMoved) copyBehind(handle, end, whole, target);
    else writeSync(handle, whole, 0, whole.length, start);
  } finally {
    closeSync(handle);
  }
  if (isMoved) renameFileSync(target, path);
}

function copyBehind(from: number, at: number, head: Buffer, target: string): void {
  const out = openSync(target, 'w');
  try {
    writeSync(out, head);
    const buffer = Buffer.alloc(4 * 1024 * 1024);
    for (let position = at; ;) {
      const got = readSync(from, buffer, 0, buffer.length, position);
      if (got <= 0) return;
      writeSync(out, buffer, 0, got);
      position += got;
    }
  } finally {
    closeSync(out);
  }
}
