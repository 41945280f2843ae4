// Encodes PCM blocks to packets, independent of files.
import { type Codec, type CodecContext, type CodecParameters, Packet } from 'node-av/lib';
import {
  AV_SAMPLE_FMT_FLTP,
  AV_SAMPLE_FMT_S16,
  AV_SAMPLE_FMT_S16P,
  AV_SAMPLE_FMT_S32,
  AV_SAMPLE_FMT_S32P,
  FF_ENCODER_LIBMP3LAME,
  FF_ENCODER_WMAV2,
  type AVSampleFormat,
  type FFAudioEncoder,
} from 'node-av/constants';
import { usualLayout } from '../../core/channels.ts';
import { EarshotError } from '../../core/errors/errors.ts';
import type { Warning } from '../../core/progress/progress.ts';
import type { AudioBlock, AudioFormat } from '../../pcm/block.ts';
import { isWithin, withoutBroken } from '../../pcm/broken-samples.ts';
import { FullScaleMeter, overFullScale } from '../../pcm/full-scale.ts';
import { tileRanges } from '../../kernels/ops.ts';
import { describeCode, expectOk } from '../ffmpeg/ffmpeg.ts';
import { type BitDepth, channelsReduced, type CodecLimits } from '../formats.ts';
import { codecLayout, sameSpeakers } from './codec/codec-layout.ts';
import { createFittingConverter } from '../convert/fitting-mix.ts';
import type { FormatConverter } from '../convert/format-converter.ts';
import { openCodec, type OpenedCodec, PacketEncoder, requireCodec } from './codec/packet-encoder.ts';
import { type CodedPacket, codedPacket, fillPacket, storePackets } from './segments/coded-packet.ts';
import { InTurn } from './segments/in-turn.ts';
import { OnThreads, segmentLanes, type Threads } from './segments/on-threads.ts';
import { type Changes, NoJointError, Patched } from './segments/patched.ts';
import { segmentRules } from './segments/rules.ts';

/** Takes samples in the codec's rate and channels. */
interface Encoding {
  write(planes: readonly Float32Array[], frames: number): void;
  copy?(data: Buffer, frames: number): void;
  ready?(): Promise<void> | null;
  finish(): Promise<void> | void;
  close(): void;
}

/** Writes frames as the bytes that they are, instead of a block. */
export type SampleCopier = (data: Buffer, frames: number) => void;

export interface AudioEncoderOptions {
  readonly encoder: FFAudioEncoder;
  /** Limits and default bit rate of the codec. */
  readonly limits: CodecLimits;
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
  /** Length of the sound, which decides how it is divided; it need not be exact. Default: unknown. */
  readonly expectedSeconds?: number | null;
  /** Length of the segments; see `segmentRules`. Default: the codec's. */
  readonly segmentSeconds?: number | undefined;
  /** Told the time of each joint of segments, seconds. */
  readonly onJoint?: ((seconds: number) => void) | undefined;
  /** Packets are kept, so that a part can be encoded again. Default: they are not. */
  readonly again?: Again | undefined;
  /** To encode on. Default: all is done in this thread, and `finish` is done when it returns. */
  readonly threads?: Threads | null;
}

/** For sound that may have to be encoded again in a few places. */
export interface Again {
  /** File for the packets; it stays empty for codecs whose encodes cannot be joined. */
  readonly keepIn: string;
  /** From an earlier encode with the same options; null: all is encoded. */
  readonly changes: Changes | null;
}

/** The rate of the codec: the requested one, else the next higher supported one, else its highest. */
function codecSampleRate(limits: CodecLimits, wanted: number): number {
  const rates = [...limits.sampleRates].sort((a, b) => a - b);
  if (rates.length === 0) {
    const [lowest, highest] = limits.sampleRateRange ?? [wanted, wanted];
    return Math.min(highest, Math.max(lowest, wanted));
  }
  if (rates.includes(wanted)) return wanted;
  return rates.find((rate) => rate >= wanted) ?? (rates.at(-1) as number);
}

