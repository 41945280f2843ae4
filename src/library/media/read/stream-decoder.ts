// Decodes one stream of sound of an open file.
import {
  type CodecContext,
  Frame,
  Packet,
  avChannelLayoutDefault,
  avGetCodecName,
  type ChannelLayout,
  type Stream,
} from 'node-av/lib';
import {
  AVDISCARD_ALL,
  AVERROR_EAGAIN,
  AVERROR_EOF,
  AVSEEK_FLAG_BACKWARD,
  type AVSampleFormat,
} from 'node-av/constants';
import { EarshotError } from '../../core/errors/errors.ts';
import type { Warning } from '../../core/progress/progress.ts';
import { count } from '../../core/readable.ts';
import type { AudioBlock } from '../../pcm/block.ts';
import { silenceBroken } from '../../pcm/broken-samples.ts';
import { chooseAudioStream, describeCode, type OpenedInput, zeroOf } from '../ffmpeg/ffmpeg.ts';
import { createFifo, type Fifo } from '../ffmpeg/fifo.ts';
import { openSoundDecoder } from '../ffmpeg/sound-decoder.ts';
import { noTimestamp, ticksToSeconds } from '../ffmpeg/ticks.ts';
import { createSoundClock, seeksExactly, type SoundClock } from './sound-clock.ts';

/** Decoding starts this much earlier, so that codecs with memory (bit reservoir, overlap, pre-skip) have settled. */
export const prerollSeconds = 1;
const inputChanged = -1668179713;
/** So many packets of a stream that was cut anywhere may be halves, or refer to others before them. */
const halfPackets = 32;
const speexDelaySeconds = 0.005;

const isUnnamed = ({ mask, nbChannels }: ChannelLayout, channels: number): boolean =>
  mask === 0n && nbChannels === channels;

/** Decodes one audio stream at its own rate and channel count, block by block, on the file's time line. */
export class StreamDecoder {
  readonly sampleRate: number;
  readonly channels: number;
  readonly warnings: Warning[] = [];
  private readonly first: OpenedInput;
  /** Being read: the first one, or of a chain of streams one behind it. */
  private input: OpenedInput;
  private readonly stream: Stream;
  private context: CodecContext;
  private readonly packet = new Packet();
  private readonly frame = new Frame();
  private readonly fifo: Fifo;
  private readonly layout: ChannelLayout;
  /** Frames have no layout, although the decoder was given one (Speex, TAK). */
  private unnamed = false;
  /** Decoded frames before the sound begins. */
  private readonly primingFrames: number;
  /** Frames of silence between the file's zero and the sound. */
  readonly leadFrames: number;
  /** The end of the sound where the decoder continues beyond it; null where it does not. */
  readonly endFrame: number | null;
  private readonly clock: SoundClock;
  /** The file's zero. */
  private zeroTicks: bigint;
  /** Does the next frame say where its clock has its zero? */
  private findsZero: boolean;
  /** Read once: each access to a stream or packet is a call into the addon, and there are millions of packets. */
  private streamIndex: number;
  private tickSeconds: number;
  private readonly nextBlockPlanes: Float32Array[];
  /** Frames from the file's zero to the end of the FIFO's input; null until the first frame after a seek. */
  private position: number | null = 0;
  /** Frames still to be discarded. */
  private skip = 0;
  private moved = false;
  private drained = false;
  private ended = false;
  private decodedFrames = 0;
  private badPackets = 0;
  private packets = 0;
  private beginsInside = false;
  /** Of uncompressed sound, a packet that ends within a frame is damaged only if others follow: files are padded. */
  private readonly isPlain: boolean;
  private endsWithin = false;
  /** Of sound that is stored as floats: any bits may be in the file. */
  private readonly mayBreak: boolean;
  private readonly isVorbis: boolean;
  private brokenSamples = 0;
  /** Were packets damaged since the last frame? */
  private lost = false;
  private stated: number | null = null;
  /** Is the first frame still to come, and silence before it? */
  private waitsForSound: boolean;
  /** Silence before the frame that is held back, frames. */
  private pendingSilence = 0;
  private closed = false;

