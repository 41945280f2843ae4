import { type CodecContext, Frame, Packet, type Stream } from 'node-av/lib';
import { AVDISCARD_ALL, AVERROR_EOF, AVSEEK_FLAG_BACKWARD } from 'node-av/constants';
import { createFifo, type Fifo } from '../../ffmpeg/fifo.ts';
import { openInput, type OpenedInput } from '../../ffmpeg/ffmpeg.ts';
import { noTimestamp } from '../../ffmpeg/ticks.ts';
import { openSoundDecoder } from '../../ffmpeg/sound-decoder.ts';
import { createSoundClock } from '../sound-clock.ts';
import { decodingRules, type DecodingRules } from './rules.ts';

/** A second of a segment, or its end. */
export interface Part {
  /** In the planes; 0 only at an end. */
  readonly frames: number;
  /**
   * "cut": the next segment begins here. "end": the sound ends. "unusual": from here on only a decoder that has read
   * everything before knows what to do: damage, another format, a clock that goes back.
   */
  readonly after: 'more' | 'cut' | 'end' | 'unusual';
  /** By how many frames the container's clock is ahead of the frames since the segment began, at most. */
  readonly ahead: number;
  /** Of the packets around the segment's begin: the same as `end` of the segment before, or they were others. */
  readonly begin: number;
  /** Of the packets around its end, where there is a cut. */
  readonly end: number;
}

/** Reading begins so much earlier than decoding, s: packets right behind a seek may have no time. */
const seekSeconds = 1;
const unusualFrames = Number.NEGATIVE_INFINITY;
/** FNV-1a, 32 bits. */
const hashStart = 0x811c9dc5;
const hashed = (hash: number, value: number): number => Math.imul(hash ^ value, 0x01000193) >>> 0;
/** In the first byte of an Opus packet (RFC 6716, 3.1), from here on all configurations are CELT's. */
const firstCelt = 0x80;

/** Decodes segments of a file, in any order. */
export class SegmentDecoder {
  readonly stream: Stream;
  readonly input: OpenedInput;
  private readonly rules: DecodingRules;
  private readonly fillsGaps: boolean;
  private readonly sampleRate: number;
  private readonly framesPerTick: number;
  private readonly startTicks: bigint;
  private readonly packet = new Packet();
  private readonly frame = new Frame();
  private context: CodecContext | null = null;
  private fifo: Fifo | null = null;
  private moved = false;
  private cut = 0;
  private lastAt = 0;
  private frames = 0;
  private ahead = 0;
  private begin = hashStart;
  private end = hashStart;
  private after: Part['after'] = 'unusual';

  private readonly length: number;

  /**
   * @param segmentSeconds a segment begins at the first packet at or after each multiple of this
   * @throws EarshotError as `openInput`; TypeError where the stream is not decoded in segments
   */
  constructor(path: string, streamIndex: number, segmentSeconds: number) {
    this.input = openInput(path);
    const stream = this.input.streams[streamIndex];
    const demuxer = this.input.context.iformat?.name ?? '';
    const rules = stream === undefined ? null : decodingRules(stream, demuxer);
    if (stream === undefined || rules === null) {
      this.input.close();
      throw new TypeError('Expected a stream that is decoded in segments');
    }
    for (const other of this.input.streams) if (other.index !== streamIndex) other.discard = AVDISCARD_ALL;
    const { timeBase, startTime, codecpar } = stream;
    this.stream = stream;
    this.rules = rules;
    this.sampleRate = codecpar.sampleRate;
    this.length = segmentSeconds * this.sampleRate;
    this.fillsGaps = createSoundClock(demuxer, this.sampleRate, 0).fillsGaps;
    this.framesPerTick = (timeBase.num / timeBase.den) * this.sampleRate;
    this.startTicks = startTime === noTimestamp ? 0n : startTime;
    this.packet.alloc();
    this.frame.alloc();
  }

  /** Goes to a segment. */
  start(number: number): void {
    this.closeDecoder();
    const from = number * this.length;
    this.cut = from + this.length;
    this.frames = 0;
    this.ahead = unusualFrames;
    this.lastAt = unusualFrames;
    this.begin = hashStart;
    this.end = hashStart;
    this.after = 'more';
    this.context = openSoundDecoder(this.stream);
    this.fifo = createFifo(this.context.channelLayout, this.sampleRate, this.context.sampleFormat);
    if (number === 0) {
      if (this.moved) this.after = 'unusual';
      this.moved = true;
      return;
    }
    this.moved = true;
    if (!this.goTo(from)) this.after = 'unusual';
  }

