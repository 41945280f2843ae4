// One codec of FFmpeg's: planar floats in the codec's own rate and channels in, packets out.
import { Codec, CodecContext, Frame, Packet, Rational, SoftwareResampleContext } from 'node-av/lib';
import {
  AV_CODEC_FLAG_GLOBAL_HEADER,
  AV_SAMPLE_FMT_S16,
  AV_SAMPLE_FMT_S16P,
  AV_SAMPLE_FMT_S32,
  AV_SAMPLE_FMT_S32P,
  AVERROR_EAGAIN,
  AVERROR_EINVAL,
  AVERROR_EOF,
  FF_ENCODER_WMAV2,
  type AVSampleFormat,
  type FFAudioEncoder,
} from 'node-av/constants';
import { EarshotError } from '../../../core/errors/errors.ts';
import { toPcm16 } from '../../../kernels/ops.ts';
import { floatFormat, floatInput } from '../../ffmpeg/fifo.ts';
import { describeCode, expectOk } from '../../ffmpeg/ffmpeg.ts';
import { ffmpegLayout } from './codec-layout.ts';

/** All that decides what a codec makes of samples; plain JSON, so that threads can be given it. */
export interface CodecSettings {
  readonly encoder: FFAudioEncoder;
  readonly sampleRate: number;
  readonly channels: number;
  /** FFmpeg's name. */
  readonly layout: string;
  readonly sampleFormat: AVSampleFormat;
  /** null: not applicable. */
  readonly kbps: number | null;
  /** TPDF dither to 16 bits. */
  readonly dither: boolean;
  /** The container needs codec headers up front. */
  readonly globalHeader: boolean;
  /** Frames in a block of FLAC. Default: the encoder's own, by the rate. */
  readonly blockFrames?: number;
}

/** A codec, and the settings that it has taken. */
export interface OpenedCodec {
  readonly context: CodecContext;
  readonly settings: CodecSettings;
}

/** FFmpeg's FLAC encoder makes blocks of up to 105 ms; its own reader cannot find blocks of more bytes than this. */
const flacBlockSeconds = 0.105;
const flacBlockBytes = 2 ** 17;

/** Frames in a block of FLAC; 0 where the encoder's default is readable everywhere. */
function flacBlock({ sampleRate, channels, sampleFormat, blockFrames }: CodecSettings): number {
  if (blockFrames !== undefined) return blockFrames;
  const most = flacBlockBytes / (channels * (sampleFormat === AV_SAMPLE_FMT_S16 ? 2 : 3));
  return sampleRate * flacBlockSeconds <= most ? 0 : 2 ** Math.floor(Math.log2(most));
}

/** A codec by name. */
export function requireCodec(encoder: FFAudioEncoder): Codec {
  const codec = Codec.findEncoderByName(encoder);
  if (!codec) throw new EarshotError('internal_error', `This build of FFmpeg has no encoder ${encoder}`);
  return codec;
}

/** Opens a codec; FFmpeg's code where it refuses the settings. */
export function openCodec(settings: CodecSettings): CodecContext | number {
  const { sampleRate, channels, sampleFormat, kbps } = settings;
  const codec = requireCodec(settings.encoder);
  const context = new CodecContext();
  context.allocContext3(codec);
  context.sampleRate = sampleRate;
  context.sampleFormat = sampleFormat;
  context.channelLayout = ffmpegLayout(settings.layout, channels);
  context.timeBase = new Rational(1, sampleRate);
  context.threadCount = 1;
  const block = codec.name === 'flac' ? flacBlock(settings) : 0;
  if (block > 0) context.frameSize = block;
  if (kbps !== null) context.bitRate = BigInt(kbps) * 1000n;
  if (sampleFormat === AV_SAMPLE_FMT_S32 || sampleFormat === AV_SAMPLE_FMT_S32P) context.bitsPerRawSample = 24;
  if (settings.globalHeader) context.setFlags(AV_CODEC_FLAG_GLOBAL_HEADER);
  const code = context.open2Sync(codec, null);
  if (code >= 0) return context;
  context.freeContext();
  return code;
}

/** What codecs are asked with where none gives its own number of frames. */
const usualFrameSize = 8192;

export class PacketEncoder {
  readonly context: CodecContext;
  private readonly settings: CodecSettings;
  private readonly fifo = new SoftwareResampleContext();
  private readonly frame = new Frame();
  private readonly packet = new Packet();
  private readonly frameSize: number;
  private readonly emit: (packet: Packet) => void;
  private buffered = 0;
  private nextPts: bigint;
  private closed = false;
  private readonly isWma: boolean;
  /** Rounded by the kernel, and given to the codec as it is. */
  private readonly isPcm16: boolean;
  private pcm16 = new Int16Array(0);
  private written: number;
  private frames = 0;