  /** @param pictureSeconds length of the file's picture, a second clock; 0 without one */
  constructor(input: OpenedInput, stream: Stream, pictureSeconds: number) {
    this.first = input;
    this.input = input;
    this.stream = stream;
    this.packet.alloc();
    this.frame.alloc();
    for (const other of input.streams) if (other.index !== stream.index) other.discard = AVDISCARD_ALL;
    const { codecpar } = stream;
    this.context = openSoundDecoder(stream);
    this.sampleRate = codecpar.sampleRate;
    this.channels = codecpar.channels;
    this.layout =
      this.context.channelLayout.mask === 0n ? avChannelLayoutDefault(codecpar.channels) : this.context.channelLayout;
    this.fifo = createFifo(this.layout, this.sampleRate, this.context.sampleFormat);
    const codec = avGetCodecName(codecpar.codecId) ?? '';
    this.mayBreak = /^(pcm_f|wavpack)/.test(codec);
    this.isPlain = codec.startsWith('pcm_');
    this.isVorbis = codec === 'vorbis';
    this.streamIndex = stream.index;
    this.tickSeconds = ticksToSeconds(1n, stream.timeBase) ?? 0;
    this.clock = createSoundClock(input.context.iformat?.name ?? '', this.sampleRate, pictureSeconds);
    const isSpeex = input.context.iformat?.name === 'ogg' && codec === 'speex';
    const isPrimed = isSpeex && stream.startTime !== noTimestamp && stream.startTime < 0n;
    const startTicks = stream.startTime === noTimestamp || isPrimed ? 0n : stream.startTime;
    this.leadFrames = this.leadOf(startTicks, zeroOf(input.streams));
    this.waitsForSound = this.leadFrames > 0;
    // MP4 in fragments does not state what Opus decodes before its sound.
    const isOpusInMp4 = codec === 'opus' && (input.context.iformat?.name ?? '').startsWith('mov');
    this.findsZero = (this.clock.beginsWithSound || isOpusInMp4) && !this.waitsForSound;
    this.zeroTicks = this.leadFrames > 0 ? BigInt(Math.round(zeroOf(input.streams) / this.tickSeconds)) : startTicks;
    // FFmpeg outputs the encoder's look-ahead, the decoder's own delay (a subframe, 5 ms) and the padding of the last
    // packet; speexdec does not.
    if (isPrimed)
      this.position = Math.round((Number(stream.startTime) * this.tickSeconds - speexDelaySeconds) * this.sampleRate);
    this.primingFrames = -(this.position ?? 0);
    this.skip = this.primingFrames;
    const end =
      isSpeex && stream.duration !== noTimestamp ? stream.duration + (isPrimed ? stream.startTime : 0n) : null;
    this.endFrame = end === null ? null : Math.round(Number(end) * this.tickSeconds * this.sampleRate);
    this.nextBlockPlanes = Array.from({ length: this.channels }, () => new Float32Array(this.sampleRate));
  }

  /** Silence before the sound, frames; 0 where a wrong clock says when it starts. */
  private leadOf(startTicks: bigint, zero: number): number {
    if (this.tickSeconds === 0) return 0;
    const seconds = Number(startTicks) * this.tickSeconds - zero;
    const late = Math.max(0, Math.round(seconds * this.sampleRate));
    if (this.clock.isGap(late, late)) return late;
    this.warnings.push({
      code: 'clock_jump',
      message:
        `By the file's clock its sound begins ${seconds.toFixed(0)} s after its picture, which is not that long; the ` +
        'sound was read from the start of the picture on',
    });
    return 0;
  }

  /** Seeks to `frame`; false when the container cannot do so exactly, and the file must be read from its start. */
  seek(frame: number): boolean {
    if (!seeksExactly(this.input.context.iformat?.name ?? '', this.stream)) return false;
    if (!this.input.isSearchable()) return false;
    // Speex's clock is not aligned with the decoder's samples.
    if (this.primingFrames > 0) return false;
    this.moved = true;
    while (this.findsZero && !this.ended) this.step();
    this.findsZero = false;
    const seconds = Math.max(0, frame / this.sampleRate - prerollSeconds);
    const { num, den } = this.stream.timeBase;
    const ticks = this.zeroTicks + BigInt(Math.floor((seconds * den) / num));
    if (this.input.context.seekFrameSync(this.stream.index, ticks, AVSEEK_FLAG_BACKWARD) < 0) return false;
    this.waitsForSound = false;
    this.context.flushBuffers();
    this.position = null;
    while (this.position === null && !this.ended) this.step();
    const { position } = this;
    const buffered = this.fifo.buffered;
    if (position === null || position - buffered > frame) return false;
    this.skip = frame - (position - buffered);
    return true;
  }

