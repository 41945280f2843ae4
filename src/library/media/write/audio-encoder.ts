// Encodes PCM blocks to packets, independent of files.
import { Codec, CodecContext, Frame, Packet, Rational, SoftwareResampleContext } from 'node-av/lib';
import {
  AV_CODEC_FLAG_GLOBAL_HEADER,
  AV_SAMPLE_FMT_FLTP,
  AV_SAMPLE_FMT_S16,
  AV_SAMPLE_FMT_S16P,
  AV_SAMPLE_FMT_S32,
  AV_SAMPLE_FMT_S32P,
  AVERROR_EAGAIN,
  AVERROR_EINVAL,
  AVERROR_EOF,
  FF_ENCODER_LIBMP3LAME,
  FF_ENCODER_WMAV2,
  type AVSampleFormat,
  type FFAudioEncoder,
} from 'node-av/constants';
import { usualLayout } from '../../core/channels.ts';
import { EarshotError } from '../../core/errors.ts';
import type { Warning } from '../../core/progress.ts';
import type { AudioBlock, AudioFormat } from '../../pcm/block.ts';
import { withoutBroken } from '../../pcm/broken-samples.ts';
import { describeCode, expectOk } from '../ffmpeg/ffmpeg.ts';
import { floatFormat, floatInput } from '../ffmpeg/fifo.ts';
import { type BitDepth, channelsReduced, type OutputFormat } from '../formats.ts';
import { codecLayout, ffmpegLayout, sameSpeakers } from './codec-layout.ts';
import { createFormatConverter, type FormatConverter } from '../ffmpeg/resample.ts';

export interface AudioEncoderOptions {
  readonly encoder: FFAudioEncoder;
  /** Limits and default bit rate of the codec. */
  readonly limits: OutputFormat;
  readonly bitrateKbps?: number;
  readonly bitDepth?: BitDepth;
  /** Output sample rate; the nearest that the codec supports is used. Default: the input's. */
  readonly sampleRate?: number;
  readonly channels?: number;
  /** TPDF dither to 16 bits. Leave it off for unchanged samples, so that they stay bit for bit. Default false. */
  readonly dither?: boolean;
  /** Frames to drop at the beginning: the codec's delay, where a container cannot state it. Default 0. */
  readonly skipFrames?: number;
  /** The container needs codec headers up front (mp4, mkv). */
  readonly globalHeader: boolean;
}

/** The rate of the codec: the requested one, else the next higher supported one, else its highest. */
function codecSampleRate(limits: OutputFormat, wanted: number): number {
  const rates = [...limits.sampleRates].sort((a, b) => a - b);
  if (rates.length === 0) {
    const [lowest, highest] = limits.sampleRateRange ?? [wanted, wanted];
    return Math.min(highest, Math.max(lowest, wanted));
  }
  if (rates.includes(wanted)) return wanted;
  return rates.find((rate) => rate >= wanted) ?? (rates.at(-1) as number);
}

function defaultBitrateKbps(limits: OutputFormat, channels: number): number | null {
  const { defaultKbps } = limits;
  if (!defaultKbps) return null;
  return channels === 1 ? defaultKbps.mono : Math.round((defaultKbps.stereo * Math.max(2, channels)) / 2);
}

/** Alternative bit rates when a codec refuses the requested one at this rate and channel count: nearest first. */
const fallbackRates = (kbps: number): number[] =>
  [16, 24, 32, 40, 48, 56, 64, 80, 96, 112, 128, 160, 192, 224, 256, 320].sort(
    (a, b) => Math.abs(a - kbps) - Math.abs(b - kbps),
  );

/** LAME silently changes rates that MPEG-1, MPEG-2 (below 32 kHz) and MPEG-2.5 (below 16 kHz) do not have. */
function possibleKbps(encoder: FFAudioEncoder, sampleRate: number): readonly [lowest: number, highest: number] {
  if (encoder !== FF_ENCODER_LIBMP3LAME) return [0, Number.POSITIVE_INFINITY];
  return sampleRate >= 32_000 ? [32, 320] : [8, sampleRate >= 16_000 ? 160 : 64];
}

