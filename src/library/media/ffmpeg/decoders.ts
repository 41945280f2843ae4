// The FFmpeg decoders that files may use, out of 560. Most of the others are for old games, screen codecs and
// subtitles. Few people review them, and an untrusted file would choose which of these C parsers runs.
import { avGetCodecName, Codec, type Stream } from 'node-av/lib';
import { EarshotError } from '../../core/errors/errors.ts';

const soundDecoders = [
  'aac aac_latm mp3 mp3float mp3adu mp3adufloat mp3on4 mp3on4float mp2 mp2float mp1 mp1float',
  'flac alac als ape tak tta wavpack shorten mlp truehd wmalossless',
  'vorbis opus libopus speex ac3 eac3 dca',
  'wmav1 wmav2 wmapro wmavoice amrnb amrwb gsm gsm_ms ilbc qcelp evrc g722 g723_1 g726 g726le g729 nellymoser sipr',
  'cook real_144 real_288 ralf atrac1 atrac3 atrac3al atrac3plus atrac3plusal atrac9 mpc7 mpc8 qdm2 qdmc mace3 mace6',
  'dsd_lsbf dsd_lsbf_planar dsd_msbf dsd_msbf_planar dst sbc aptx aptx_hd truespeech s302m dvaudio',
  'adpcm_ima_wav adpcm_ima_qt adpcm_ms adpcm_swf adpcm_yamaha adpcm_ct adpcm_ima_oki',
  'pcm_alaw pcm_mulaw pcm_vidc pcm_bluray pcm_dvd pcm_f16le pcm_f24le pcm_f32be pcm_f32le pcm_f64be pcm_f64le',
  'pcm_s8 pcm_s8_planar pcm_s16be pcm_s16be_planar pcm_s16le pcm_s16le_planar pcm_s24be pcm_s24daud pcm_s24le',
  'pcm_s24le_planar pcm_s32be pcm_s32le pcm_s32le_planar pcm_s64be pcm_s64le pcm_u8 pcm_u16be pcm_u16le pcm_u24be',
  'pcm_u24le pcm_u32be pcm_u32le',
].flatMap((line) => line.split(' '));

const videoDecoders = [
  'h264 hevc vvc av1 libdav1d vp8 vp9 vp6 vp6a vp6f vp7 vp3 theora',
  'mpeg1video mpeg2video mpegvideo mpeg4 msmpeg4 msmpeg4v1 msmpeg4v2 h261 h263 h263i h263p flv svq1 svq3',
  'wmv1 wmv2 wmv3 vc1 rv10 rv20 rv30 rv40 cinepak indeo3 indeo4 indeo5',
  'prores dnxhd dvvideo cfhd ffv1 huffyuv ffvhuff utvideo magicyuv qtrle rawvideo v210 flashsv flashsv2',
].flatMap((line) => line.split(' '));

/** Picture codecs: video where the stream moves, a cover where it does not. */
const stillDecoders = ['mjpeg', 'mjpegb', 'png', 'gif', 'bmp', 'webp', 'jpeg2000', 'tiff'];

const allowed = new Set<string>([...soundDecoders, ...videoDecoders, ...stillDecoders]);

/** For FFmpeg's codec_whitelist. Covers are copied as bytes and need no decoder. */
export const decodersFor = (stills: boolean): string =>
  [...soundDecoders, ...videoDecoders, ...(stills ? stillDecoders : [])].join(',');

/** Is the stream's codec a picture codec? */
export const hasStills = (stream: Stream): boolean =>
  stillDecoders.includes(avGetCodecName(stream.codecpar.codecId) ?? '');

/** 8192 by 8192 pixels: above 8K video, and 100 MB as 4:2:0. */
export const mostPixels = 8192 * 8192;

/** Can a stream's codec be decoded? */
export function isDecodable({ codecpar }: Stream): boolean {
  const name = Codec.findDecoder(codecpar.codecId)?.name ?? null;
  return name !== null && allowed.has(name);
}

/**
 * The decoder of a stream.
 * @param what the stream's content, for the message
 * @throws EarshotError unsupported_format where there is none, or none that files may use
 */
export function findDecoder(id: Parameters<typeof Codec.findDecoder>[0], what: 'sound' | 'picture'): Codec {
  const decoder = Codec.findDecoder(id);
  if (decoder === null)
    throw new EarshotError('unsupported_format', `There is no decoder for the ${what} in this file`);
  if (decoder.name === null || !allowed.has(decoder.name))
    throw new EarshotError(
      'unsupported_format',
      `Expected ${what} in one of the usual codecs but this file has "${decoder.name ?? 'unnamed'}"`,
    );
  return decoder;
}
