// Encodes frames to packets with the caller's times.
import { Codec, CodecContext, Frame, Packet, Rational, SoftwareScaleContext, type CodecParameters } from 'node-av/lib';
import {
  AV_CODEC_FLAG_GLOBAL_HEADER,
  AV_CODEC_FLAG_INTERLACED_DCT,
  AV_CODEC_FLAG_INTERLACED_ME,
  AV_CODEC_FLAG_QSCALE,
  AV_OPT_SEARCH_CHILDREN,
  AV_OPT_TYPE_STRING,
  AV_PICTURE_TYPE_NONE,
  AV_PIX_FMT_YUV420P,
  AV_PIX_FMT_YUVJ420P,
  AVERROR_EAGAIN,
  AVERROR_EOF,
  FF_ENCODER_LIBSVTAV1,
  FF_ENCODER_LIBX264,
  SWS_BICUBIC,
  type AVPixelFormat,
} from 'node-av/constants';
import { EarshotError } from '../../core/errors/errors.ts';
import { atUsualPriority } from '../../kernels/usual-priority.ts';
import { mostPixels } from '../ffmpeg/decoders.ts';
import { describeCode, expectOk } from '../ffmpeg/ffmpeg.ts';
import { encoderRate, type EncoderRecipe } from './encoders.ts';

export interface PictureFormat {
  readonly width: number;
  readonly height: number;
  readonly pixelFormat: AVPixelFormat;
  readonly rate: { num: number; den: number };
  readonly interlaced: boolean;
  /** Source of the colours and the pixel aspect ratio. */
  readonly parameters: CodecParameters;
}

export type EmitPicture = (packet: Packet, at: bigint, duration: bigint) => void;

/** Formats of x264's whole pictures in which four pixels share a colour. */
const halved = new Set<AVPixelFormat>([AV_PIX_FMT_YUV420P, AV_PIX_FMT_YUVJ420P]);

/** Lambda per quantiser step (FFmpeg's FF_QP2LAMBDA). */
const lambda = 118;

export class PictureEncoder {
  readonly context = new CodecContext();
  private readonly emit: EmitPicture;
  private readonly packet = new Packet();
  private readonly pixelFormat: AVPixelFormat;
  private readonly width: number;
  private readonly height: number;
  private readonly pending = new Map<bigint, { at: bigint; duration: bigint }>();
  private scaler: { context: SoftwareScaleContext; frame: Frame; from: string } | null = null;
  private readonly quality: number | null = null;
  private next = 0n;
  private closed = false;

  /**
   * @throws EarshotError unsupported_format for oversized pictures; internal_error when the encoder refuses the format
   */
  constructor(recipe: EncoderRecipe, format: PictureFormat, globalHeader: boolean, emit: EmitPicture) {
    this.emit = emit;
    // A damaged header: the decoded pictures have another size, or there are none.
    if (format.width * format.height > mostPixels)
      throw new EarshotError(
        'unsupported_format',
        `Expected pictures of at most ${mostPixels} pixels but the file declares ${format.width}x${format.height}`,
      );
    const codec = Codec.findEncoderByName(recipe.encoder);
    if (!codec) throw new EarshotError('internal_error', `This build of FFmpeg has no encoder ${recipe.encoder}`);
    const formats = recipe.pixelFormats ?? codec.pixelFormats ?? [];
    this.pixelFormat =
      formats.length === 0 || formats.includes(format.pixelFormat) ? format.pixelFormat : (formats[0] as AVPixelFormat);
    const { context } = this;
    const { parameters } = format;
    // The colour of two pixels beside and below each other is one: x264 refuses half of such a pair.
    const least = recipe.encoder === FF_ENCODER_LIBX264 && halved.has(this.pixelFormat) ? 2 : 1;
    this.width = Math.max(least, format.width - (format.width % least));
    this.height = Math.max(least, format.height - (format.height % least));
    context.allocContext3(codec);
    context.width = this.width;
    context.height = this.height;
    context.pixelFormat = this.pixelFormat;
    const rate = encoderRate(format.rate, recipe.standardRates);
    // The encoder counts pictures; their true times stay here, so a variable rate does not matter.
    context.timeBase = new Rational(rate.den, rate.num);
    context.framerate = new Rational(rate.num, rate.den);
    context.sampleAspectRatio = parameters.sampleAspectRatio;
    context.colorRange = parameters.colorRange;
    context.colorPrimaries = parameters.colorPrimaries;
    context.colorTrc = parameters.colorTrc;
    context.colorSpace = parameters.colorSpace;
    context.chromaLocation = parameters.chromaLocation;
    if (globalHeader) context.setFlags(AV_CODEC_FLAG_GLOBAL_HEADER);
    if (format.interlaced && recipe.codec === 'h264') context.setFlags(AV_CODEC_FLAG_INTERLACED_DCT);
    if (format.interlaced && recipe.codec === 'mpeg2video')
      context.setFlags(AV_CODEC_FLAG_INTERLACED_DCT, AV_CODEC_FLAG_INTERLACED_ME);
    if (recipe.quantiser !== null) {
      context.setFlags(AV_CODEC_FLAG_QSCALE);
      this.quality = recipe.quantiser * lambda;
      context.globalQuality = this.quality;
    }
    // Options one by one: a dictionary passed to open2Sync corrupts memory.
    for (const [name, value] of Object.entries(recipe.options)) {
      expectOk(
        context.setOption(name, value, AV_OPT_TYPE_STRING, AV_OPT_SEARCH_CHILDREN),
        `Setting ${name} of ${recipe.encoder}`,
      );
    }
    // SVT-AV1 logs to the terminal; 0: fatal errors only.
    if (recipe.encoder === FF_ENCODER_LIBSVTAV1) process.env['SVT_LOG'] ??= '0';
    const open = (): number => context.open2Sync(codec, null);
    // As root, SVT-AV1 has its threads and ours scheduled in real time.
    const opened = recipe.encoder === FF_ENCODER_LIBSVTAV1 ? atUsualPriority(open) : open();
    if (opened < 0) {
      context.freeContext();
      throw new EarshotError(
        'internal_error',
        `The ${recipe.encoder} encoder refuses ${format.width}x${format.height} at ${rate.num}/${rate.den}: ` +
          describeCode(opened),
      );
    }
    this.packet.alloc();
  }