function sampleFormatFor(codec: Codec, bitDepth: BitDepth | undefined): AVSampleFormat {
  const formats = codec.sampleFormats ?? [AV_SAMPLE_FMT_FLTP];
  const isDeep = bitDepth === '24' || bitDepth === '32f';
  if (codec.name === 'flac') return isDeep ? AV_SAMPLE_FMT_S32 : AV_SAMPLE_FMT_S16;
  if (codec.name === 'alac') return isDeep ? AV_SAMPLE_FMT_S32P : AV_SAMPLE_FMT_S16P;
  return formats.find((format) => format === AV_SAMPLE_FMT_FLTP) ?? (formats.at(-1) as AVSampleFormat);
}

interface OpenedCodec {
  readonly context: CodecContext;
  readonly kbps: number | null;
}

/** FFmpeg's FLAC encoder makes blocks of up to 105 ms; its own reader cannot find blocks of more bytes than this. */
const flacBlockSeconds = 0.105;
const flacBlockBytes = 2 ** 17;

/** Frames in a block of FLAC; 0 where the encoder's default is readable everywhere. */
function flacBlock(sampleRate: number, channels: number, sampleFormat: AVSampleFormat): number {
  const most = flacBlockBytes / (channels * (sampleFormat === AV_SAMPLE_FMT_S16 ? 2 : 3));
  return sampleRate * flacBlockSeconds <= most ? 0 : 2 ** Math.floor(Math.log2(most));
}

/**
 * 60 dB over full scale. From a hundred times that on, LAME fails and FFmpeg's AAC encoder never ends; integers clip at
 * full scale anyway.
 */
const mostMagnitude = 1000;

export class AudioEncoder {
  /** The encoder's input format after conversion. */
  readonly format: AudioFormat;
  readonly context: CodecContext;
  readonly timeBase: { num: number; den: number };
  readonly bitrateKbps: number | null;
  readonly warnings: Warning[] = [];
  private readonly converter: FormatConverter;
  /** The input channel for each channel of the codec; null: silence. */
  private readonly route: readonly (number | null)[] | null;
  private silence = new Float32Array(0);
  private readonly fifo = new SoftwareResampleContext();
  private readonly frame = new Frame();
  private readonly packet = new Packet();
  private readonly frameSize: number;
  private readonly emit: (packet: Packet) => void;
  private buffered = 0;
  /** Frames still to drop at the beginning. */
  private toSkip: number;
  private nextPts: bigint;
  private closed = false;
  /** Float PCM holds any sample: unchanged samples stay bit for bit. */
  private readonly keepsBroken: boolean;
  /**
   * FFmpeg's encoder refuses samples over full scale, so they are clipped, as for integers. Decoders give a frame out
   * when the next comes, so there are at least two.
   */
  private readonly isWma: boolean;
  private frames = 0;
  private foundBroken = false;