  skipFrames(frames: number): void {
    this.skip = frames + this.primingFrames;
  }

  next(): AudioBlock | null {
    const planes = this.nextBlockPlanes;
    const size = this.sampleRate;
    for (;;) {
      while (this.fifo.buffered < size && !this.ended) this.step();
      if (this.skip > 0) {
        const dropped = this.fifo.read(planes, 0, Math.min(this.skip, size));
        if (dropped === 0) return null;
        this.skip -= dropped;
        continue;
      }
      const frames = this.fifo.read(planes, 0, size);
      if (frames === 0) return null;
      this.decodedFrames += frames;
      if (this.mayBreak) this.brokenSamples += silenceBroken(planes, frames);
      return { planes: frames === size ? planes : planes.map((plane) => plane.subarray(0, frames)), frames };
    }
  }

  /** Reads one packet and decodes it, or continues with the last one. */
  private step(): void {
    if (this.pendingSilence > 0) {
      // In pieces of a second: a gap may be hours long.
      const frames = Math.min(this.pendingSilence, this.sampleRate);
      this.fifo.writeSilence(frames);
      this.pendingSilence -= frames;
      if (this.pendingSilence > 0) return;
      this.store();
      this.receive();
      return;
    }
    const read = this.input.read(this.packet);
    if (read < 0) {
      if (!this.drained) {
        this.drained = true;
        this.context.sendPacketSync(null);
        this.receive();
        return;
      }
      if (this.goOn()) return;
      this.ended = true;
      if (read !== AVERROR_EOF)
        this.warnings.push({
          code: 'read_error',
          message: `Reading stopped before the end of the file: ${describeCode(read)}`,
        });
      if (this.badPackets > 0)
        this.warnings.push({
          code: 'damaged_sound',
          message: `${count(this.badPackets, 'damaged packet of sound was', 'damaged packets of sound were')} left out`,
        });
      return;
    }
    if (this.packet.streamIndex === this.streamIndex) {
      if (this.stated === null && this.packet.pts !== noTimestamp)
        this.stated = Number(this.packet.pts) * this.tickSeconds;
      const lost = this.input.lostBefore();
      this.lost ||= lost !== null;
      if (lost === 'unknown') this.clock.noteUnknown(this.position ?? 0);
      if (this.endsWithin) this.badPackets += 1;
      this.endsWithin = false;
      if (this.input.beginsLink()) this.context.flushBuffers();
      if (this.context.sendPacketSync(this.packet) < 0) this.countBad();
      this.packets += 1;
      this.packet.unref();
      this.receive();
    } else {
      this.packet.unref();
    }
  }

  /** Where the sound begins by the stream's own clock, seconds; the file's zero may be there. */
  get beginSeconds(): number {
    return Math.max(0, this.stated ?? 0);
  }

  private countBad(): void {
    if (this.packets === 0) this.beginsInside = true;
    if (this.beginsInside && this.packets < halfPackets) return;
    if (this.isPlain) {
      this.endsWithin = true;
      return;
    }
    this.badPackets += 1;
    this.lost = true;
  }

  /**
   * Goes on with the next stream of a chain, whose sound is given in the form of the first.
   * @returns false where there is none
   */
  private goOn(): boolean {
    let next: OpenedInput | null;
    try {
      next = this.input.nextLink();
    } catch (thrown) {
      if (!(thrown instanceof EarshotError)) throw thrown;
      this.warnings.push({
        code: 'truncated',
        message: `The file holds a further stream of sound that cannot be read: ${thrown.message}`,
      });
      return false;
    }
    if (next === null) return false;
    const stream = chooseAudioStream(next.streams);
    if (!stream) {
      next.close();
      return false;
    }
    if (this.input !== this.first) this.input.close();
    this.input = next;
    this.context.freeContext();
    this.context = openSoundDecoder(stream);
    this.streamIndex = stream.index;
    this.tickSeconds = ticksToSeconds(1n, stream.timeBase) ?? 0;
    this.findsZero = true;
    this.drained = false;
    return true;
  }

