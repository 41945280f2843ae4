// Dolby Vision's configuration in MP4 and MOV, which FFmpeg 8.1 does not write through node-av, whatever it is told
// ("Dolby Vision Streams Within the ISO Base Media File Format", 3.2).
import { closeSync, fstatSync, openSync, readSync, writeSync } from 'node:fs';
import type { Stream } from 'node-av/lib';
import { AV_PKT_DATA_DOVI_CONF } from 'node-av/constants';
import { isVideoStream } from '../ffmpeg/ffmpeg.ts';

/** FFmpeg's record: version, profile, level, which layers there are, compatibility, compression; a byte each. */
export type DolbyVision = Buffer;

const recordBytes = 8;

/** Of the first moving picture; null where it has none. */
export function dolbyVisionOf(streams: readonly Stream[]): DolbyVision | null {
  const record = streams.find(isVideoStream)?.codecpar.getCodedSideData(AV_PKT_DATA_DOVI_CONF);
  return record && record.length >= recordBytes ? Buffer.from(record) : null;
}

/** The box: its name depends on the profile. */
function configurationBox(record: DolbyVision): Buffer {
  const [major = 0, minor = 0, profile = 0, level = 0, rpu = 0, enhancement = 0, base = 0, compatible = 0] = record;
  const compression = record[8] ?? 0;
  const out = Buffer.alloc(32);
  out.writeUInt32BE(out.length, 0);
  out.write(profile > 10 ? 'dvwC' : profile > 7 ? 'dvvC' : 'dvcC', 4, 'latin1');
  out[8] = major;
  out[9] = minor;
  out.writeUInt16BE((profile << 9) | (level << 3) | (rpu << 2) | (enhancement << 1) | base, 10);
  out[12] = (compatible << 4) | (compression << 2);
  return out;
}

const entries = ['hvc1', 'hev1', 'dvh1', 'dvhe', 'av01', 'dav1', 'avc1', 'avc3', 'dva1', 'dvav'];
/** Bytes of a visual sample entry before its boxes; of a box "stsd" before its entries. */
const [visualBytes, tableBytes] = [78, 8];

interface Found {
  readonly at: number;
  readonly end: number;
}

function find(data: Buffer, from: number, to: number, names: readonly string[]): Found | null {
  for (let at = from; at + 8 <= to;) {
    const size = data.readUInt32BE(at);
    if (size < 8 || at + size > to) return null;
    if (names.includes(data.toString('latin1', at + 4, at + 8))) return { at, end: at + size };
    at += size;
  }
  return null;
}

/** The boxes from the movie header to the picture's sample entry; null where there is none. */
function pathToEntry(data: Buffer, moov: Found): Found[] | null {
  for (let from = moov.at + 8; ;) {
    const trak = find(data, from, moov.end, ['trak']);
    if (!trak) return null;
    const path: Found[] = [moov, trak];
    for (const name of ['mdia', 'minf', 'stbl', 'stsd']) {
      const parent = path.at(-1) as Found;
      const inner = find(data, parent.at + 8, parent.end, [name]);
      if (inner) path.push(inner);
    }
    const table = path.at(-1) as Found;
    const entry = path.length === 6 ? find(data, table.at + 8 + tableBytes, table.end, entries) : null;
    if (entry) return [...path, entry];
    from = trak.end;
  }
}

const largestMoov = 256 * 2 ** 20;

/** Puts the configuration into a finished file whose movie header is at its end: written without `faststart`. */
export function writeDolbyVision(path: string, muxer: string, record: DolbyVision | null): void {
  if (record === null || !['mp4', 'mov'].includes(muxer)) return;
  const handle = openSync(path, 'r+');
  try {
    const { size } = fstatSync(handle);
    const header = Buffer.alloc(16);
    let start = 0;
    for (let at = 0; at + 8 <= size;) {
      readSync(handle, header, 0, 16, at);
      const short = header.readUInt32BE(0);
      const length = short === 1 ? Number(header.readBigUInt64BE(8)) : short;
      if (length < 8) return;
      [start, at] = [at, at + length];
    }
    if (size - start > largestMoov) return;
    const data = Buffer.alloc(size - start);
    readSync(handle, data, 0, data.length, start);
    if (data.toString('latin1', 4, 8) !== 'moov') return;
    const found = pathToEntry(data, { at: 0, end: data.length });
    const entry = found?.at(-1);
    if (!found || !entry) return;
    const known = find(data, entry.at + 8 + visualBytes, entry.end, ['dvcC', 'dvvC', 'dvwC']);
    if (known) return;
    const box = configurationBox(record);
    for (const { at } of found) data.writeUInt32BE(data.readUInt32BE(at) + box.length, at);
    const rest = Buffer.concat([data.subarray(0, entry.end), box, data.subarray(entry.end)]);
    for (let at = 0; at < rest.length;) at += writeSync(handle, rest, at, rest.length - at, start + at);
  } finally {
    closeSync(handle);
  }
}
