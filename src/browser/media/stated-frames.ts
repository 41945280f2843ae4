// How long the sound is by the file's own word, where decoders of browsers give more: edit lists of MP4, and the last
// page of Ogg.
import { closeSync, fstatSync, openSync, readSync } from 'node:fs';
import { boxesIn, child, outerBoxes, readMoov } from '../../library/media/mp4/boxes.ts';

const headOfPage = 27;
/** The largest page. */
const largestPage = 65_307;

function lastGranule(handle: number): number | null {
  const { size } = fstatSync(handle);
  const bytes = Buffer.alloc(Math.min(size, 2 * largestPage));
  readSync(handle, bytes, 0, bytes.length, size - bytes.length);
  for (let at = bytes.lastIndexOf('OggS'); at >= 0; at = at === 0 ? -1 : bytes.lastIndexOf('OggS', at - 1)) {
    if (at + headOfPage > bytes.length) continue;
    const granule = bytes.readBigInt64LE(at + 6);
    if (granule > 0n) return Number(granule);
  }
  return null;
}

/** Frames before the sound, which Opus states in its head. */
function preSkip(handle: number): number {
  const bytes = Buffer.alloc(200);
  readSync(handle, bytes, 0, bytes.length, 0);
  const at = bytes.indexOf('OpusHead');
  return at < 0 ? 0 : bytes.readUInt16LE(at + 10);
}

/** Seconds of the first sound track's edit list; null without one. */
function editedSeconds(handle: number): number | null {
  const moov = readMoov(handle, outerBoxes(handle));
  if (!moov) return null;
  const { data, root } = moov;
  const header = child(data, root, 'mvhd');
  if (!header) return null;
  const timescale = data.readUInt32BE(header.body + (data[header.body] === 1 ? 20 : 12));
  for (const track of boxesIn(data, root.body, root.end)) {
    const kind = track.type === 'trak' ? child(data, track, 'mdia', 'hdlr') : null;
    if (kind === null || data.toString('latin1', kind.body + 8, kind.body + 12) !== 'soun') continue;
    const list = child(data, track, 'edts', 'elst');
    if (!list) return null;
    const isLong = data[list.body] === 1;
    const count = data.readUInt32BE(list.body + 4);
    let sum = 0;
    for (let entry = 0; entry < count; entry += 1) {
      const at = list.body + 8 + entry * (isLong ? 20 : 12);
      sum += isLong ? Number(data.readBigUInt64BE(at)) : data.readUInt32BE(at);
    }
    return timescale > 0 && sum > 0 ? sum / timescale : null;
  }
  return null;
}

/**
 * @param container by our name for it
 * @returns null: the file does not say, or what is decoded is right
 */
export function statedFrames(path: string, container: string, codec: string, sampleRate: number): number | null {
  const handle = openSync(path, 'r');
  try {
    if (container === 'ogg' || container === 'opus') {
      const granule = lastGranule(handle);
      return granule === null ? null : granule - (codec === 'opus' ? preSkip(handle) : 0);
    }
    if (['m4a', 'mp4', 'mov', '3gp'].includes(container)) {
      const seconds = editedSeconds(handle);
      return seconds === null ? null : Math.round(seconds * sampleRate);
    }
    return null;
  } finally {
    closeSync(handle);
  }
}
