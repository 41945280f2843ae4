// How long the sound is by the file's own word, where decoders of browsers give more: edit lists of MP4, the last page
// of Ogg, the last block of Matroska.
import { closeSync, fstatSync, openSync, readSync } from 'node:fs';
import { type Element, elementsIn } from '../../library/media/chapters/matroska.ts';
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

/** Ids of Matroska's elements. */
const ids = { blockGroup: 0xa0, block: 0xa1, discardPadding: 0x75a2 } as const;
/** The last sound lies so near to a file's end. */
const searchedBytes = 2 * 2 ** 20;

function paddingOf(data: Buffer, group: Element): number | null {
  const children = [...elementsIn(data, group.body, group.end)];
  // What looks like a group by chance is not made of elements from its begin to its end.
  if (children[0]?.id !== ids.block || children.at(-1)?.end !== group.end) return null;
  const padding = children.find(({ id }) => id === ids.discardPadding);
  const size = padding ? padding.end - padding.body : 0;
  return padding && size >= 1 && size <= 6 ? data.readIntBE(padding.body, size) / 1e9 : null;
}

/** Seconds that the encoder added behind the sound, which the last block of a Matroska or WebM file states. */
function discardedSeconds(handle: number): number {
  const { size } = fstatSync(handle);
  const data = Buffer.alloc(Math.min(size, searchedBytes));
  readSync(handle, data, 0, data.length, size - data.length);
  for (let at = data.lastIndexOf(ids.blockGroup); at > 0; at = data.lastIndexOf(ids.blockGroup, at - 1)) {
    const group = elementsIn(data, at, data.length).next().value;
    const padding = group ? paddingOf(data, group) : null;
    if (padding !== null) return Math.max(0, padding);
  }
  return 0;
}

/** Frames of the longest packet. */
const longestPacket: Readonly<Record<string, number>> = { opus: 5760, vorbis: 4096 };

/** A file that was cut out of another counts from elsewhere, so its last page says nothing of its length. */
function oggFrames(handle: number, codec: string, decoded: number): number {
  const granule = lastGranule(handle);
  if (granule === null) return decoded;
  const stated = granule - (codec === 'opus' ? preSkip(handle) : 0);
  return decoded - stated <= (longestPacket[codec] ?? 0) ? Math.min(stated, decoded) : decoded;
}

/**
 * @param container by our name for it
 * @returns frames of the sound: never more than were decoded
 */
export function soundFrames(
  path: string,
  container: string,
  codec: string,
  { frames, sampleRate }: { readonly frames: number; readonly sampleRate: number },
): number {
  const handle = openSync(path, 'r');
  try {
    if (container === 'ogg' || container === 'opus') return oggFrames(handle, codec, frames);
    if (container === 'webm' || container === 'mkv')
      return Math.max(1, frames - Math.round(discardedSeconds(handle) * sampleRate));
    if (['m4a', 'mp4', 'mov', '3gp'].includes(container)) {
      const seconds = editedSeconds(handle);
      return seconds === null ? frames : Math.min(Math.round(seconds * sampleRate), frames);
    }
    return frames;
  } finally {
    closeSync(handle);
  }
}
