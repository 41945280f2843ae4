import { aacJoiner } from './aac-joiner.ts';
import { alacJoiner } from './alac-joiner.ts';
import { flacJoiner } from './flac-joiner.ts';
import type { Joiner } from './joiner.ts';
import { mp3Joiner } from './mp3-joiner.ts';
import { opusJoiner } from './opus-joiner.ts';
import { vorbisJoiner } from './vorbis-joiner.ts';

/** By FFmpeg's encoders. */
export const joiners = {
  libmp3lame: mp3Joiner,
  aac: aacJoiner,
  libopus: opusJoiner,
  libvorbis: vorbisJoiner,
  flac: flacJoiner,
  alac: alacJoiner,
} as const satisfies Readonly<Record<string, Joiner>>;

export type JoinerName = keyof typeof joiners;
