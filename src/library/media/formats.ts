import {
  FF_ENCODER_AAC,
  FF_ENCODER_ALAC,
  FF_ENCODER_FLAC,
  FF_ENCODER_LIBMP3LAME,
  FF_ENCODER_LIBOPUS,
  FF_ENCODER_LIBVORBIS,
  FF_ENCODER_MP2,
  FF_ENCODER_PCM_F32BE,
  FF_ENCODER_PCM_F32LE,
  FF_ENCODER_PCM_S16BE,
  FF_ENCODER_PCM_S16LE,
  FF_ENCODER_PCM_S24BE,
  FF_ENCODER_PCM_S24LE,
  FF_ENCODER_WMAV2,
} from 'node-av/constants';
import { contentTypeOfExtension, contentTypes, unknownContentType } from '../core/files/content-types.ts';
import type { Warning } from '../core/progress/progress.ts';
import type { FFAudioEncoder } from 'node-av/constants';

/**
 * All output formats for sound: six that users choose by name, and five for output in the same format as the input.
 * `alac` is lossless M4A, `mov` is PCM in QuickTime.
 */
export const outputFormatIds = [
  'wav',
  'mp3',
  'm4a',
  'flac',
  'ogg',
  'opus',
  'aiff',
  'aac',
  'wma',
  'alac',
  'mov',
] as const;
export type OutputFormatId = (typeof outputFormatIds)[number];

/** Sample formats of WAV, AIFF and FLAC output: bits per sample, `32f` is IEEE float (24 bits in FLAC). */
export type BitDepth = '16' | '24' | '32f';

/** What a format's name is and how many channels it carries. */
export interface ChannelLimits {
  readonly id: string;
  readonly maxChannels: number;
}

/** Says that channels were mixed down, because the format carries fewer. */
export const channelsReduced = ({ id, maxChannels }: ChannelLimits, channels: number): Warning => ({
  code: 'channels_reduced',
  message: `${id} carries at most ${maxChannels} channels; ${channels} were mixed down to ${maxChannels}`,
});

export interface EncoderChoice {
  readonly encoder: FFAudioEncoder;
}

/** What a codec can carry, and its usual bit rate. */
export interface CodecLimits extends ChannelLimits {
  /** Sample rates the codec can carry, in Hz; empty means any. */
  readonly sampleRates: readonly number[];
  /** Lowest and highest, where any rate between them is possible. */
  readonly sampleRateRange?: readonly [number, number];
  /** Default kbit/s for one and for two channels (more channels: scaled from two). */
  readonly defaultKbps: { readonly mono: number; readonly stereo: number } | null;
}

export interface OutputFormat extends CodecLimits {
  readonly id: OutputFormatId;
  /** FFmpeg's muxer name. */
  readonly muxer: string;
  readonly extension: string;
  readonly contentType: string;
  readonly lossless: boolean;
  readonly encoders: Partial<Record<BitDepth, EncoderChoice>> & { readonly default: EncoderChoice };
}

const mpegRates = [8000, 11025, 12000, 16000, 22050, 24000, 32000, 44100, 48000];
const pcm16 = { encoder: FF_ENCODER_PCM_S16LE };
const flac = { encoder: FF_ENCODER_FLAC };

/**
 * The table of output formats. libvorbis does not keep to a bit rate above 48 kHz. Opus always runs at 48 kHz
 * internally; `sampleRates` are those of its encoder's input.
 */
