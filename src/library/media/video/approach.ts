// How the picture of one source is cut: copied between seams where codec and container allow, else re-encoded.
import { usableCores } from '../../core/machine.ts';
import {
  AV_PKT_DATA_CONTENT_LIGHT_LEVEL,
  AV_PKT_DATA_DISPLAYMATRIX,
  AV_PKT_DATA_MASTERING_DISPLAY_METADATA,
  AV_PIX_FMT_YUV420P,
  AV_PIX_FMT_YUVJ420P,
  AVFMT_GLOBALHEADER,
  type AVPixelFormat,
} from 'node-av/constants';
import type { FormatContext, Stream } from 'node-av/lib';
import type { Warning } from '../../core/progress.ts';
import { expectOk } from '../ffmpeg/ffmpeg.ts';
import { type EncoderRecipe, recipeFor, vp8, vp9, x264 } from './encoders.ts';
import { joinConfigs, ppsId, readConfig, readSps, type H264Config } from './h264.ts';
import { isInterlaced } from './picture-decoder.ts';
import { PictureEncoder, type EmitPicture, type PictureFormat } from './picture-encoder.ts';
import { codecName, type PictureIndex } from './picture-index.ts';

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
const lengthPrefixedMuxers = ['mp4', 'mov', 'matroska', 'flv'];
const profileNames: Readonly<Record<number, string>> = { 66: 'baseline', 77: 'main', 88: 'main', 100: 'high' };

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
  readonly h264: H264Config | null;
  readonly profile?: string;
}

const plainFormats: readonly number[] = [AV_PIX_FMT_YUV420P, AV_PIX_FMT_YUVJ420P];

/** H.264 parameter sets that can coexist with a second encoder's; null when the stream cannot be joined. */
function joinableH264(config: H264Config): { id: number; profile: string } | null {
  try {
    const sets = config.sps.map(readSps);
    const profile = profileNames[Math.max(...sets.map((set) => set.profile))];
    if (profile === undefined || sets.some((set) => !set.plain)) return null;
    const taken = new Set([...sets.map((set) => set.id), ...config.pps.map(ppsId)]);
    // x264 gives both of its sets the same id; 31 is the highest id of a sequence set.
    for (let id = 1; id < 32; id += 1) if (!taken.has(id)) return { id, profile };
  } catch (error) {
    if (!(error instanceof RangeError)) throw error;
  }
  return null;
}

const hasBFrames = (index: PictureIndex): boolean => {
  for (let at = 1; at < index.count; at += 1)
    if ((index.pts[at] as number) < (index.pts[at - 1] as number)) return true;
  return false;
};

/**
 * Decides by codec, container and packets.
 * @param reorder greatest distance of copied packets from display order
 */
export function chooseApproach(stream: Stream, muxer: string, index: PictureIndex): Approach {
  const codec = codecName(stream);
  const kbps = Math.max(2000, Math.round((Number(stream.codecpar.bitRate) * 1.5) / 1000));
  const whole: Approach = { kind: 'encode', recipe: recipeFor(codec, muxer, kbps), h264: null };
  if (!index.timed) return whole;
  if (intraCodecs.includes(codec) && index.allKeys) return { kind: 'copy', recipe: null, h264: null };
  const plain = plainFormats.includes(stream.codecpar.format);
  if (!plain || muxer === 'avi') return whole;
  if (codec === 'vp9') return { kind: 'copy', recipe: vp9, h264: null };
  if (codec === 'vp8') return { kind: 'copy', recipe: vp8(kbps), h264: null };
  if (codec !== 'h264' || index.config === null || isInterlaced(stream)) return whole;
  const { config } = index;
  if (!(config.lengthPrefixed ? lengthPrefixedMuxers.includes(muxer) : muxer === 'mpegts')) return whole;
  const joinable = joinableH264(config);
  if (!joinable) return whole;
  // Every source with B-frames has a distance of one.
  const recipe = x264(joinable.profile !== 'baseline' && hasBFrames(index) ? 1 : 0, {
    ...seam,
    'x264-params': `sps-id=${joinable.id}`,
  });
  return { kind: 'copy', recipe, h264: config, profile: joinable.profile };
}

/** The encoder's input format for a stream's pictures. */
export function pictureFormat(stream: Stream, approach: Approach): PictureFormat {
  const { codecpar } = stream;
  const rate = stream.avgFrameRate.num > 0 ? stream.avgFrameRate : stream.rFrameRate;
  return {
    width: codecpar.width,
    height: codecpar.height,
    pixelFormat: codecpar.format as AVPixelFormat,
    rate: { num: rate.num, den: rate.den },
    interlaced: approach.kind === 'encode' && isInterlaced(stream),
    parameters: codecpar,
    ...(approach.profile === undefined ? {} : { profile: approach.profile }),
  };
}

/** Opens encoders for a stream's pictures; all encoders of a run have the same headers. */
export function encoderOpener(
  stream: Stream,
  approach: Approach,
  globalHeader: boolean,
): (emit: EmitPicture) => PictureEncoder {
  const format = pictureFormat(stream, approach);
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
  const { recipe, h264 } = approach;
  if (!recipe) return { warnings: [], globalHeader: wantsHeader };
  // Joined pieces have their parameter sets where the source has them.
  const globalHeader = h264 ? h264.lengthPrefixed : wantsHeader;
  if (approach.kind === 'copy' && !h264) return { warnings: [], globalHeader };
  const probe = encoderOpener(from, approach, true)(() => undefined);
  try {
    if (h264) {
      const added = readConfig(probe.context.extraData ?? Buffer.alloc(0));
      if (added) to.codecpar.extradata = joinConfigs(h264, added);
      return { warnings: [], globalHeader };
    }
    const sideData = keptSideData.map((type) => ({ type, data: from.codecpar.getCodedSideData(type) }));
    expectOk(probe.context.parametersFromContext(to.codecpar), 'Describing the new picture');
    to.codecpar.codecTag = 0;
    to.codecpar.sampleAspectRatio = to.sampleAspectRatio;
    if (!globalHeader) to.codecpar.extradata = null;
    for (const { type, data } of sideData)
      if (data && !to.codecpar.getCodedSideData(type)) to.codecpar.addCodedSideData(type, data);
  } finally {
    probe.close();
  }
  const codec = codecName(from);
  const warnings: Warning[] = [
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
