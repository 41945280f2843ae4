// Where frames of an MP3 are lost. Nothing in a frame says which it is, so how many are lost is known only from the
// bytes between two that are there, where all are equally long, or from the count in the first one (Xing, VBRI).
import { closeSync, fstatSync, openSync, readSync } from 'node:fs';
import type { Packet, Stream } from 'node-av/lib';
import { oncePerFile } from './once-per-file.ts';
import { noTimestamp } from './ticks.ts';

/** Bytes between frames, or the end of half a frame before others. */
interface Mp3Hole {
  /** Frames before it, those that are lost too. */
  readonly frames: number;
  /** Lost in it; null: that cannot be known. */
  readonly lost: number | null;
  /** Where the frames behind it begin: FFmpeg takes the first ones for a part of what is between. */
  readonly positions: readonly number[];
}

/** A tag between frames, as where files were joined. FFmpeg takes it for a frame, or the begin of the one behind. */
interface Inner {
  readonly bytes: number;
  /** Is the frame behind it a table, without sound? */
  readonly isTable: boolean;
}

interface Mp3Frames {
  /** By their places. */
  readonly tags: ReadonlyMap<number, Inner>;
  readonly firstPosition: number;
  readonly frameSamples: number;
  readonly sampleRate: number;
  readonly holes: readonly Mp3Hole[];
}

const chunkBytes = 2 ** 20;
/** A hostile file has millions. */
const mostHoles = 1000;
const followers = 64;
/** Of layer II: by version. */
const secondLayerKbps = [0, 32, 48, 56, 64, 80, 96, 112, 128, 160, 192, 224, 256, 320, 384];
/** Half the rate of the version before. */
const rates = [44_100, 48_000, 32_000];
const firstKbps = [0, 32, 40, 48, 56, 64, 80, 96, 112, 128, 160, 192, 224, 256, 320];
const secondKbps = [0, 8, 16, 24, 32, 40, 48, 56, 64, 80, 96, 112, 128, 144, 160];

interface Header {
  readonly bytes: number;
  readonly samples: number;
  readonly sampleRate: number;
  readonly kbps: number;
}

/** A frame of layer II or III, ISO/IEC 11172-3 2.4.2.3 and 13818-3 2.4.2.3; null: none, or one of free format. */
function headerOf(second: number, third: number): Header | null {
  const version = (second >> 3) & 3;
  const layer = 4 - ((second >> 1) & 3);
  if (second < 0xe0 || version === 1 || layer < 2 || layer > 3) return null;
  const halvings = version === 3 ? 0 : version === 2 ? 1 : 2;
  const sampleRate = (rates[(third >> 2) & 3] ?? 0) / 2 ** halvings;
  const ofFirst = layer === 2 ? secondLayerKbps : firstKbps;
  const kbps = (halvings === 0 ? ofFirst : secondKbps)[third >> 4] ?? 0;
  if (sampleRate === 0 || kbps === 0) return null;
  const samples = halvings === 0 || layer === 2 ? 1152 : 576;
  return { samples, sampleRate, kbps, bytes: Math.floor((samples * kbps * 125) / sampleRate) + ((third >> 1) & 1) };
}

/** There are few, and millions of frames. */
const known = new Map<number, Header | null>();

function headerAt(bytes: Buffer, at: number): Header | null {
  if (at < 0 || at + 4 > bytes.length || bytes[at] !== 0xff) return null;
  const [second, third] = [bytes[at + 1] as number, bytes[at + 2] as number];
  const key = (second << 8) | third;
  let header = known.get(key);
  if (header === undefined) known.set(key, (header = headerOf(second, third)));
  return header;
}

/** Frames by the table of the first one, which has no sound; null: it has none. */
function statedFrames(bytes: Buffer, { bytes: size }: Header): number | null {
  const head = bytes.subarray(0, size);
  const at = Math.max(head.indexOf('Xing', 0, 'latin1'), head.indexOf('Info', 0, 'latin1'));
  if (at > 0 && at <= 48 && at + 12 <= size && ((head[at + 7] as number) & 1) === 1) return head.readUInt32BE(at + 8);
  return head.toString('latin1', 36, 40) === 'VBRI' && size >= 54 ? head.readUInt32BE(50) : null;
}

