// Counts a tag's entries before FFmpeg reads it, which takes time by their square (400,000 texts of an ID3 tag:
// minutes).
import { closeSync, openSync } from 'node:fs';
import { bytesAt, findTag, frameSize as sizeAt, synchronised, synchsafe } from '../tags/id3-frames.ts';
import { vorbisCommentCount } from './vorbis-comments.ts';

/** Largest tag whose unsynchronisation is removed in memory; a longer one is left to the time limit. */
const largestStuffed = 64 * 1024 * 1024;
const windowBytes = 65_536;
/** Frames are at least ten bytes: a tag has room for 26 million. */
const mostFrames = 1_000_000;

/** Entries that FFmpeg compares with all earlier ones: texts, links and comments of an ID3v2 tag, up to `most`. */
function id3Entries(handle: number, most: number): number {
  const place = findTag(handle);
  if (place === null) return 0;
  const header = bytesAt(handle, place.start, 10);
  const [version = 0, flags = 0] = [header[3], header[5]];
  if (version < 2 || version > 4) return 0;
  const start = place.start + 10;
  const length = place.length - 10;
  const stuffed = (flags & 0x80) !== 0 && version < 4;
  if (stuffed && length > largestStuffed) return 0;
  const read = stuffed
    ? inMemory(synchronised(bytesAt(handle, start, length)))
    : throughWindow((at) => bytesAt(handle, start + at, Math.min(windowBytes, length - at)));
  const [idLength, headerLength] = version === 2 ? [3, 6] : [4, 10];
  let at = 0;
  if (version > 2 && (flags & 0x40) !== 0) {
    const size = read(0, 4);
    if (size.length === 4) at = version === 3 ? 4 + size.readUInt32BE(0) : synchsafe(size, 0);
  }
  let count = 0;
  for (let frames = 0; frames < mostFrames && count <= most && at + headerLength <= length; frames += 1) {
    const frame = read(at, headerLength);
    if (frame.length < headerLength || frame[0] === 0) break;
    // T...: texts, W...: links; FFmpeg skips other frames or keeps them as they are.
    if (frame[0] === 0x54 || frame[0] === 0x57 || /^(COM|ULT|USLT|PRIV)/.test(frame.toString('latin1', 0, idLength)))
      count += 1;
    at += headerLength + frameSize(frame, version);
  }
  return count;
}

type Read = (at: number, length: number) => Buffer;

const inMemory =
  (data: Buffer): Read =>
  (at, length) =>
    data.subarray(at, at + length);

/** Frames of a few bytes are read many at a time. */
function throughWindow(load: (at: number) => Buffer): Read {
  let from = 0;
  let window = load(0);
  return (at, length) => {
    if (at < from || at + length > from + window.length) {
      from = at;
      window = load(at);
    }
    return window.subarray(at - from, at - from + length);
  };
}

const frameSize = (frame: Buffer, version: number): number =>
  version === 2 ? frame.readUIntBE(3, 3) : sizeAt(frame, 4, version);

/** Entries of a file's ID3v2 tag and Vorbis comments; stops counting just above `most`. */
export function countTagEntries(path: string, most: number): number {
  const handle = openSync(path, 'r');
  try {
    return Math.max(id3Entries(handle, most), vorbisCommentCount(handle));
  } finally {
    closeSync(handle);
  }
}
