// Places the packets of Ogg's sound by their pages. FFmpeg counts on from the page before: behind a hole the sound of a
// page comes too early, all of it (FLAC, Speex) or its first packet (Vorbis, Opus).
import { closeSync, openSync, readSync } from 'node:fs';
import { avGetCodecName, type FormatContext, Packet, type Stream } from 'node-av/lib';
import { AVERROR_EOF } from 'node-av/constants';
import { longestHeaderBytes, missesFirstPages, type OggPage, readOggPage } from './ogg-pages.ts';
import { noTimestamp, ticksToSeconds } from './ticks.ts';

/** Codecs whose granules count samples. */
const counted = new Set(['flac', 'vorbis', 'opus', 'speex']);
/** More than this before the first sound, or than a third of what is there, was never recorded: a radio station's. */
const longestFirstHoleSeconds = 10;
const largestFirstHole = 1 / 3;
/** So many packets of a page tell how long its packets are. */
const measured = 3;

/** A stream of sound. */
interface Track {
  /** Of the page that is read. */
  position: number;
  page: OggPage | null;
  /** Packets of it so far. */
  packets: number;
  /** Time of its next packet, where FFmpeg's is wrong, ticks. */
  next: bigint | null;
  /** Does FFmpeg place all packets of a page but the first? */
  readonly placesRest: boolean;
  /** Of the last page that has one. */
  granule: bigint | null;
  /** The longest packet so far, ticks. */
  longest: bigint;
  /** Later than its own clock: behind other streams of a chain, ticks. */
  later: bigint;
  /** Of a time behind its granule, ticks. */
  readonly offset: bigint;
  /** Is each packet mixed with the one before? */
  readonly mixes: boolean;
  /** FFmpeg does not know where the first page begins. */
  readonly beginsUnknown: boolean;
}

/** What Opus decodes before the sound begins, RFC 7845 5.1: 48,000 in a second, as its ticks. */
function preSkip({ codecpar }: Stream): bigint {
  const head = codecpar.extradata;
  return BigInt(head && head.length >= 12 ? head.readUInt16LE(10) : 0);
}

function trackOf(stream: Stream): Track {
  const codec = avGetCodecName(stream.codecpar.codecId);
  return {
    position: -1,
    page: null,
    packets: 0,
    next: null,
    granule: null,
    longest: 0n,
    later: 0n,
    offset: codec === 'opus' ? -preSkip(stream) : 0n,
    placesRest: codec === 'vorbis' || codec === 'opus',
    mixes: codec === 'vorbis',
    beginsUnknown: codec === 'flac',
  };
}

/** Reads the packets of one stream of a chain, and of those in the same form behind it. */
export class OggClock {
  private readonly context: FormatContext;
  private readonly path: string;
  private readonly fromByte: number;
  private readonly handle: number;
  private readonly header = Buffer.alloc(longestHeaderBytes);
  private readonly tracks: ReadonlyMap<number, Track>;
  /** See `PacketReader`. Of codecs whose packets are mixed. */
  beginsLink = false;
  /** Is the first sound of the stream lost, so that this packet begins later than the stream? */
  losesFirst = false;
  /** At a link of FLAC: FFmpeg gives its packets to the decoder of the first, which refuses longer blocks. */
  private ended = false;
  /** Read already, in order. */
  private readonly waiting: Packet[] = [];

  /** @param fromByte where FFmpeg's reading begins in the file */
  constructor(context: FormatContext, path: string, fromByte: number) {
    this.context = context;
    this.path = path;
    this.fromByte = fromByte;
    this.handle = openSync(path, 'r');
    this.tracks = new Map(
      context.streams
        .filter(({ codecpar }) => counted.has(avGetCodecName(codecpar.codecId) ?? ''))
        .map((stream) => [stream.index, trackOf(stream)]),
    );
  }

  /** As `readFrameSync`. */
  read(packet: Packet): number {
    if (this.ended) return AVERROR_EOF;
    const next = this.waiting.shift();
    const code = next ? packet.ref(next) : this.context.readFrameSync(packet);
    next?.free();
    this.beginsLink = false;
    this.losesFirst = false;
    const track = code < 0 ? undefined : this.tracks.get(packet.streamIndex);
    if (!track) return code;
    const position = Number(packet.pos);
    if (position >= 0 && position !== track.position) this.beginPage(track, packet, position);
    if (this.ended) {
      packet.unref();
      return AVERROR_EOF;
    }
    this.place(track, packet);
    return code;
  }