/** Bytes of a tag that lies between frames, as where files were joined; 0: there is none. */
function tagBytes(bytes: Buffer, at: number): number {
  const size = (from: number): number => (bytes[from] ?? 0) & 0x7f;
  const name = bytes.toString('latin1', at, at + 8);
  if (name.startsWith('ID3'))
    return 10 + ((size(at + 6) << 21) | (size(at + 7) << 14) | (size(at + 8) << 7) | size(at + 9));
  if (name.startsWith('TAG')) return 128;
  return name === 'APETAGEX' && at + 16 <= bytes.length ? 32 + bytes.readUInt32LE(at + 12) : 0;
}

interface Skipped {
  readonly frames: number;
  readonly bytes: number;
  readonly positions: number[];
}

/** A file as a window that moves on. */
class Bytes {
  private readonly handle: number;
  private readonly chunk = Buffer.alloc(chunkBytes);
  private from = 0;
  private got = 0;
  readonly size: number;
  constructor(path: string) {
    this.handle = openSync(path, 'r');
    this.size = fstatSync(this.handle).size;
  }
  /** Reads so many bytes, where they are not there already. */
  private need(position: number, size: number): void {
    if (position >= this.from && position + size <= this.from + this.got) return;
    this.from = position;
    this.got = readSync(this.handle, this.chunk, 0, chunkBytes, position);
  }
  /** So many bytes, or fewer at the end. */
  at(position: number, size: number): Buffer {
    this.need(position, size);
    return this.chunk.subarray(position - this.from, Math.min(this.got, position - this.from + size));
  }
  header(position: number): Header | null {
    this.need(position, 4);
    return position - this.from + 4 > this.got ? null : headerAt(this.chunk, position - this.from);
  }
  close(): void {
    closeSync(this.handle);
  }
}

/** Joined files of several rates: times count as if all had the first one's, and nothing can be found by them. */
const mixed = { frameSamples: 0, sampleRate: 0, holes: [], tags: new Map<number, Inner>() };

const searchBytes = 65_536;

/** Is there a frame, and another one behind it? */
function frameAt(file: Bytes, position: number): Header | null {
  const header = file.header(position);
  if (header === null) return null;
  const next = file.header(position + header.bytes);
  return next?.sampleRate === header.sampleRate ? header : null;
}

/** The next frame of the first one's rate, by all bytes. */
function search(file: Bytes, from: number, { sampleRate }: Header): number | null {
  for (let start = from; ;) {
    const bytes = Buffer.from(file.at(start, searchBytes));
    for (let at = bytes.indexOf(0xff); at !== -1; at = bytes.indexOf(0xff, at + 1))
      if (frameAt(file, start + at)?.sampleRate === sampleRate) return start + at;
    if (bytes.length < searchBytes) return null;
    start += bytes.length;
  }
}

/**
 * Walks over all frames of a file: 50 ms for an hour.
 * @returns null where all frames lie behind each other, or nothing is known
 */
function findHoles(path: string): Mp3Frames | null {
  const file = new Bytes(path);
  try {
    let position = tagBytes(file.at(0, 16), 0);
    const first = frameAt(file, position);
    if (first === null) return null;
    const stated = statedFrames(file.at(position, first.bytes), first);
    if (stated !== null) position += first.bytes;
    const firstPosition = position;
    const skipped: Skipped[] = [];
    const tags = new Map<number, Inner>();
    let tagAt: number | null = null;
    const kbps = new Set<number>();
    // A table has a frame of its own size.
    let frameBytes = 0;
    let frames = 0;
    for (;;) {
      const header = file.header(position);
      if (header !== null) {
        if (header.sampleRate !== first.sampleRate) return { ...mixed, firstPosition };
        if (tagAt !== null && tags.size < mostHoles) {
          const isTable = statedFrames(file.at(position, header.bytes), header) !== null;
          tags.set(tagAt, { bytes: position - tagAt, isTable });
        }
        tagAt = null;
        const last = skipped.at(-1);
        if (last && last.positions.length < followers) last.positions.push(position);
        kbps.add(header.kbps);
        frameBytes ||= header.bytes;
        frames += 1;
        position += header.bytes;
        continue;
      }
      const tag = tagBytes(file.at(position, 16), 0);
      if (tag > 0) {
        tagAt ??= position;
        position += tag;
        continue;
      }
      const next = search(file, position, first);
      if (next === null) break;
      skipped.push({ frames, bytes: next - position, positions: [] });
      if (skipped.length > mostHoles) return null;
      position = next;
    }
    if (skipped.length + tags.size === 0) return null;
    // Of a file that is cut off, the count says nothing of its holes.
    const missing = stated === null || position > file.size ? null : stated - frames;
    const { samples: frameSamples, sampleRate } = first;
    return {
      firstPosition,
      frameSamples,
      sampleRate,
      tags,
      holes: measured(skipped, missing, kbps.size === 1 ? frameBytes : null),
    };
  } finally {
    file.close();
  }
}

