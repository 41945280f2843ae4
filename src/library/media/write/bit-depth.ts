import type { MediaFacts } from '../facts.ts';
import type { BitDepth } from '../formats.ts';

/** Bits for lossless output that lose nothing of the input: floats stay floats in WAV and AIFF. */
export function bitDepthFor(facts: MediaFacts): BitDepth {
  const codec = facts.audio?.codec ?? '';
  const bits = facts.audio?.bitsPerSample ?? 16;
  if (codec.startsWith('pcm_f')) return '32f';
  return bits > 24 ? '32f' : bits > 16 ? '24' : '16';
}

/** Is a codec lossless, by FFmpeg's name? Logarithmic PCM is not. */
export const isLosslessCodec = (codec: string): boolean =>
  /^(pcm_(?!alaw|mulaw|vidc)|flac|alac|wavpack|ape|tta|tak|truehd|mlp|wmalossless|dsd|shorten|mp4als)/.test(codec);