  /** @param startSeconds timestamp of the first sample, rounded to a frame at the codec's rate; default 0 */
  constructor(input: AudioFormat, options: AudioEncoderOptions, emit: (packet: Packet) => void, startSeconds = 0) {
    const { limits } = options;
    this.emit = emit;
    this.keepsBroken = options.encoder.startsWith('pcm_f');
    this.isWma = options.encoder === FF_ENCODER_WMAV2;
    const wantedChannels = options.channels ?? input.channels;
    const channels = Math.min(wantedChannels, limits.maxChannels);
    if (channels < wantedChannels) this.warnings.push(channelsReduced(limits, wantedChannels));
    const wantedRate = options.sampleRate ?? input.sampleRate;
    const sampleRate = codecSampleRate(limits, wantedRate);
    if (sampleRate !== wantedRate)
      this.warnings.push({
        code: 'sample_rate_changed',
        message: `${limits.id} cannot carry ${wantedRate} Hz; the output has ${sampleRate} Hz`,
      });
    this.converter = createFormatConverter(input, { sampleRate, channels });
    const layout = codecLayout(options.encoder, this.converter.format.layout, channels);
    this.route = layout.route;
    this.format = { sampleRate, channels: layout.channels, layout: layout.name };
    this.timeBase = { num: 1, den: sampleRate };
    this.nextPts = BigInt(Math.round(startSeconds * sampleRate));

    const codec = Codec.findEncoderByName(options.encoder);
    if (!codec) throw new EarshotError('internal_error', `This build of FFmpeg has no encoder ${options.encoder}`);
    const sampleFormat = sampleFormatFor(codec, options.bitDepth);
    const wantedKbps = options.bitrateKbps ?? defaultBitrateKbps(limits, layout.channels);
    const opened = this.openAny(codec, sampleFormat, wantedKbps, options);
    this.context = opened.context;
    this.bitrateKbps = opened.kbps;
    this.toSkip = options.skipFrames ?? 0;
    if (wantedKbps !== null && opened.kbps !== wantedKbps) {
      this.warnings.push({
        code: 'bitrate_changed',
        message:
          `${limits.id} cannot do ${wantedKbps} kbit/s at ${sampleRate} Hz with ${channels} channels; the ` +
          `output has ${opened.kbps} kbit/s`,
      });
    }
    if (
      channels > 2 &&
      (opened.layout !== layout.name ||
        layout.channels !== channels ||
        !sameSpeakers(this.converter.format.layout, opened.layout))
    )
      this.warnings.push({
        code: 'layout_changed',
        message: `${limits.id} does not support the channel layout ${this.converter.format.layout}; the output has ${opened.layout}`,
      });

    const own = this.context.channelLayout;
    expectOk(
      this.fifo.allocSetOpts2(own, sampleFormat, sampleRate, own, floatFormat(own.nbChannels), sampleRate),
      'Setting up the encoder input',
    );
    if (options.dither && (sampleFormat === AV_SAMPLE_FMT_S16 || sampleFormat === AV_SAMPLE_FMT_S16P))
      this.fifo.setOption('dither_method', 'triangular');
    expectOk(this.fifo.init(), 'Starting the encoder input');
    this.frameSize = this.context.frameSize || 8192;
    this.packet.alloc();
    this.newFrame(sampleFormat);
  }

  /** Opens the codec with the sound's layout, or with the usual one for its channels if it does not support that. */
  private openAny(
    codec: Codec,
    sampleFormat: AVSampleFormat,
    wantedKbps: number | null,
    options: AudioEncoderOptions,
  ): OpenedCodec & { readonly layout: string } {
    const { layout, channels } = this.format;
    const usual = usualLayout(channels);
    try {
      return { ...this.open(codec, sampleFormat, wantedKbps, options, layout), layout };
    } catch (error) {
      if (layout === usual) throw error;
      return { ...this.open(codec, sampleFormat, wantedKbps, options, usual), layout: usual };
    }
  }

  private open(
    codec: Codec,
    sampleFormat: AVSampleFormat,
    wantedKbps: number | null,
    options: AudioEncoderOptions,
    layout: string,
  ): OpenedCodec {
    const [lowest, highest] = possibleKbps(options.encoder, this.format.sampleRate);
    const attempts =
      wantedKbps === null
        ? [null]
        : [wantedKbps, ...fallbackRates(wantedKbps)].filter((kbps) => kbps >= lowest && kbps <= highest);
    let code = 0;
    for (const kbps of attempts) {
      const context = new CodecContext();
      context.allocContext3(codec);
      context.sampleRate = this.format.sampleRate;
      context.sampleFormat = sampleFormat;
      context.channelLayout = ffmpegLayout(layout, this.format.channels);
      context.timeBase = new Rational(1, this.format.sampleRate);
      context.threadCount = 1;
      const block = codec.name === 'flac' ? flacBlock(this.format.sampleRate, this.format.channels, sampleFormat) : 0;
      if (block > 0) context.frameSize = block;
      if (kbps !== null) context.bitRate = BigInt(kbps) * 1000n;
      if (sampleFormat === AV_SAMPLE_FMT_S32 || sampleFormat === AV_SAMPLE_FMT_S32P) context.bitsPerRawSample = 24;
      if (options.globalHeader) context.setFlags(AV_CODEC_FLAG_GLOBAL_HEADER);
      code = context.open2Sync(codec, null);
      if (code >= 0) return { context, kbps };
      context.freeContext();
    }
    throw new EarshotError(
      'internal_error',
      `The ${options.encoder} encoder refuses ${this.format.sampleRate} Hz with ${this.format.channels} channels: ` +
        describeCode(code),
    );
  }

