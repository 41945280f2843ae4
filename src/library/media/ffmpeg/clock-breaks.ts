// Transport and programme streams whose clock steps back, as in recordings joined byte by byte and parts of a recorder:
// the parts are put one after the other.
import { closeSync, openSync, readSync } from 'node:fs';
import { avGetCodecName, type FormatContext, Packet, type Stream } from 'node-av/lib';
import { AVMEDIA_TYPE_AUDIO, AVMEDIA_TYPE_VIDEO } from 'node-av/constants';
import { oncePerFile } from './once-per-file.ts';
import { type OwnSeconds, ownSecondsOf } from './packet-seconds.ts';
import { noTimestamp, ticksToSeconds } from './ticks.ts';

/** A part of a file that begins where the clock steps back. */
export interface LaterPart {
  /** Its first byte. */
  readonly position: number;
  /** What its times are later by on the file's one clock, s. */
  readonly laterSeconds: number;
}

const chunkBytes = 4 * 2 ** 20;
/** A smaller step back is jitter, s. */
const leastStepSeconds = 0.1;
/** Of the clocks in the file. */
const ticksPerSecond = 90_000;
/** A clock of 33 bits that is full begins anew, and FFmpeg counts on. */
const wrapTicks = 2 ** 32;

/** Tells the clocks in a chunk of a file; answers how many bytes were looked at. */
type ClockReader = (chunk: Buffer, tell: (clock: number, ticks: number) => void) => number;

const sync = 0x47;
/** Packets of a transport stream, with a recorder's time before or error correction behind them. */
const packetSizes = [188, 192, 204];

/** PCR of a transport stream's packets, ISO/IEC 13818-1 2.4.3.4 and 2.4.3.5. */
const readTransport: ClockReader = (chunk, tell) => {
  const sizeAt = (at: number): number | undefined =>
    packetSizes.find((size) => chunk[at + size] === sync && chunk[at + 2 * size] === sync);
  const end = chunk.length - 3 * 204;
  let size: number | undefined;
  let at = 0;
  while (at < end) {
    if (chunk[at] !== sync || size === undefined || chunk[at + size] !== sync) {
      const next = chunk.indexOf(sync, at + (size === undefined ? 0 : 1));
      if (next === -1) return chunk.length;
      size = sizeAt(next);
      at = size === undefined ? next + 1 : next;
      continue;
    }
    const flags = chunk[at + 5] as number;
    if (((chunk[at + 3] as number) & 0x20) !== 0 && (chunk[at + 4] as number) >= 7 && (flags & 0x10) !== 0)
      tell(chunk.readUInt16BE(at + 1) & 0x1fff, chunk.readUInt32BE(at + 6) * 2);
    at += size;
  }
  return at;
};

/** The upper bits of the SCR of a programme stream's packs, ISO/IEC 13818-1 2.5.3.4 and 11172-1 2.4.3.2. */
const readProgramme: ClockReader = (chunk, tell) => {
  const code = Buffer.from([0, 0, 1, 0xba]);
  for (let at = chunk.indexOf(code); at !== -1 && at + 7 < chunk.length; at = chunk.indexOf(code, at + 4)) {
    const first = chunk[at + 4] as number;
    const rest = chunk.readUInt16BE(at + 5);
    const isSecond = first >> 6 === 1;
    const upper = isSecond
      ? ((first >> 3) & 7) * 2 ** 15 + ((first & 3) << 13) + (rest >> 3)
      : ((first >> 1) & 7) * 2 ** 15 + (rest >> 1);
    tell(0, upper * 2 ** 15);
  }
  return chunk.length - 7;
};

const readers: Readonly<Record<string, ClockReader>> = { mpegts: readTransport, mpeg: readProgramme };

/** Does a clock in the file step back? Half a second for a gigabyte that is in memory. */
function stepsBack(path: string, read: ClockReader): boolean {
  const last = new Map<number, number>();
  let found = false;
  const tell = (clock: number, ticks: number): void => {
    const step = ticks - (last.get(clock) ?? ticks);
    if (step < -leastStepSeconds * ticksPerSecond && step > -wrapTicks) found = true;
    last.set(clock, ticks);
  };
  const handle = openSync(path, 'r');
  try {
    const chunk = Buffer.alloc(chunkBytes);
    for (let position = 0, got = 1; got > 0;) {
      got = readSync(handle, chunk, 0, chunkBytes, position);
      const looked = read(chunk.subarray(0, got), tell);
      if (found || got < chunkBytes) break;
      position += Math.max(1, looked);
    }
    return found;
  } finally {
    closeSync(handle);
  }
}

/**
 * A clock is stated once in a group of packets. FFmpeg counts on from there by the rate that the stream began with: of
 * sound that changes its rate the times within a group run ahead and step back. They are counted by the packets' own
 * lengths.
 */
class GroupTimes {
  private readonly tracks: ReadonlyMap<number, { readonly own: OwnSeconds; next: bigint | null }>;

  constructor(streams: readonly Stream[]) {
    this.tracks = new Map(
      streams.flatMap(({ index, codecpar, timeBase }) => {
        const own = ownSecondsOf(avGetCodecName(codecpar.codecId) ?? '');
        return own && timeBase.den === ticksPerSecond ? [[index, { own, next: null }]] : [];
      }),
    );
  }