  private place(track: Track, packet: Packet): void {
    track.packets += 1;
    const placed = track.next !== null;
    if (placed || track.packets <= measured) {
      const { duration } = packet;
      if (duration > track.longest) track.longest = duration;
      if (track.next !== null) {
        packet.pts = track.next;
        track.next = track.placesRest ? null : track.next + duration;
      }
    }
    if (!placed && (track.later === 0n || packet.pts === noTimestamp)) return;
    packet.pts += track.later;
    packet.dts = packet.pts;
  }

  private beginPage(track: Track, packet: Packet, position: number): void {
    const { page: before, granule, longest } = track;
    const isBack = position < track.position;
    const page = this.pageAt(position);
    Object.assign(track, { position, page, packets: 0, next: null });
    if (page === null) return;
    const ends = page.granule >= 0n;
    if (ends) track.granule = page.granule;
    // The same stream twice in a file begins to count its pages again.
    const isLink = !isBack && before !== null && (page.serial !== before.serial || page.sequence < before.sequence);
    if (isLink && track.beginsUnknown) {
      this.ended = true;
      return;
    }
    if (granule === null || isLink) {
      // FFmpeg gives the first packet of a link the time behind the last one of the link before.
      if (ends && (track.beginsUnknown || (isLink && track.placesRest))) track.next = this.startOf(track, packet, page);
      // The first packet of Vorbis has no sound of its own.
      this.beginsLink = isLink && track.mixes;
      this.losesFirst = granule === null && ends && this.isFirstHole(packet, track.next ?? packet.pts, page);
      const start = (track.next ?? packet.pts) + (this.beginsLink ? packet.duration : 0n);
      if (isLink && granule !== null && packet.pts !== noTimestamp) track.later += granule + track.offset - start;
      return;
    }
    const isBroken = before === null || page.sequence !== before.sequence + 1;
    if (ends && (isBroken || page.granule - granule > longest * BigInt(page.packets)))
      track.next = this.startOf(track, packet, page);
    if (track.next !== null && packet.pts !== noTimestamp && track.next < packet.pts) track.next = null;
  }

  private isFirstHole({ streamIndex }: Packet, start: bigint, { serial }: OggPage): boolean {
    const { timeBase, duration } = this.context.streams[streamIndex] as Stream;
    const seconds = ticksToSeconds(start, timeBase) ?? 0;
    const longest = Math.min(longestFirstHoleSeconds, largestFirstHole * (ticksToSeconds(duration, timeBase) ?? 0));
    return seconds > 0 && seconds <= longest && missesFirstPages(this.path, this.fromByte, serial);
  }

  /** Looks ahead: a page begins as much before its granule as it holds. */
  private startOf(track: Track, first: Packet, page: OggPage): bigint {
    let packets = page.packets - (page.continues ? 1 : 0) - 1;
    let held = first.duration;
    for (let ahead = 0; packets > 0; ahead += 1) {
      const packet = this.waiting[ahead] ?? this.readAhead();
      if (packet === null) break;
      if (packet.streamIndex !== first.streamIndex) continue;
      if (packet.pos !== first.pos) break;
      if (track.placesRest && packet.pts !== noTimestamp) return packet.pts - held;
      held += packet.duration;
      packets -= 1;
    }
    return page.granule + track.offset - held;
  }

  private readAhead(): Packet | null {
    const packet = new Packet();
    packet.alloc();
    if (this.context.readFrameSync(packet) < 0) {
      packet.free();
      return null;
    }
    this.waiting.push(packet);
    return packet;
  }

  private pageAt(position: number): OggPage | null {
    const got = readSync(this.handle, this.header, 0, longestHeaderBytes, this.fromByte + position);
    return readOggPage(this.header.subarray(0, got));
  }

  close(): void {
    for (const packet of this.waiting) packet.free();
    this.waiting.length = 0;
    closeSync(this.handle);
  }
}
