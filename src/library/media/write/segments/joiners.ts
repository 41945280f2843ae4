import type { Joiner } from './joiner.ts';
import { mp3Joiner } from './mp3-joiner.ts';
import { aacJoiner, opusJoiner, vorbisJoiner } from './packet-joiners.ts';

/** FFmpeg's encoders. */
export type JoinerName = 'libmp3lame' | 'aac' | 'libopus' | 'libvorbis' | 'flac' | 'alac';

/** Those that jobs use. The others are in `more-joiners.ts`, which no job loads. */
const joiners: Partial<Record<JoinerName, Joiner>> = {
  libmp3lame: mp3Joiner,
  libopus: opusJoiner,
  libvorbis: vorbisJoiner,
  aac: aacJoiner,
};

export const addJoiners = (more: Readonly<Partial<Record<JoinerName, Joiner>>>): void =>
  void Object.assign(joiners, more);

/** @throws TypeError when it is one of `more-joiners.ts`, that were not added */
export function joinerOfEncoder(name: JoinerName): Joiner {
  const joiner = joiners[name];
  if (joiner === undefined) throw new TypeError(`Expected addMoreJoiners() before ${name} is divided`);
  return joiner;
}
