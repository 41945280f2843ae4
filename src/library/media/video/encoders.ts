// Which encoder makes new pictures for which source and container, and its settings.
import {
  AV_PIX_FMT_YUV420P,
  AV_PIX_FMT_YUVJ420P,
  type AVPixelFormat,
  FF_ENCODER_LIBSVTAV1,
  FF_ENCODER_LIBVPX_VP8,
  FF_ENCODER_LIBVPX_VP9,
  FF_ENCODER_LIBX264,
  FF_ENCODER_LIBX265,
  FF_ENCODER_MPEG1VIDEO,
  FF_ENCODER_MPEG2VIDEO,
  FF_ENCODER_MPEG4,
  FF_ENCODER_WMV2,
  type FFVideoEncoder,
} from 'node-av/constants';

export interface EncoderRecipe {
  readonly encoder: FFVideoEncoder;
  /** FFmpeg's name of the resulting codec. */
  readonly codec: string;
  readonly options: Readonly<Record<string, string>>;
  /** Greatest distance of pictures from display order, with or without B-frames. */
  readonly reorder: number;
  /** Constant quantiser for encoders without a quality scale; null for the others. */
  readonly quantiser: number | null;
  /** Only the standard's frame rates are possible. */
  readonly standardRates: boolean;
  /** Allowed pixel formats; others are converted to the first. null: all formats of the encoder. */
  readonly pixelFormats: readonly AVPixelFormat[] | null;
}

const recipe = (
  encoder: FFVideoEncoder,
  codec: string,
  options: Record<string, string>,
  more: Partial<EncoderRecipe> = {},
): EncoderRecipe => ({
  encoder,
  codec,
  options,
  reorder: 0,
  quantiser: null,
  standardRates: false,
  pixelFormats: null,
  ...more,
});

/**
 * x264 for seams in H.264: constant quality 18, visually lossless, so that a seam is not visible.
 * @param reorder 0: no B-frames (the source has none); else the source's greatest distance from display order, up to 2
 */
export function x264(reorder: number, more: Readonly<Record<string, string>> = {}): EncoderRecipe {
  const depth = Math.min(2, reorder);
  const frames: Record<string, string> =
    depth === 0 ? { bf: '0' } : depth === 1 ? { bf: '2', 'b-pyramid': 'none' } : { bf: '3' };
  return recipe(FF_ENCODER_LIBX264, 'h264', { preset: 'veryfast', crf: '18', ...frames, ...more }, { reorder: depth });
}

/**
 * x265 with closed groups and one picture at a time: the same bytes on every machine. For seams and for whole pictures.
 * @param reorder as of `x264`
 */
export function x265(reorder: number, more: Readonly<Record<string, string>> = {}): EncoderRecipe {
  const depth = Math.min(2, reorder);
  const frames = ['bframes=0', 'bframes=2:b-pyramid=0', 'bframes=3'][depth] as string;
  // Keeps x265 from printing to the terminal and from writing its settings into the stream.
  const params = `log-level=none:info=0:open-gop=0:frame-threads=1:pools=2:rc-lookahead=10:${frames}`;
  return recipe(
    FF_ENCODER_LIBX265,
    'hevc',
    { preset: 'veryfast', crf: '18', 'x265-params': params, ...more },
    { reorder: depth },
  );
}

// No look-ahead: no hidden pictures, so that every packet is a picture.
const vpx = { deadline: 'good', 'cpu-used': '5', 'lag-in-frames': '0', 'auto-alt-ref': '0' };
export const vp9 = recipe(FF_ENCODER_LIBVPX_VP9, 'vp9', { ...vpx, crf: '22', b: '0', 'row-mt': '1' });
/** VP8 needs a bit rate as upper limit for its quality scale. */
export const vp8 = (kbps: number): EncoderRecipe =>
  recipe(FF_ENCODER_LIBVPX_VP8, 'vp8', { ...vpx, crf: '8', b: `${kbps}k` });