  private goTo(from: number): boolean {
    const { preroll, celt } = this.rules;
    const ticks = Math.floor((from - preroll - seekSeconds * this.sampleRate) / this.framesPerTick);
    const target = this.startTicks + BigInt(Math.max(0, ticks));
    if (this.input.context.seekFrameSync(this.stream.index, target, AVSEEK_FLAG_BACKWARD) < 0) return false;
    let [packets, bytes] = [0, 0];
    for (;;) {
      const at = this.read();
      if (at === null) return false;
      if (at === unusualFrames || at < from - preroll) {
        this.packet.unref();
        continue;
      }
      this.begin = this.hashOf(this.begin, at);
      if (at >= from) {
        if (packets < this.rules.packets || bytes < this.rules.bytes) return false;
        this.decode(at);
        return this.after === 'more';
      }
      packets += 1;
      bytes += this.packet.size;
      if (celt && (this.packet.data?.[0] ?? 0) < firstCelt) return false;
      // The first ones refer to sound that this decoder has not got.
      this.context?.sendPacketSync(this.packet);
      this.packet.unref();
      while ((this.context?.receiveFrameSync(this.frame) ?? -1) >= 0) this.frame.unref();
    }
  }

  private hashOf(hash: number, at: number): number {
    return hashed(hashed(hash, Math.round(at) % 2 ** 32), this.packet.size);
  }

  /** Reads the next packet. Its time, frames; -Infinity where it has none; null: there is none. */
  private read(): number | null {
    for (;;) {
      const code = this.input.read(this.packet);
      if (code < 0) {
        if (code !== AVERROR_EOF) this.after = 'unusual';
        return null;
      }
      if (this.packet.streamIndex !== this.stream.index) {
        this.packet.unref();
        continue;
      }
      const { pts } = this.packet;
      return pts === noTimestamp ? unusualFrames : Number(pts - this.startTicks) * this.framesPerTick;
    }
  }

  /**
   * The next second.
   * @param planes of a second or more
   */
  fill(planes: readonly Float32Array[]): Part {
    const fifo = this.fifo as Fifo;
    while (this.after === 'more' && fifo.buffered < this.sampleRate) this.step();
    const frames = this.after === 'unusual' ? 0 : fifo.read(planes, 0, this.sampleRate);
    const { ahead, begin, end } = this;
    this.ahead = unusualFrames;
    return { frames, after: fifo.buffered > 0 && this.after !== 'unusual' ? 'more' : this.after, ahead, begin, end };
  }

  private step(): void {
    const at = this.read();
    if (at === null) {
      if (this.after === 'unusual') return;
      this.context?.sendPacketSync(null);
      this.receive();
      if (this.after === 'more') this.after = 'end';
      return;
    }
    if (at < this.lastAt || at === unusualFrames) this.after = 'unusual';
    else if (at >= this.cut - this.rules.preroll) this.end = this.hashOf(this.end, at);
    if (this.after === 'more' && at >= this.cut) this.after = 'cut';
    if (this.after === 'more') this.decode(at);
    else this.packet.unref();
  }

  /** Decodes a packet of the segment. */
  private decode(at: number): void {
    this.lastAt = at;
    const code = this.context?.sendPacketSync(this.packet) ?? -1;
    this.packet.unref();
    if (code < 0) this.after = 'unusual';
    else this.receive();
  }

  private receive(): void {
    const { frame, context, fifo } = this;
    if (context === null || fifo === null) return;
    while (context.receiveFrameSync(frame) >= 0) {
      const frames = frame.nbSamples;
      if (this.fillsGaps) {
        const { pts } = frame;
        if (pts !== noTimestamp) {
          const at = Math.round(Number(pts - this.startTicks) * this.framesPerTick);
          this.ahead = Math.max(this.ahead, at - this.frames);
        }
      }
      if (fifo.writeFrame(frame, frames) < 0) this.after = 'unusual';
      this.frames += frames;
      frame.unref();
    }
  }

  private closeDecoder(): void {
    this.fifo?.close();
    this.context?.freeContext();
    this.fifo = null;
    this.context = null;
  }

  close(): void {
    this.closeDecoder();
    this.frame.free();
    this.packet.free();
    this.input.close();
  }
}