  private newFrame(sampleFormat: AVSampleFormat): void {
    this.frame.alloc();
    this.frame.format = sampleFormat;
    this.frame.sampleRate = this.format.sampleRate;
    this.frame.channelLayout = this.context.channelLayout;
    this.frame.nbSamples = this.frameSize;
    expectOk(this.frame.getBuffer(), 'Allocating an encoder frame');
  }

  write(block: AudioBlock): void {
    this.take(this.converter.convert(this.keepsBroken ? block : this.mended(block)));
  }

  private take(converted: AudioBlock | null): void {
    if (converted) this.push(this.isWma ? withoutBroken(converted, 1) : converted);
  }

  /** A NaN makes codecs refuse, mute or blast a whole stretch or file, and becomes full scale in integers. */
  private mended(block: AudioBlock): AudioBlock {
    const mended = withoutBroken(block, mostMagnitude);
    if (mended !== block && !this.foundBroken) {
      this.foundBroken = true;
      this.warnings.push({
        code: 'broken_samples',
        message:
          'Some samples are not numbers or far too large: they were replaced by silence or by the greatest level that ' +
          'codecs accept',
      });
    }
    return mended;
  }

  /** Encodes the rest; nothing can be written afterwards. */
  finish(): void {
    this.take(this.converter.flush());
    if (this.isWma && this.frames === 0 && this.buffered > 0) this.push(this.silenceUpTo(this.frameSize + 1));
    if (this.buffered > 0) this.encodeFrame();
    expectOk(this.context.sendFrameSync(null), 'Ending the encoder');
    this.drain();
  }

  private silenceUpTo(total: number): AudioBlock {
    const frames = Math.max(0, total - this.buffered);
    return { planes: Array.from({ length: this.format.channels }, () => new Float32Array(frames)), frames };
  }

  /** The planes in the codec's order, silence for channels that the sound does not have. */
  private placed({ planes, frames }: AudioBlock): readonly Float32Array[] {
    const { route } = this;
    if (!route) return planes;
    if (this.silence.length < frames) this.silence = new Float32Array(frames);
    return route.map((from) => (from === null ? this.silence.subarray(0, frames) : (planes[from] as Float32Array)));
  }

  private push(whole: AudioBlock): void {
    const skipped = Math.min(this.toSkip, whole.frames);
    this.toSkip -= skipped;
    const planes = skipped > 0 ? whole.planes.map((plane) => plane.subarray(skipped)) : whole.planes;
    const block = { planes, frames: whole.frames - skipped };
    if (block.frames === 0) return;
    expectOk(
      this.fifo.convertSync(null, 0, floatInput(this.placed(block), block.frames), block.frames),
      'Buffering sound for the encoder',
    );
    this.buffered += block.frames;
    while (this.buffered >= this.frameSize) this.encodeFrame();
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
        `Expected sound that WMA can hold at ${this.bitrateKbps} kbit/s but it is too loud and too noise-like`,
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
    this.converter.close();
    this.fifo.free();
    this.frame.free();
    this.packet.free();
    this.context.freeContext();
  }
}