/**
 * @param missing frames in all; null: not stated
 * @param frameBytes of all frames; null: they differ
 */
function measured(skipped: readonly Skipped[], missing: number | null, frameBytes: number | null): Mp3Hole[] {
  const bytes = skipped.reduce((sum, hole) => sum + hole.bytes, 0);
  // Bytes that are there have a length; where fewer frames than those are missing, the count is wrong.
  const byBytes = frameBytes === null ? null : skipped.map((hole) => Math.round(hole.bytes / frameBytes));
  const sum = byBytes?.reduce((all, one) => all + one, 0) ?? 0;
  const isStated = missing !== null && missing > 0 && missing >= sum;
  let before = 0;
  let left = isStated ? missing - sum : 0;
  return skipped.map(({ frames, bytes: own, positions }, index) => {
    const isLast = index === skipped.length - 1;
    const share = isLast ? left : Math.min(left, Math.round(((missing ?? 0) - sum) * (own / bytes)));
    left -= share;
    const lost = isStated ? (byBytes?.[index] ?? 0) + share : (byBytes?.[index] ?? null);
    const hole = { frames: frames + before, lost, positions };
    before += lost ?? 0;
    return hole;
  });
}

const onceFound = oncePerFile<Mp3Frames | null>();

/** What is missing before a packet: so much that its time says it, or nothing is known of how much. */
export type Lost = 'known' | 'unknown' | null;

/** Moves packets behind holes to their place. */
export class Mp3Clock {
  private readonly frames: Mp3Frames | null;
  private readonly stream: Stream | undefined;
  private begin: bigint | null = null;
  private later = 0n;
  private hole = 0;
  lost: Lost = null;

  constructor(path: string, streams: readonly Stream[]) {
    this.frames = onceFound(path, () => findHoles(path));
    this.stream = streams.find(({ codecpar }) => codecpar.sampleRate > 0);
  }

  get isNeeded(): boolean {
    return this.frames !== null;
  }

  /** @returns false: it is no sound */
  place(packet: Packet): boolean {
    this.lost = null;
    const { frames, stream } = this;
    if (frames === null || packet.streamIndex !== stream?.index || packet.pts === noTimestamp) return true;
    const position = Number(packet.pos);
    const tag = frames.tags.get(position);
    if (tag !== undefined && (tag.isTable || packet.size <= tag.bytes)) {
      this.later -= packet.duration;
      return false;
    }
    if (tag !== undefined) packet.data = Buffer.from((packet.data as Buffer).subarray(tag.bytes));
    if (position === frames.firstPosition) this.begin = packet.pts;
    const hole = frames.holes[this.hole];
    if (hole && position >= (hole.positions[0] ?? Number.POSITIVE_INFINITY)) {
      this.hole += 1;
      const place = this.timeBehind(hole, position, frames, stream);
      this.lost = place === null ? 'unknown' : 'known';
      if (place !== null) this.later = place - packet.pts;
    }
    packet.pts += this.later;
    packet.dts = packet.pts;
    return true;
  }

  /** Ticks; null: not known. */
  private timeBehind(
    { frames, lost, positions }: Mp3Hole,
    position: number,
    { frameSamples, sampleRate }: Mp3Frames,
    { timeBase }: Stream,
  ): bigint | null {
    const index = positions.indexOf(position);
    if (lost === null || index === -1 || this.begin === null) return null;
    const seconds = ((frames + lost + index) * frameSamples) / sampleRate;
    return this.begin + BigInt(Math.round((seconds * timeBase.den) / timeBase.num));
  }
}