  /** Encodes a frame, which the caller frees. @param at display time, in the writer's ticks */
  encode(frame: Frame, at: bigint, duration: bigint): void {
    const picture = this.fitted(frame);
    picture.pts = this.next;
    picture.duration = 1n;
    // Otherwise the source's picture types would be forced on the encoder.
    picture.pictType = AV_PICTURE_TYPE_NONE;
    // The quantiser is set for each picture: the default is the finest, which clips coefficients.
    if (this.quality !== null) picture.quality = this.quality;
    this.pending.set(this.next, { at, duration });
    this.next += 1n;
    expectOk(this.context.sendFrameSync(picture), 'Encoding a picture');
    this.drain();
  }

  /** Emits the remaining packets; nothing can be encoded afterwards. */
  finish(): void {
    expectOk(this.context.sendFrameSync(null), 'Ending the picture encoder');
    this.drain();
    this.close();
  }

  private drain(): void {
    for (;;) {
      const code = this.context.receivePacketSync(this.packet);
      if (code === AVERROR_EAGAIN || code === AVERROR_EOF) return;
      expectOk(code, 'Encoding a picture');
      const times = this.pending.get(this.packet.pts);
      if (!times) throw new EarshotError('internal_error', 'The encoder returned a picture that it did not receive');
      this.pending.delete(this.packet.pts);
      this.emit(this.packet, times.at, times.duration);
      this.packet.unref();
    }
  }

  /** The frame in the encoder's size and pixel format. */
  private fitted(frame: Frame): Frame {
    const { width, height } = this;
    if (frame.width === width && frame.height === height && frame.format === this.pixelFormat) return frame;
    const from = `${frame.width}x${frame.height} ${frame.format}`;
    if (this.scaler?.from !== from) {
      this.freeScaler();
      const context = new SoftwareScaleContext();
      context.getContext(
        frame.width,
        frame.height,
        frame.format as AVPixelFormat,
        width,
        height,
        this.pixelFormat,
        SWS_BICUBIC,
      );
      this.scaler = { context, frame: new Frame(), from };
    }
    const scaled = this.scaler.frame;
    // The encoder may still hold the last one, so each frame has a new buffer.
    scaled.free();
    scaled.alloc();
    scaled.format = this.pixelFormat;
    scaled.width = width;
    scaled.height = height;
    expectOk(scaled.getBuffer(), 'Allocating a picture');
    expectOk(this.scaler.context.scaleFrameSync(scaled, frame), 'Scaling a picture');
    return scaled;
  }

  private freeScaler(): void {
    this.scaler?.frame.free();
    this.scaler?.context.freeContext();
    this.scaler = null;
  }

  close(): void {
    if (this.closed) return;
    this.closed = true;
    this.freeScaler();
    this.packet.free();
    this.context.freeContext();
  }
}