  place(packet: Packet): void {
    const track = this.tracks.get(packet.streamIndex);
    if (!track || packet.pts === noTimestamp) return;
    const seconds = track.own(packet);
    if (seconds !== null) {
      const ticks = BigInt(Math.round(seconds * ticksPerSecond));
      const { next } = track;
      // A first packet has a position.
      if (next !== null && packet.pos < 0n && packet.duration !== ticks) packet.pts = packet.dts = next;
      packet.duration = ticks;
    }
    track.next = packet.pts + packet.duration;
  }
}

interface Part {
  readonly start: number;
  end: number;
}

/** The parts of one stream, on its own clock. */
interface Track {
  readonly parts: Part[];
  last: number;
  position: number;
}

/**
 * Reads all packets of a file. A part begins where the times of all sounds and pictures step back: one stream's alone
 * are damage. It is put where the longest stream of the part before ends, as `ffmpeg -c copy` does.
 * @param context just opened; at its end afterwards
 */
function partsOf(context: FormatContext): LaterPart[] {
  const streams = context.streams.filter(
    ({ codecpar: { codecType } }) => codecType === AVMEDIA_TYPE_AUDIO || codecType === AVMEDIA_TYPE_VIDEO,
  );
  const tracks = new Map<number, Track>(
    streams.map(({ index }) => [index, { parts: [], last: Number.NEGATIVE_INFINITY, position: 0 }]),
  );
  const bases = new Map(streams.map(({ index, timeBase }) => [index, timeBase]));
  const positions: number[] = [0];
  const groups = new GroupTimes(streams);
  const packet = new Packet();
  packet.alloc();
  try {
    while (context.readFrameSync(packet) >= 0) {
      groups.place(packet);
      const track = tracks.get(packet.streamIndex);
      const base = bases.get(packet.streamIndex);
      const decoded = base && packet.dts !== noTimestamp ? ticksToSeconds(packet.dts, base) : null;
      if (track && base && decoded !== null) {
        if (packet.pos >= 0n) track.position = Number(packet.pos);
        // FFmpeg takes a step back to more than a minute before the start for a clock that was full.
        const isAhead = decoded - track.last > wrapTicks / ticksPerSecond;
        if (decoded < track.last - leastStepSeconds || isAhead || track.parts.length === 0) {
          positions[track.parts.length] = Math.min(track.position, positions[track.parts.length] ?? track.position);
          track.parts.push({ start: decoded, end: decoded });
        }
        // Times of decoding: programme streams leave out others, and both clocks are as long.
        (track.parts.at(-1) as Part).end = decoded + (ticksToSeconds(packet.duration, base) ?? 0);
        track.last = decoded;
      }
      packet.unref();
    }
  } finally {
    packet.free();
  }
  const all = [...tracks.values()].filter(({ parts }) => parts.length > 0);
  if (all.some(({ parts, position }) => position > (positions[parts.length] ?? Number.POSITIVE_INFINITY))) return [];
  let laterSeconds = 0;
  return positions.slice(1).map((position, index) => {
    const gaps = all.flatMap(({ parts: { [index]: before, [index + 1]: after } }) =>
      before && after ? before.end - after.start : [],
    );
    laterSeconds += Math.max(...gaps);
    return { position, laterSeconds };
  });
}

const onceFound = oncePerFile<readonly LaterPart[]>();

/**
 * The parts of a file that follow a step back of its clock; usually none.
 * @param open another context of the file
 */
function laterParts(path: string, demuxer: string, open: () => FormatContext): readonly LaterPart[] {
  const read = readers[demuxer];
  if (read === undefined) return [];
  return onceFound(path, () => {
    if (!stepsBack(path, read)) return [];
    const context = open();
    try {
      return partsOf(context);
    } finally {
      context.closeInputSync();
    }
  });
}

/** Places packets on the file's one clock: those of later parts, and those whose times FFmpeg counts. */
export class OneClock {
  private readonly parts: readonly LaterPart[];
  private readonly positions = new Map<number, number>();
  /** Parts that begin before the last packet. */
  private at = 0;
  private readonly groups: GroupTimes;

  constructor(parts: readonly LaterPart[], streams: readonly Stream[]) {
    this.parts = parts;
    this.groups = new GroupTimes(streams);
  }

  get isNeeded(): boolean {
    return this.parts.length > 0;
  }

  place(packet: Packet, streams: readonly Stream[]): void {
    this.groups.place(packet);
    if (!this.isNeeded) return;
    // A packet of sound in the middle of a larger one has no position of its own.
    if (packet.pos >= 0n) this.positions.set(packet.streamIndex, Number(packet.pos));
    const position = this.positions.get(packet.streamIndex) ?? 0;
    // A hostile file has millions of parts, and is read from its start to its end.
    while (position >= (this.parts[this.at]?.position ?? Number.POSITIVE_INFINITY)) this.at += 1;
    while (position < (this.parts[this.at - 1]?.position ?? 0)) this.at -= 1;
    const part = this.parts[this.at - 1];
    const timeBase = streams[packet.streamIndex]?.timeBase;
    if (!part || !timeBase) return;
    const ticks = BigInt(Math.round((part.laterSeconds * timeBase.den) / timeBase.num));
    if (packet.pts !== noTimestamp) packet.pts += ticks;
    if (packet.dts !== noTimestamp) packet.dts += ticks;
  }
}

/** @param open another context of the file */
export function clockOf(path: string, { iformat, streams }: FormatContext, open: () => FormatContext): OneClock {
  const demuxer = iformat?.name ?? '';
  return new OneClock(laterParts(path, demuxer, open), demuxer in readers ? streams : []);
}