export const outputFormats: Readonly<Record<OutputFormatId, OutputFormat>> = {
  wav: {
    id: 'wav',
    muxer: 'wav',
    extension: 'wav',
    contentType: contentTypes.wav,
    lossless: true,
    sampleRates: [],
    maxChannels: 64,
    defaultKbps: null,
    encoders: {
      default: pcm16,
      '16': pcm16,
      '24': { encoder: FF_ENCODER_PCM_S24LE },
      '32f': { encoder: FF_ENCODER_PCM_F32LE },
    },
  },
  flac: {
    id: 'flac',
    muxer: 'flac',
    extension: 'flac',
    contentType: contentTypes.flac,
    lossless: true,
    sampleRates: [],
    maxChannels: 8,
    defaultKbps: null,
    encoders: { default: flac, '16': flac, '24': flac },
  },
  mp3: {
    id: 'mp3',
    muxer: 'mp3',
    extension: 'mp3',
    contentType: contentTypes.mp3,
    lossless: false,
    sampleRates: mpegRates,
    maxChannels: 2,
    defaultKbps: { mono: 96, stereo: 192 },
    encoders: { default: { encoder: FF_ENCODER_LIBMP3LAME } },
  },
  m4a: {
    // Always FFmpeg's own encoder: libfdk_aac is in the build, but its licence is not compatible with the rest.
    id: 'm4a',
    muxer: 'ipod',
    extension: 'm4a',
    contentType: contentTypes.m4a,
    lossless: false,
    sampleRates: [...mpegRates, 64000, 88200, 96000],
    maxChannels: 8,
    defaultKbps: { mono: 96, stereo: 160 },
    encoders: { default: { encoder: FF_ENCODER_AAC } },
  },
  ogg: {
    id: 'ogg',
    muxer: 'ogg',
    extension: 'ogg',
    contentType: contentTypes.ogg,
    lossless: false,
    sampleRates: [],
    sampleRateRange: [8000, 48_000],
    maxChannels: 8,
    defaultKbps: { mono: 80, stereo: 160 },
    encoders: { default: { encoder: FF_ENCODER_LIBVORBIS } },
  },
  opus: {
    id: 'opus',
    muxer: 'opus',
    extension: 'opus',
    contentType: contentTypes.opus,
    lossless: false,
    sampleRates: [8000, 12000, 16000, 24000, 48000],
    maxChannels: 8,
    defaultKbps: { mono: 64, stereo: 128 },
    encoders: { default: { encoder: FF_ENCODER_LIBOPUS } },
  },
  aiff: {
    id: 'aiff',
    muxer: 'aiff',
    extension: 'aiff',
    contentType: contentTypes.aiff,
    lossless: true,
    sampleRates: [],
    maxChannels: 8,
    defaultKbps: null,
    encoders: {
      default: { encoder: FF_ENCODER_PCM_S16BE },
      '16': { encoder: FF_ENCODER_PCM_S16BE },
      '24': { encoder: FF_ENCODER_PCM_S24BE },
      '32f': { encoder: FF_ENCODER_PCM_F32BE },
    },
  },
  aac: {
    id: 'aac',
    muxer: 'adts',
    extension: 'aac',
    contentType: contentTypes.aac,
    lossless: false,
    sampleRates: mpegRates,
    maxChannels: 8,
    defaultKbps: { mono: 96, stereo: 160 },
    encoders: { default: { encoder: FF_ENCODER_AAC } },
  },
  wma: {
    id: 'wma',
    muxer: 'asf',
    extension: 'wma',
    contentType: contentTypes.wma,
    lossless: false,
    sampleRates: [8000, 11025, 16000, 22050, 32000, 44100, 48000],
    maxChannels: 2,
    defaultKbps: { mono: 96, stereo: 160 },
    encoders: { default: { encoder: FF_ENCODER_WMAV2 } },
  },
  alac: {
    id: 'alac',
    muxer: 'ipod',
    extension: 'm4a',
    contentType: contentTypes.m4a,
    lossless: true,
    sampleRates: [],
    maxChannels: 8,
    defaultKbps: null,
    encoders: { default: { encoder: FF_ENCODER_ALAC } },
  },
  mov: {
    id: 'mov',
    muxer: 'mov',
    extension: 'mov',
    contentType: 'audio/quicktime',
    lossless: true,
    sampleRates: [],
    maxChannels: 8,
    defaultKbps: null,
    encoders: {
      default: pcm16,
      '16': pcm16,
      '24': { encoder: FF_ENCODER_PCM_S24LE },
      '32f': { encoder: FF_ENCODER_PCM_F32LE },
    },
  },
};

/** These carry what they get, so that "same" can mean them for lossless sound. */
const isLossless = (id: OutputFormatId | undefined): boolean => id !== undefined && outputFormats[id].lossless;

/** The format of a video container's new sound: by FFmpeg muxer, each with an encoder that all its players support. */
export interface VideoContainer {
  readonly muxer: string;
  readonly extension: string;
  readonly contentType: string;
  /** The audio format with the same codec limits and default bit rates. */
  readonly like: OutputFormatId;
  readonly encoder: FFAudioEncoder;
}

