// Chooses the codec of a video's new sound.
import { FF_ENCODER_ALAC, FF_ENCODER_FLAC } from 'node-av/constants';
import type { Warning } from '../../core/progress.ts';
import type { MediaFacts } from '../facts.ts';
import {
  type BitDepth,
  type EncoderChoice,
  type OutputFormat,
  outputFormats,
  type VideoContainer,
} from '../formats.ts';
import { bitDepthFor, isLosslessCodec } from './bit-depth.ts';

export interface VideoSound extends EncoderChoice {
  /** Limits and default bit rate. */
  readonly limits: OutputFormat;
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
): (EncoderChoice & { limits: OutputFormat }) | null {
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

/**
 * The codec of a video's new sound: lossless where the old one was and the container can hold it, else its usual codec.
 */
export function soundFor({ audio, ...facts }: MediaFacts, container: VideoContainer): VideoSound {
  const usual = { encoder: container.encoder, limits: outputFormats[container.like], bitDepth: null, lossless: false };
  if (!audio || !isLosslessCodec(audio.codec)) return { ...usual, warnings: [] };
  const bitDepth = bitDepthFor({ ...facts, audio });
  const kept = losslessEncoder(container.muxer, audio.codec, bitDepth);
  if (kept && audio.channels <= kept.limits.maxChannels) return { ...kept, bitDepth, lossless: true, warnings: [] };
  const message = `The sound was lossless (${audio.codec}); in ${container.extension} it is encoded with loss`;
  return { ...usual, warnings: [{ code: 'lossy_sound', message }] };
}
