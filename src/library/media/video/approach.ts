// How the picture of one source is cut: copied between seams where codec and container allow, else re-encoded.
import { usableCores } from '../../core/machine/machine.ts';
import {
  AV_PKT_DATA_CONTENT_LIGHT_LEVEL,
  AV_PKT_DATA_DISPLAYMATRIX,
  AV_PKT_DATA_DOVI_CONF,
  AV_PKT_DATA_MASTERING_DISPLAY_METADATA,
  AV_PIX_FMT_YUV420P,
  AV_PIX_FMT_YUVJ420P,
  AVFMT_GLOBALHEADER,
  type AVPixelFormat,
} from 'node-av/constants';
import { Codec, type FormatContext, type Stream } from 'node-av/lib';
import type { Warning } from '../../core/progress/progress.ts';
import { expectOk, isInterlaced } from '../ffmpeg/ffmpeg.ts';
import { av1, type EncoderRecipe, leastModernSize, mpeg1, mpeg2, recipeFor, vp8, vp9, x264, x265 } from './encoders.ts';
import { H264Splicer } from './h264.ts';
import { PictureEncoder, type EmitPicture, type PictureFormat } from './picture-encoder.ts';
import { codecName, type PictureIndex } from './picture-index.ts';
import type { Splicer } from './splicer.ts';

/** Codecs without references between pictures. */
const intraCodecs = [
  'mjpeg',
  'prores',
  'dnxhd',
  'rawvideo',
  'huffyuv',
  'ffvhuff',
  'utvideo',
  'png',
  'dvvideo',
  'v210',
  'cfhd',
  'jpeg2000',
  'ffv1',
];
/**
 * A seam is at most a group of pictures. x264's defaults, three threads for two cores and ten pictures of look-ahead,
 * need 40 MB more for 720p here, and 200 MB more on sixteen cores; a fixed number of threads also gives the same bytes
 * on every machine.
 */
const seam = { threads: '2', 'rc-lookahead': '5' } as const;

export interface Approach {
  readonly kind: 'copy' | 'encode';
  /** For the seams or for everything; null when nothing can need encoding. */
  readonly recipe: EncoderRecipe | null;
  /** Joins encoded and copied packets; null when they can be joined unchanged. */
  readonly splicer: Splicer | null;
  /** Rewrites an encoder's packet for the stream; null: not needed. */
  readonly made: ((data: Buffer, isKey: boolean, carried: readonly Buffer[]) => Buffer) | null;
}

const plainFormats: readonly number[] = [AV_PIX_FMT_YUV420P, AV_PIX_FMT_YUVJ420P];

const hasBFrames = (index: PictureIndex): boolean => {
  for (let at = 1; at < index.count; at += 1)
    if ((index.pts[at] as number) < (index.pts[at - 1] as number)) return true;
  return false;
};

/** The encoder for pieces between copied ones, by FFmpeg's name of the codec; null where pieces cannot be joined. */
function pieceRecipe(codec: string, stream: Stream, index: PictureIndex, kbps: number): EncoderRecipe | null {
  const { format, width, height } = stream.codecpar;
  // Every source with B-frames has a distance of one.
  const reorder = hasBFrames(index) ? 1 : 0;
  const plain = plainFormats.includes(format);
  const modern = Math.min(width, height) >= leastModernSize && !isInterlaced(stream);
  switch (codec) {
    case 'vp8':
      return plain ? vp8(kbps) : null;
    case 'vp9':
      return knows(vp9, format) ? vp9 : null;
    case 'h264': {
      const second = index.splicer instanceof H264Splicer ? index.splicer.second : null;
      if (!second || !knows(x264(0), format) || isInterlaced(stream)) return null;
      return x264(second.profile === 'baseline' ? 0 : reorder, {
        ...seam,
        profile: second.profile,
        'x264-params': `sps-id=${second.id}`,
      });
    }
    case 'hevc':
      return modern && knows(x265(reorder), format) ? x265(reorder, { a53cc: '0' }) : null;
    case 'av1':
      return modern && knows(av1, format) ? av1 : null;
    case 'mpeg2video':
      return knows(mpeg2, format) ? mpeg2 : null;
    case 'mpeg1video':
      return knows(mpeg1, format) ? mpeg1 : null;
    default:
      return null;
  }
}

/** Does this build have the encoder, and does it accept the pixel format without conversion? */
const knows = ({ encoder }: EncoderRecipe, format: number): boolean =>
  Codec.findEncoderByName(encoder)?.pixelFormats?.includes(format as AVPixelFormat) ?? false;

/** Copies; `recipe` encodes what lies between copied pieces. */
export const copying = (recipe: EncoderRecipe | null, splicer: Splicer | null): Approach => ({
  kind: 'copy',
  recipe,
  splicer,
  made: splicer && ((data, isKey, carried) => splicer.encoded(data, isKey, carried)),
});