export const videoContainers: Readonly<Record<string, VideoContainer>> = {
  mp4: { muxer: 'mp4', extension: 'mp4', contentType: contentTypes.mp4, like: 'm4a', encoder: FF_ENCODER_AAC },
  mov: { muxer: 'mov', extension: 'mov', contentType: contentTypes.mov, like: 'm4a', encoder: FF_ENCODER_AAC },
  '3gp': { muxer: '3gp', extension: '3gp', contentType: contentTypes['3gp'], like: 'm4a', encoder: FF_ENCODER_AAC },
  mkv: { muxer: 'matroska', extension: 'mkv', contentType: contentTypes.mkv, like: 'm4a', encoder: FF_ENCODER_AAC },
  webm: { muxer: 'webm', extension: 'webm', contentType: contentTypes.webm, like: 'opus', encoder: FF_ENCODER_LIBOPUS },
  avi: { muxer: 'avi', extension: 'avi', contentType: contentTypes.avi, like: 'mp3', encoder: FF_ENCODER_LIBMP3LAME },
  ts: { muxer: 'mpegts', extension: 'ts', contentType: contentTypes.ts, like: 'm4a', encoder: FF_ENCODER_AAC },
  mpeg: { muxer: 'mpeg', extension: 'mpg', contentType: contentTypes.mpeg, like: 'mp3', encoder: FF_ENCODER_MP2 },
  flv: { muxer: 'flv', extension: 'flv', contentType: contentTypes.flv, like: 'm4a', encoder: FF_ENCODER_AAC },
  wmv: { muxer: 'asf', extension: 'wmv', contentType: contentTypes.wmv, like: 'wma', encoder: FF_ENCODER_WMAV2 },
};

/** Extensions of read formats whose names are others: `m4v` is a bare MPEG-4 stream, not the container. */
const readNames: Readonly<Record<string, string>> = { mpc8: 'mpc', m4v: '' };

/** The content type of a file, from `probe`. */
export function contentTypeOf(format: string, hasVideo: boolean): string {
  const sound = hasVideo ? undefined : outputFormats[format as OutputFormatId];
  const known =
    sound?.contentType ??
    videoContainers[format]?.contentType ??
    outputFormats[format as OutputFormatId]?.contentType ??
    contentTypeOfExtension(readNames[format] ?? format);
  if (known === null) return unknownContentType;
  // Matroska, WebM, MPEG-4 and others may hold only audio.
  return hasVideo ? known : known.replace(/^video\//, 'audio/');
}

/** Other uncompressed and lossless containers keep their quality as WAV and FLAC. */
const byContainer: Readonly<Record<string, OutputFormatId>> = {
  w64: 'wav',
  caf: 'wav',
  au: 'wav',
  sph: 'wav',
  wv: 'flac',
  ape: 'flac',
  tta: 'flac',
  tak: 'flac',
  dsf: 'flac',
  dff: 'flac',
  '3gp': 'm4a',
  mp4: 'm4a',
  mov: 'm4a',
};

/** Of MPEG-4 and QuickTime, what lossless sound in it is written as: ALAC and FLAC, and PCM. */
const losslessByContainer: Readonly<Record<string, readonly [coded: OutputFormatId, pcm: OutputFormatId]>> = {
  m4a: ['alac', 'alac'],
  mp4: ['alac', 'alac'],
  mov: ['alac', 'mov'],
};

/**
 * The output format that matches the input's, lossless where that is; null where it cannot be written.
 * @param format of the input's container
 * @param codec FFmpeg's name where it is lossless; null: lossy
 */
export function sameFormat(format: string, codec: string | null): OutputFormatId | null {
  const usual = byContainer[format] ?? outputFormatIds.find((id) => id === format);
  if (codec === null || isLossless(usual)) return usual ?? null;
  return losslessByContainer[format]?.[codec.startsWith('pcm_') ? 1 : 0] ?? null;
}

/**
 * Demuxers allowed for inputs. FFmpeg's others (playlists, image sequences, devices, scripts) are refused, because some
 * of them open further files or addresses.
 */
export const inputDemuxers = [
  'wav',
  'w64',
  'aiff',
  'caf',
  'au',
  'mp3',
  'aac',
  'flac',
  'ogg',
  'asf',
  'amr',
  'amrnb',
  'amrwb',
  'mov',
  'mp4',
  'm4a',
  '3gp',
  'matroska',
  'webm',
  'avi',
  'flv',
  'mpegts',
  'mpeg',
  'mpegvideo',
  'ac3',
  'eac3',
  'dts',
  'wv',
  'ape',
  'tta',
  'mpc',
  'mpc8',
  'dsf',
  'iff',
  'qcp',
  'tak',
  'rm',
  'swf',
  'mxf',
  'gsm',
  'nistsphere',
  'oma',
  'h264',
  'hevc',
  'm4v',
] as const;
