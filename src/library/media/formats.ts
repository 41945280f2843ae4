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
const wmaRates = [8000, 11025, 16000, 22050, 32000, 44100, 48000];

const only = (encoder: FFAudioEncoder): OutputFormat['encoders'] => ({ default: { encoder } });
const pcm = (...encoders: readonly [FFAudioEncoder, FFAudioEncoder, FFAudioEncoder]): OutputFormat['encoders'] => {
  const [usual, deep, float] = encoders.map((encoder) => ({ encoder })) as [
    EncoderChoice,
    EncoderChoice,
    EncoderChoice,
  ];
  return { default: usual, '16': usual, '24': deep, '32f': float };
};
const littleEndian = pcm(FF_ENCODER_PCM_S16LE, FF_ENCODER_PCM_S24LE, FF_ENCODER_PCM_F32LE);
const bigEndian = pcm(FF_ENCODER_PCM_S16BE, FF_ENCODER_PCM_S24BE, FF_ENCODER_PCM_F32BE);
const flac = { encoder: FF_ENCODER_FLAC };

type Row = Omit<OutputFormat, 'id' | 'muxer' | 'extension' | 'contentType'> &
  Partial<Pick<OutputFormat, 'muxer' | 'extension' | 'contentType'>>;
const whole = { lossless: true, sampleRates: [], maxChannels: 8, defaultKbps: null };
const lossy = (mono: number, stereo: number, sampleRates: readonly number[], maxChannels = 8) => ({
  lossless: false,
  sampleRates,
  maxChannels,
  defaultKbps: { mono, stereo },
});

/** Default of a muxer and an extension: the id; of a content type: the extension's. */
const rows: Readonly<Record<OutputFormatId, Row>> = {
  wav: { ...whole, maxChannels: 64, encoders: littleEndian },
  flac: { ...whole, encoders: { default: flac, '16': flac, '24': flac } },
  mp3: { ...lossy(96, 192, mpegRates, 2), encoders: only(FF_ENCODER_LIBMP3LAME) },
  // Always FFmpeg's own encoder: libfdk_aac is in the build, but its licence is not compatible with the rest.
  m4a: { muxer: 'ipod', ...lossy(96, 160, [...mpegRates, 64000, 88200, 96000]), encoders: only(FF_ENCODER_AAC) },
  ogg: { ...lossy(80, 160, []), sampleRateRange: [8000, 48_000], encoders: only(FF_ENCODER_LIBVORBIS) },
  opus: { ...lossy(64, 128, [8000, 12000, 16000, 24000, 48000]), encoders: only(FF_ENCODER_LIBOPUS) },
  aiff: { ...whole, encoders: bigEndian },
  aac: { muxer: 'adts', ...lossy(96, 160, mpegRates), encoders: only(FF_ENCODER_AAC) },
  wma: { muxer: 'asf', ...lossy(96, 160, wmaRates, 2), encoders: only(FF_ENCODER_WMAV2) },
  alac: { muxer: 'ipod', extension: 'm4a', ...whole, encoders: only(FF_ENCODER_ALAC) },
  mov: { contentType: 'audio/quicktime', ...whole, encoders: littleEndian },
};

/**
 * The table of output formats. libvorbis does not keep to a bit rate above 48 kHz. Opus always runs at 48 kHz
 * internally; `sampleRates` are those of its encoder's input.
 */
export const outputFormats = Object.fromEntries(
  Object.entries(rows).map(([id, { extension = id, ...row }]) => [
    id,
    { id, muxer: id, extension, contentType: contentTypes[extension as keyof typeof contentTypes], ...row },
  ]),
) as Readonly<Record<OutputFormatId, OutputFormat>>;

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