  /** Takes what the decoder has, up to a frame that must wait for silence before it. */
  private receive(): void {
    for (;;) {
      const code = this.context.receiveFrameSync(this.frame);
      if (code < 0) {
        if (code !== AVERROR_EOF && code !== AVERROR_EAGAIN) this.countBad();
        return;
      }
      if (!this.place()) this.frame.unref();
      else if (this.pendingSilence > 0) return;
      else this.store();
    }
  }

  /**
   * Positions the decoded frame: inserts silence before it where the container's clock shows a gap. false: it has no
   * position.
   */
  private place(): boolean {
    const { clock, lost, position } = this;
    if (!clock.fillsGaps && !lost && position !== null && !this.waitsForSound && !this.findsZero) return true;
    const { pts } = this.frame;
    const hasTime = pts !== noTimestamp && this.tickSeconds > 0;
    if (this.findsZero && hasTime && position !== null) {
      this.findsZero = false;
      const frames = position + clock.errorFrames;
      // Where the first sound is lost, its clock has begun before.
      const begin = !lost ? pts : clock.beginsWithSound ? 0n : this.zeroTicks;
      this.zeroTicks = begin - BigInt(Math.round(frames / this.sampleRate / this.tickSeconds));
    }
    const seconds = hasTime ? Number(pts - this.zeroTicks) * this.tickSeconds : null;
    if (this.waitsForSound) {
      this.waitsForSound = false;
      // Where the encoder's delay is cut off, sound begins that much after its stream.
      this.pendingSilence = seconds === null ? this.leadFrames : Math.max(0, Math.round(seconds * this.sampleRate));
      this.position = this.pendingSilence;
      return true;
    }
    if (seconds === null) return position !== null;
    const at = Math.round(seconds * this.sampleRate);
    if (position === null) {
      this.position = at - clock.errorFrames - this.missingFrames();
      return true;
    }
    this.lost = false;
    this.pendingSilence = clock.silenceBefore(at, position, lost);
    this.position = position + this.pendingSilence;
    return true;
  }

  /**
   * By how much the time of a frame is too late. FFmpeg counts a packet of Vorbis that is shorter than the one before
   * it as if that were as short: its begin, not its end.
   */
  private missingFrames(): number {
    if (!this.isVorbis) return 0;
    const stated = Number(this.frame.duration) * this.tickSeconds * this.sampleRate;
    return stated > 0 ? Math.max(0, this.frame.nbSamples - Math.round(stated)) : 0;
  }

  /** Appends the decoded frame. */
  private store(): void {
    const { frame } = this;
    const frames = frame.nbSamples;
    const before = this.fifo.buffered;
    if (this.unnamed) frame.channelLayout = this.layout;
    let code = this.fifo.writeFrame(frame, frames);
    if (code === inputChanged && !this.unnamed && isUnnamed(frame.channelLayout, this.channels)) {
      this.unnamed = true;
      frame.channelLayout = this.layout;
      code = this.fifo.writeFrame(frame, frames);
    }
    if (code === inputChanged)
      this.fifo.writeChangedFrame(frame, frame.channelLayout, frame.sampleRate, frame.format as AVSampleFormat);
    else if (code < 0) this.badPackets += 1;
    this.position = (this.position ?? 0) + this.fifo.buffered - before;
    frame.unref();
  }

  /** Has a seek moved the file position, so that the beginning cannot be read any more? */
  get hasMoved(): boolean {
    return this.moved;
  }

  /** Of the samples that were read so far. */
  get mended(): readonly Warning[] {
    const { changed } = this.fifo;
    const missing = changed === null ? this.clock.warnings : [...this.clock.warnings, changed];
    if (this.brokenSamples === 0) return missing;
    const message =
      `${count(this.brokenSamples, 'sample is not a number', 'samples are not numbers')}, or far too large: ` +
      'silence is in their place';
    return [...missing, { code: 'broken_samples', message }];
  }

  /** Was a stream read that is behind the first one of a chain? */
  get wentOn(): boolean {
    return this.input !== this.first;
  }

  get producedFrames(): number {
    return this.decodedFrames;
  }

  close(): void {
    if (this.closed) return;
    this.closed = true;
    this.fifo.close();
    this.frame.free();
    this.packet.free();
    this.context.freeContext();
    if (this.input !== this.first) this.input.close();
    this.first.close();
  }
}
