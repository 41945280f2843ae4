// Joiners of codecs that are not divided by themselves, see `dividedCodecs`: for benches and tests.
import { aacJoiner } from './aac-joiner.ts';
import { alacJoiner } from './alac-joiner.ts';
import { flacJoiner } from './flac-joiner.ts';
import { addJoiners } from './joiners.ts';
import { vorbisJoiner } from './vorbis-joiner.ts';

export const addMoreJoiners = (): void =>
  addJoiners({ aac: aacJoiner, libvorbis: vorbisJoiner, flac: flacJoiner, alac: alacJoiner });
