// Chooses the codec of a video's new sound.
import {
  FF_ENCODER_AC3,
  FF_ENCODER_ALAC,
  FF_ENCODER_EAC3,
  FF_ENCODER_FLAC,
  FF_ENCODER_LIBMP3LAME,
  FF_ENCODER_LIBOPUS,
  FF_ENCODER_LIBVORBIS,
  FF_ENCODER_MP2,
} from 'node-av/constants';
import type { Warning } from '../../core/progress/progress.ts';
import type { MediaFacts } from '../facts.ts';
import { type BitDepth, type CodecLimits, type EncoderChoice, outputFormats, type VideoContainer } from '../formats.ts';
import { bitDepthFor, isLosslessCodec } from './bit-depth.ts';
import { asWritten } from './written-form.ts';

export interface VideoSound extends EncoderChoice {
  /** Limits and default bit rate. */
  readonly limits: CodecLimits;
  /** null: not applicable to the codec. */
  readonly bitDepth: BitDepth | null;
  readonly lossless: boolean;
  readonly warnings: readonly Warning[];
}

const { wav, flac } = outputFormats;

/** Lossless sound that a container's players support; null where there is none. */
function losslessEncoder(
  muxer: string,
  codec: string,
  depth: BitDepth,
): (EncoderChoice & { limits: CodecLimits }) | null {
  const isPcm = codec.startsWith('pcm_');
  const pcm = { ...(wav.encoders[depth] ?? wav.encoders.default), limits: wav };
  switch (muxer) {
    case 'matroska':
      return isPcm ? pcm : { encoder: FF_ENCODER_FLAC, limits: flac };
    case 'mov':
      return isPcm ? pcm : { encoder: FF_ENCODER_ALAC, limits: flac };
    case 'mp4':
      // Few players support PCM in MP4.
      return { encoder: codec === 'flac' ? FF_ENCODER_FLAC : FF_ENCODER_ALAC, limits: flac };
    case 'avi':
      return pcm;
    default:
      return null;
  }
}

/** ATSC A/52: its sample rates and channels. */
const dolby = { sampleRates: [32_000, 44_100, 48_000], maxChannels: 6, defaultKbps: { mono: 96, stereo: 192 } };

/** Lossy codecs that are kept, by FFmpeg's name: their encoders, and the muxers whose players support them. */
const lossyCodecs: Readonly<
  Record<string, EncoderChoice & { readonly limits: CodecLimits; readonly muxers: readonly string[] }>
> = {
  ac3: {
    encoder: FF_ENCODER_AC3,
    limits: { ...dolby, id: 'ac3' },
    muxers: ['matroska', 'mp4', 'mov', 'mpegts'],
  },
  eac3: {
    encoder: FF_ENCODER_EAC3,
    limits: { ...dolby, id: 'eac3' },
    muxers: ['matroska', 'mp4', 'mov', 'mpegts'],
  },
  mp2: {
    encoder: FF_ENCODER_MP2,
    limits: {
      id: 'mp2',
      sampleRates: [16_000, 22_050, 24_000, 32_000, 44_100, 48_000],
      maxChannels: 2,
      defaultKbps: { mono: 128, stereo: 224 },
    },
    // In MP4, readers take it for MP3.
    muxers: ['matroska', 'mpegts'],
  },
  mp3: {
    encoder: FF_ENCODER_LIBMP3LAME,
    limits: outputFormats.mp3,
    muxers: ['matroska', 'mp4', 'mov', 'mpegts', 'flv'],
  },
  opus: { encoder: FF_ENCODER_LIBOPUS, limits: outputFormats.opus, muxers: ['matroska', 'mp4'] },
  vorbis: { encoder: FF_ENCODER_LIBVORBIS, limits: outputFormats.ogg, muxers: ['matroska', 'webm'] },
};

/** What FFmpeg calls the codec of an encoder. */
const codecNames: Readonly<Record<string, string>> = { libmp3lame: 'mp3', libopus: 'opus', libvorbis: 'vorbis' };

/**
 * The codec of a video's new sound: the old one where it can be encoded and the container's players support it, as
 * lossless as it was; else the container's usual one, which is said.
 */
export function soundFor(file: MediaFacts, container: VideoContainer): VideoSound {
  const { audio, ...facts } = asWritten(file);
  const usual = { encoder: container.encoder, limits: outputFormats[container.like], bitDepth: null, lossless: false };
  if (!audio) return { ...usual, warnings: [] };
  if (isLosslessCodec(audio.codec)) {
    const bitDepth = bitDepthFor({ ...facts, audio });
    const kept = losslessEncoder(container.muxer, audio.codec, bitDepth);
    if (kept && audio.channels <= kept.limits.maxChannels) return { ...kept, bitDepth, lossless: true, warnings: [] };
    const message = `The sound was lossless (${audio.codec}); in ${container.extension} it is encoded with loss`;
    return { ...usual, warnings: [{ code: 'lossy_sound', message }] };
  }
  const old = lossyCodecs[audio.codec];
  if (old?.muxers.includes(container.muxer) && audio.channels <= old.limits.maxChannels)
    return { ...usual, encoder: old.encoder, limits: old.limits, warnings: [] };
  const name = codecNames[usual.encoder] ?? usual.encoder;
  const message = `The sound was ${audio.codec}, which is not written in ${container.extension}; the output has ${name}`;
  return { ...usual, warnings: name === audio.codec ? [] : [{ code: 'sound_codec_changed', message }] };
}