// Few pictures at a time: the defaults take hundreds of megabytes.
export const av1 = recipe(FF_ENCODER_LIBSVTAV1, 'av1', { preset: '8', crf: '20', 'svtav1-params': 'lp=2' });
/** For pieces and for whole videos: closed groups, each with its own headers. */
export const mpeg2 = recipe(
  FF_ENCODER_MPEG2VIDEO,
  'mpeg2video',
  { bf: '2', flags: '+cgop', sc_threshold: '1000000000' },
  { quantiser: 3, standardRates: true, reorder: 1 },
);
/** Below quantiser 4, coefficients are clipped at 255: changes from black to white would be cut off. */
export const mpeg1: EncoderRecipe = { ...mpeg2, encoder: FF_ENCODER_MPEG1VIDEO, codec: 'mpeg1video', quantiser: 4 };
/** What phones and browsers play: 8 bits, 4:2:0. */
const everywhere: EncoderRecipe = { ...x264(2), pixelFormats: [AV_PIX_FMT_YUV420P, AV_PIX_FMT_YUVJ420P] };
/** Smaller pictures are refused by x265 and SVT-AV1. */
export const leastModernSize = 64;

/** Muxers with universal support for H.264. */
const hevcMuxers = ['mp4', 'mov', 'matroska', 'mpegts'];
const h264Muxers = ['mp4', 'mov', '3gp', 'matroska', 'flv', 'mpegts'];

/**
 * For a picture track that is encoded as a whole: the source's codec where there is a good encoder for it, H.264 in 8
 * bits where the container allows it, else the container's usual codec.
 * @param codec FFmpeg's name of the source's codec
 * @param size the shorter side, pixels
 */
export function recipeFor(codec: string, muxer: string, kbps: number, size: number): EncoderRecipe {
  if (codec === 'vp9' && ['mp4', 'matroska', 'webm'].includes(muxer)) return vp9;
  if (codec === 'vp8' && ['matroska', 'webm'].includes(muxer)) return vp8(kbps);
  if (size >= leastModernSize) {
    if (codec === 'av1' && ['mp4', 'matroska', 'webm'].includes(muxer)) return av1;
    if (codec === 'hevc' && hevcMuxers.includes(muxer)) return x265(2);
  }
  if (codec === 'mpeg2video' && muxer === 'mpegts') return mpeg2;
  if (h264Muxers.includes(muxer)) return everywhere;
  if (muxer === 'webm') return vp9;
  // AVI counts pictures and does not store their order: no B-frames.
  if (muxer === 'avi') return codec === 'h264' ? x264(0) : recipe(FF_ENCODER_MPEG4, 'mpeg4', {}, { quantiser: 3 });
  if (muxer === 'asf') return recipe(FF_ENCODER_WMV2, 'wmv2', {}, { quantiser: 3 });
  return codec === 'mpeg1video' ? mpeg1 : mpeg2;
}

const standardRates: readonly (readonly [number, number])[] = [
  [24000, 1001],
  [24, 1],
  [25, 1],
  [30000, 1001],
  [30, 1],
  [50, 1],
  [60000, 1001],
  [60, 1],
];

/** A frame rate that the encoder can store; it only affects rate control, the container keeps the true times. */
export function encoderRate(rate: { num: number; den: number }, standard: boolean): { num: number; den: number } {
  const value = rate.den > 0 && rate.num > 0 ? rate.num / rate.den : 25;
  if (standard) {
    const [num, den] = standardRates.toSorted(
      (a, b) => Math.abs(a[0] / a[1] - value) - Math.abs(b[0] / b[1] - value),
    )[0] as readonly [number, number];
    return { num, den };
  }
  if (rate.num > 0 && rate.den > 0 && rate.num <= 65_535 && rate.den <= 65_535) return rate;
  return { num: Math.max(1, Math.min(65_535, Math.round(value * 100))), den: 100 };
}