/** Decides by codec, container and packets. */
export function chooseApproach(stream: Stream, muxer: string, index: PictureIndex): Approach {
  const codec = codecName(stream);
  const { bitRate, width, height } = stream.codecpar;
  const kbps = Math.max(2000, Math.round((Number(bitRate) * 1.5) / 1000));
  const { splicer } = index;
  const wholly = recipeFor(codec, muxer, kbps, Math.min(width, height));
  const whole: Approach = {
    kind: 'encode',
    recipe: wholly,
    splicer: null,
    made: splicer && wholly.codec === codec ? (data, isKey) => splicer.around(data, isKey) : null,
  };
  if (!index.timed) return whole;
  if (intraCodecs.includes(codec) && index.allKeys) return copying(null, null);
  if (muxer === 'avi' || splicer?.fits(muxer) === false) return whole;
  const recipe = pieceRecipe(codec, stream, index, kbps);
  return recipe ? copying(recipe, splicer) : whole;
}

/** The encoder's input format for a stream's pictures. */
export function pictureFormat(stream: Stream): PictureFormat {
  const { codecpar } = stream;
  const rate = stream.avgFrameRate.num > 0 ? stream.avgFrameRate : stream.rFrameRate;
  return {
    width: codecpar.width,
    height: codecpar.height,
    pixelFormat: codecpar.format as AVPixelFormat,
    rate: { num: rate.num, den: rate.den },
    interlaced: isInterlaced(stream),
    parameters: codecpar,
  };
}

/** Opens encoders for a stream's pictures; all encoders of a run have the same headers. */
export function encoderOpener(
  stream: Stream,
  approach: Approach,
  globalHeader: boolean,
): (emit: EmitPicture) => PictureEncoder {
  const format = pictureFormat(stream);
  return (emit) => new PictureEncoder(approach.recipe as EncoderRecipe, format, globalHeader, emit);
}

/** Side data to keep: rotation and brightness. */
const keptSideData = [
  AV_PKT_DATA_DISPLAYMATRIX,
  AV_PKT_DATA_MASTERING_DISPLAY_METADATA,
  AV_PKT_DATA_CONTENT_LIGHT_LEVEL,
];

/** Sets the output stream's parameters to match its packets. `to` is a copy of `from` so far. */
export function describePicture(
  to: Stream,
  from: Stream,
  approach: Approach,
  context: FormatContext,
): { warnings: Warning[]; globalHeader: boolean } {
  const wantsHeader = context.oformat?.hasFlags(AVFMT_GLOBALHEADER) ?? false;
  const { recipe, splicer } = approach;
  if (!recipe) return { warnings: [], globalHeader: wantsHeader };
  // Joined pieces have their parameter sets where the source has them.
  const globalHeader = splicer?.setsInHead ?? wantsHeader;
  if (approach.kind === 'copy' && (splicer?.setsInHead ?? null) === null) return { warnings: [], globalHeader };
  const probe = encoderOpener(from, approach, true)(() => undefined);
  try {
    if (splicer) {
      const head = splicer.head(probe.context.extraData ?? Buffer.alloc(0));
      if (head) to.codecpar.extradata = head;
      return { warnings: [], globalHeader };
    }
    const sideData = keptSideData.map((type) => ({ type, data: from.codecpar.getCodedSideData(type) }));
    expectOk(probe.context.parametersFromContext(to.codecpar), 'Describing the new picture');
    // Apple's players accept HEVC under this name only.
    to.codecpar.codecTag = recipe.codec === 'hevc' && ['mp4', 'mov'].includes(context.oformat?.name ?? '') ? 'hvc1' : 0;
    to.codecpar.sampleAspectRatio = to.sampleAspectRatio;
    if (!globalHeader) to.codecpar.extradata = null;
    for (const { type, data } of sideData)
      if (data && !to.codecpar.getCodedSideData(type)) to.codecpar.addCodedSideData(type, data);
  } finally {
    probe.close();
  }
  const codec = codecName(from);
  const dolbyVision: Warning[] = from.codecpar.getCodedSideData(AV_PKT_DATA_DOVI_CONF)
    ? [
        {
          code: 'dolby_vision_lost',
          message: 'The new picture has no Dolby Vision metadata; players show its base layer',
        },
      ]
    : [];
  const warnings: Warning[] = [
    ...dolbyVision,
    {
      code: 'picture_reencoded',
      message: `The ${codec} picture of this file cannot be cut without loss; it was encoded again as ${recipe.codec}`,
    },
  ];
  return { warnings, globalHeader };
}

/** Decoder threads: full decoding may use all cores; decoding heads of groups gains little. */
export const decoderThreads = (approach: Approach): number =>
  approach.kind === 'copy' ? 1 : Math.min(4, usableCores());
