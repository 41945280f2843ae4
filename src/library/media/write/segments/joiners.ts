import type { Joiner } from './joiner.ts';
import { mp3Joiner } from './mp3-joiner.ts';
import { aacJoiner, opusJoiner, vorbisJoiner } from './packet-joiners.ts';

/** FFmpeg's encoders. */
export type JoinerName = 'libmp3lame' | 'aac' | 'libopus' | 'libvorbis';

export const joiners: Readonly<Record<JoinerName, Joiner>> = {
  libmp3lame: mp3Joiner,
  libopus: opusJoiner,
  libvorbis: vorbisJoiner,
  aac: aacJoiner,
};
