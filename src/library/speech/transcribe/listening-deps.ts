import { chooseVoice, refineWords } from '../align/refine-words.ts';
import { recognise } from '../recognise/recognise.ts';
import { findSpeakers } from '../speakers/find-speakers.ts';
import { labelWords } from '../speakers/label-words.ts';

/** The parts of transcription that use networks; tests replace them. */
export interface ListeningDeps {
  readonly recognise: typeof recognise;
  readonly chooseVoice: typeof chooseVoice;
  readonly refineWords: typeof refineWords;
  readonly findSpeakers: typeof findSpeakers;
  readonly labelWords: typeof labelWords;
}

export const listeningDeps: ListeningDeps = { recognise, chooseVoice, refineWords, findSpeakers, labelWords };