function defaultBitrateKbps(limits: CodecLimits, channels: number): number | null {
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

/**
 * 60 dB over full scale. From a hundred times that on, LAME fails and FFmpeg's AAC encoder never ends; integers clip at
 * full scale anyway.
 */
const mostMagnitude = 1000;

const range = new Float32Array(2);

/** Are all samples numbers up to full scale? Asked of every block; the kernel takes a twentieth of the time. */
function isUpToFullScale(block: AudioBlock): boolean {
  const { planes, frames } = block;
  try {
    return planes.every((plane) => {
      if (frames > 0) tileRanges(plane.subarray(0, frames), frames, range);
      return frames === 0 || ((range[0] as number) >= -1 && (range[1] as number) <= 1);
    });
  } catch {
    return isWithin(block, 1);
  }
}

/** Encodes blocks of any rate and channels. A codec that can be is encoded in segments; the packets are the same. */
export class AudioEncoder {
  /** The encoder's input format after conversion. */
  readonly format: AudioFormat;
  readonly timeBase: { num: number; den: number };
  readonly bitrateKbps: number | null;
  readonly warnings: Warning[] = [];
  private readonly converter: FormatConverter;
  /** The input channel for each channel of the codec; null: silence. */
  private readonly route: readonly (number | null)[] | null;
  private silence = new Float32Array(0);
  private readonly encoding: Encoding;
  private readonly context: CodecContext;
  /** Frames still to drop at the beginning. */
  private toSkip: number;
  private closed = false;
  /** The greatest magnitude that is written as it is. */
  private readonly most: number | undefined;
  /** null: float PCM, which holds any sample. */
  private readonly fullScale: FullScaleMeter | null;
  /** Integers clip. */
  private readonly clips: boolean;
  private readonly formatId: string;
  /** FFmpeg's name of PCM that is written as it comes; null: samples are converted, or coded. */
  private readonly plainCodec: string | null;
  /** FFmpeg's encoder refuses samples over full scale, so they are clipped, as for integers. */
  private readonly isWma: boolean;
  private foundBroken = false;

  /** @param startSeconds timestamp of the first sample, rounded to a frame at the codec's rate; default 0 */
  constructor(input: AudioFormat, options: AudioEncoderOptions, emit: (packet: Packet) => void, startSeconds = 0) {
    const { limits } = options;
    const isFloat = options.encoder.startsWith('pcm_f');
    this.most = isFloat ? undefined : mostMagnitude;
    this.fullScale = isFloat ? null : new FullScaleMeter();
    this.isWma = options.encoder === FF_ENCODER_WMAV2;
    this.clips = this.isWma || /^(pcm|flac|alac)/.test(options.encoder);
    this.formatId = limits.id;
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
    this.converter = createFittingConverter(input, { sampleRate, channels });
    const layout = codecLayout(options.encoder, this.converter.format.layout, channels);
    this.route = layout.route;
    this.format = { sampleRate, channels: layout.channels, layout: layout.name };
    this.timeBase = { num: 1, den: sampleRate };

    const wantedKbps = options.bitrateKbps ?? defaultBitrateKbps(limits, layout.channels);
    const { context, settings } = openAny(this.format, wantedKbps, options);
    this.context = context;
    this.bitrateKbps = settings.kbps;
    this.toSkip = options.skipFrames ?? 0;
    if (wantedKbps !== null && settings.kbps !== wantedKbps) {
      this.warnings.push({
        code: 'bitrate_changed',
        message:
          `${limits.id} cannot do ${wantedKbps} kbit/s at ${sampleRate} Hz with ${channels} channels; the ` +
          `output has ${settings.kbps} kbit/s`,
      });
    }
    if (
      channels > 2 &&
      (settings.layout !== layout.name ||
        layout.channels !== channels ||
        !sameSpeakers(this.converter.format.layout, settings.layout))
    )
      this.warnings.push({
        code: 'layout_changed',
        message:
          `${limits.id} does not support the channel layout ${this.converter.format.layout}; the output ` +
          `has ${settings.layout}`,
      });
    const isAsItComes = this.route === null && input.sampleRate === sampleRate && input.channels === layout.channels;
    this.plainCodec = isAsItComes && options.dither !== true && this.toSkip === 0 ? options.encoder : null;
    this.encoding = chooseEncoding({ context, settings }, Math.round(startSeconds * sampleRate), options, emit);
  }

  /** Describes the stream of packets for a container. Before the first block. */
  describe(parameters: CodecParameters): void {
    expectOk(this.context.parametersFromContext(parameters), 'Describing the sound');
  }

  write(block: AudioBlock): void {
    const isPlain = isUpToFullScale(block);
    const converted = this.converter.convert(isPlain ? block : this.mended(block));
    // Most sound is neither converted nor above full scale: it is looked at once.
    this.take(converted, !isPlain || converted !== block);
  }

  /** See `AudioSink.copierOf`. */
  copierOf(codec: string): SampleCopier | null {
    const { encoding } = this;
    if (codec !== this.plainCodec || !encoding.copy || !codec.startsWith('pcm_s')) return null;
    return (data, frames) => encoding.copy?.(data, frames);
  }

  private take(converted: AudioBlock | null, mayBeOver: boolean): void {
    if (!converted) return;
    if (mayBeOver) this.fullScale?.look(converted);
    this.push(this.isWma ? withoutBroken(converted, 1) : converted);
  }

  /** A NaN makes codecs refuse, mute or blast a whole stretch or file, and becomes full scale in integers. */
  private mended(block: AudioBlock): AudioBlock {
    const mended = withoutBroken(block, this.most);
    if (mended !== block && !this.foundBroken) {
      this.foundBroken = true;
      this.warnings.push({
        code: 'broken_samples',
        message:
          'Some samples are not numbers or far too large: they were replaced by silence or by the greatest level ' +
          'that codecs accept',
      });
    }
    return mended;
  }

  /** null: the next block can come. Otherwise resolves when it can; only with threads. */
  ready(): Promise<void> | null {
    return this.encoding.ready?.() ?? null;
  }

  /** Encodes the rest; nothing can be written afterwards. null: it is done. With threads it resolves when it is. */
  finish(): Promise<void> | null {
    this.take(this.converter.flush(), true);
    this.warnings.push(...this.converter.warnings());
    const over = this.fullScale && overFullScale(this.fullScale, this.formatId, this.clips);
    if (over) this.warnings.push(over);
    return this.encoding.finish() ?? null;
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
    if (block.frames > 0) this.encoding.write(this.placed(block), block.frames);
  }

  close(): void {
    if (this.closed) return;
    this.closed = true;
    this.converter.close();
    this.encoding.close();
  }
}

/** Opens the codec with the sound's layout, or with the usual one for its channels if it does not support that. */
function openAny(format: AudioFormat, wantedKbps: number | null, options: AudioEncoderOptions): OpenedCodec {
  const usual = usualLayout(format.channels);
  try {
    return openWith(format.layout, format, wantedKbps, options);
  } catch (error) {
    if (format.layout === usual) throw error;
    return openWith(usual, format, wantedKbps, options);
  }
}

function openWith(
  layout: string,
  { sampleRate, channels }: AudioFormat,
  wantedKbps: number | null,
  options: AudioEncoderOptions,
): OpenedCodec {
  const { encoder, globalHeader, dither = false } = options;
  const sampleFormat = sampleFormatFor(requireCodec(encoder), options.bitDepth);
  const [lowest, highest] = possibleKbps(encoder, sampleRate);
  const attempts =
    wantedKbps === null
      ? [null]
      : [wantedKbps, ...fallbackRates(wantedKbps)].filter((kbps) => kbps >= lowest && kbps <= highest);
  let code = 0;
  for (const kbps of attempts) {
    const settings = { encoder, sampleRate, channels, layout, sampleFormat, kbps, dither, globalHeader };
    const context = openCodec(settings);
    if (typeof context !== 'number') return { context, settings };
    code = context;
  }
  throw new EarshotError(
    'internal_error',
    `The ${encoder} encoder refuses ${sampleRate} Hz with ${channels} channels: ${describeCode(code)}`,
  );
}

/** Codecs that join are encoded in segments: on threads where there are some and the sound is long, else in turn. */
function chooseEncoding(
  { context, settings }: OpenedCodec,
  startFrame: number,
  { expectedSeconds = null, segmentSeconds, threads = null, onJoint, again }: AudioEncoderOptions,
  emit: (packet: Packet) => void,
): Encoding {
  const rules = segmentRules(settings, expectedSeconds, segmentSeconds);
  const changes = again?.changes;
  if (rules === null && changes) {
    context.freeContext();
    throw new NoJointError(`Encodes of ${settings.encoder} cannot be joined`);
  }
  if (rules === null) return new PacketEncoder(context, settings, startFrame, emit);
  const isLong = expectedSeconds !== null && expectedSeconds * settings.sampleRate > rules.length + rules.overlap;
  const lanes = isLong && threads && !changes ? segmentLanes(settings, rules, expectedSeconds, threads.fanOut) : 1;
  const packet = new Packet();
  packet.alloc();
  const keeper = again ? storePackets(again.keepIn) : null;
  const coded = (one: CodedPacket): void => {
    keeper?.take(one);
    fillPacket(packet, one);
    emit(packet);
    packet.unref();
  };
  const own = (one: Packet): void => {
    keeper?.take(codedPacket(one));
    emit(one);
  };
  const taker = {
    coded,
    onJoint: (pts: number) => onJoint?.(pts / settings.sampleRate),
  };
  const onThreads =
    threads && lanes > 1 ? new OnThreads(settings, rules, startFrame, { ...threads, lanes }, taker) : null;
  const patched = changes ? new Patched(settings, rules, startFrame, changes, taker) : null;
  const engine = onThreads ?? patched ?? new InTurn({ context, settings }, rules, startFrame, { ...taker, own });
  return {
    write: (planes, frames) => engine.write(planes, frames),
    ready: () => onThreads?.ready() ?? null,
    finish: () => (onThreads ? onThreads.finish() : engine.finish()),
    close() {
      engine.close();
      keeper?.close();
      if (onThreads ?? patched) context.freeContext();
      packet.free();
    },
  };
}
