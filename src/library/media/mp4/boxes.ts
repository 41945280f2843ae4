// Boxes of MP4 and MOV (ISO/IEC 14496-12).
import { fstatSync, readSync } from 'node:fs';

export interface Box {
  readonly type: string;
  /** Offsets of the header, the payload and the end, in the buffer or file. */
  readonly start: number;
  readonly body: number;
  readonly end: number;
}

/** A larger movie header is not loaded into memory for what is read of it. */
const largestMoov = 256 * 1024 * 1024;

export function* boxesIn(data: Buffer, from: number, to: number): Generator<Box> {
  for (let at = from; at + 8 <= to;) {
    let size = data.readUInt32BE(at);
    let header = 8;
    if (size === 1 && at + 16 <= to) {
      size = Number(data.readBigUInt64BE(at + 8));
      header = 16;
    } else if (size === 0) size = to - at;
    if (size < header || at + size > to) return;
    yield { type: data.toString('latin1', at + 4, at + 8), start: at, body: at + header, end: at + size };
    at += size;
  }
}

/** The first box at a path below another; null where there is none. */
export const child = (data: Buffer, box: Box, ...path: string[]): Box | null => {
  let at: Box | null = box;
  for (const type of path) at = at && ([...boxesIn(data, at.body, at.end)].find((one) => one.type === type) ?? null);
  return at;
};

/** Headers of the file's top-level boxes. */
export function outerBoxes(handle: number): Box[] {
  const fileSize = fstatSync(handle).size;
  const header = Buffer.alloc(16);
  const found: Box[] = [];
  for (let at = 0; at + 8 <= fileSize && found.length < 10_000;) {
    if (readSync(handle, header, 0, 16, at) < 8) break;
    let size = header.readUInt32BE(0);
    const large = size === 1;
    if (large) size = Number(header.readBigUInt64BE(8));
    else if (size === 0) size = fileSize - at;
    if (size < 8 || at + size > fileSize) break;
    found.push({ type: header.toString('latin1', 4, 8), start: at, body: at + (large ? 16 : 8), end: at + size });
    at += size;
  }
  return found;
}

/** The movie header; null where there is none. */
export function readMoov(handle: number, boxes: readonly Box[]): { data: Buffer; root: Box } | null {
  const moov = boxes.find((box) => box.type === 'moov');
  if (!moov || moov.end - moov.start > largestMoov) return null;
  const data = Buffer.alloc(moov.end - moov.start);
  readSync(handle, data, 0, data.length, moov.start);
  return { data, root: { type: 'moov', start: 0, body: moov.body - moov.start, end: data.length } };
}
