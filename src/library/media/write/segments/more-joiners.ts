// Joiners of codecs that are not divided by themselves, see `dividedCodecs`: for benches and tests.
import { alacJoiner } from './alac-joiner.ts';
import { flacJoiner } from './flac-joiner.ts';
import { addJoiners } from './joiners.ts';

export const addMoreJoiners = (): void => addJoiners({ flac: flacJoiner, alac: alacJoiner });