  /**
   * @param context opened with these settings; freed by `close`
   * @param startFrame time of the first sample, in frames
   * @param emit a packet is valid until it returns
   */
  constructor(context: CodecContext, settings: CodecSettings, startFrame: number, emit: (packet: Packet) => void) {
    const { sampleFormat, sampleRate } = settings;
    this.context = context;
    this.settings = settings;
    this.emit = emit;
    this.isWma = settings.encoder === FF_ENCODER_WMAV2;
    this.nextPts = BigInt(startFrame);
    this.written = startFrame;
    this.isPcm16 = sampleFormat === AV_SAMPLE_FMT_S16 || sampleFormat === AV_SAMPLE_FMT_S16P;
    const own = context.channelLayout;
    const given = this.isPcm16 ? sampleFormat : floatFormat(own.nbChannels);
    expectOk(
      this.fifo.allocSetOpts2(own, sampleFormat, sampleRate, own, given, sampleRate),
      'Setting up the encoder input',
    );
    expectOk(this.fifo.init(), 'Starting the encoder input');
    this.frameSize = context.frameSize || usualFrameSize;
    this.packet.alloc();
    this.newFrame();
  }

  private newFrame(): void {
    const { sampleFormat, sampleRate } = this.settings;
    this.frame.alloc();
    this.frame.format = sampleFormat;
    this.frame.sampleRate = sampleRate;
    this.frame.channelLayout = this.context.channelLayout;
    this.frame.nbSamples = this.frameSize;
    expectOk(this.frame.getBuffer(), 'Allocating an encoder frame');
  }

  /** @param planes one for each channel of the codec */
  write(planes: readonly Float32Array[], frames: number): void {
    if (frames === 0) return;
    const input = this.isPcm16 ? this.rounded(planes, frames) : floatInput(planes, frames);
    expectOk(this.fifo.convertSync(null, 0, input, frames), 'Buffering sound for the encoder');
    this.written += frames;
    this.buffered += frames;
    while (this.buffered >= this.frameSize) this.encodeFrame();
  }

  private rounded(planes: readonly Float32Array[], frames: number): Buffer[] {
    const channels = planes.length;
    const isPlanar = this.settings.sampleFormat === AV_SAMPLE_FMT_S16P;
    if (this.pcm16.length < channels * frames) this.pcm16 = new Int16Array(channels * frames);
    toPcm16(planes, frames, this.pcm16, { dithered: this.settings.dither, firstFrame: this.written, isPlanar });
    const { buffer } = this.pcm16;
    const bytes = 2 * frames;
    return isPlanar
      ? planes.map((_, channel) => Buffer.from(buffer, channel * bytes, bytes))
      : [Buffer.from(buffer, 0, channels * bytes)];
  }

  /** A packet of frames that are coded already, of a codec whose packets stand alone. */
  copy(data: Buffer, frames: number): void {
    if (this.buffered > 0) this.encodeFrame();
    this.packet.data = data;
    this.packet.pts = this.nextPts;
    this.packet.dts = this.nextPts;
    this.packet.duration = BigInt(frames);
    this.packet.isKeyframe = true;
    this.nextPts += BigInt(frames);
    this.emit(this.packet);
    this.packet.unref();
  }

  /** Encodes the rest; nothing can be written afterwards. */
  finish(): void {
    // Decoders give a frame of WMA out when the next comes, so there are at least two.
    if (this.isWma && this.frames === 0 && this.buffered > 0) this.writeSilence(this.frameSize + 1 - this.buffered);
    if (this.buffered > 0) this.encodeFrame();
    expectOk(this.context.sendFrameSync(null), 'Ending the encoder');
    this.drain();
  }

  private writeSilence(frames: number): void {
    const { channels } = this.settings;
    if (frames > 0)
      this.write(
        Array.from({ length: channels }, () => new Float32Array(frames)),
        frames,
      );
  }

  private encodeFrame(): void {
    const { frame } = this;
    const wanted = Math.min(this.frameSize, this.buffered);
    frame.nbSamples = this.frameSize;
    expectOk(frame.makeWritable(), 'Reusing an encoder frame');
    frame.nbSamples = wanted;
    expectOk(this.fifo.convertFrame(frame, null), 'Taking sound for the encoder');
    const got = frame.nbSamples;
    if (got <= 0)
      throw new EarshotError('internal_error', `The encoder buffer promised ${wanted} frames and gave ${got}`);
    this.buffered -= got;
    frame.pts = this.nextPts;
    this.nextPts += BigInt(got);
    this.frames += 1;
    const code = this.context.sendFrameSync(frame);
    if (this.isWma && code === AVERROR_EINVAL)
      throw new EarshotError(
        'bad_request',
        `Expected sound that WMA can hold at ${this.settings.kbps} kbit/s but it is too loud and too noise-like`,
        { nextAction: 'Choose a higher bit rate, or another format.' },
      );
    expectOk(code, 'Encoding');
    this.drain();
  }

  private drain(): void {
    for (;;) {
      const code = this.context.receivePacketSync(this.packet);
      if (code === AVERROR_EAGAIN || code === AVERROR_EOF) return;
      expectOk(code, 'Encoding');
      this.emit(this.packet);
      this.packet.unref();
    }
  }

  close(): void {
    if (this.closed) return;
    this.closed = true;
    this.fifo.free();
    this.frame.free();
    this.packet.free();
    this.context.freeContext();
  }
}

/** Opens an encoder with settings that the codec has taken before. */
export function openPacketEncoder(
  settings: CodecSettings,
  startFrame: number,
  emit: (packet: Packet) => void,
): PacketEncoder {
  const context = openCodec(settings);
  if (typeof context === 'number')
    throw new EarshotError('internal_error', `Opening ${settings.encoder} again failed: ${describeCode(context)}`);
  return new PacketEncoder(context, settings, startFrame, emit);
}
