// As fillers.ts, where the recogniser wrote none of the fillers down: only their sound tells them.
import { findCuts } from '../../../src/library/speech/fillers/find-cuts.ts';
import { markWords } from '../../../src/library/speech/fillers/mark-words.ts';
import type { CutPiece } from '../../../test/fixtures/sounds/cut-measures.ts';
import { figure, type Measure } from '../figures.ts';
import { acousticRecordings, fluentRecordings, heardIn, type KnownRecording, signal } from './spoken-material.ts';

async function cutsOf(recording: Pick<KnownRecording, 'name' | 'sound'>): Promise<CutPiece[]> {
  const { sentences, language } = await heardIn(recording);
  const heard = sentences.flatMap(({ words }) => words).toSorted((a, b) => a.startSeconds - b.startSeconds);
  const marks = markWords(heard, language);
  const written = heard.filter((_, index) => marks[index] !== 'filler');
  const cuts = await findCuts(recording.sound, written, { language, signal, onProgress: () => undefined });
  recording.sound.close();
  return cuts.filter(({ kind }) => kind === 'unwritten_filler');
}

const shared = (cuts: readonly CutPiece[], { startSeconds, endSeconds }: CutPiece): number =>
  cuts.reduce(
    (sum, cut) => sum + Math.max(0, Math.min(cut.endSeconds, endSeconds) - Math.max(cut.startSeconds, startSeconds)),
    0,
  );

export const measure: Measure = async () => {
  let [all, found, left, wordsCut, falseCuts] = [0, 0, 0, 0, 0];
  for (const recording of await acousticRecordings()) {
    const cuts = await cutsOf(recording);
    for (const filler of recording.fillers) {
      const length = filler.endSeconds - filler.startSeconds;
      all += 1;
      if (shared(cuts, filler) > length / 2) found += 1;
      left += length - shared(cuts, filler);
    }
    for (const word of recording.words) wordsCut += shared(cuts, word);
  }
  for (const recording of await fluentRecordings()) falseCuts += (await cutsOf(recording)).length;
  return [
    figure(`unwritten fillers found of ${all}`, found, '', 'higher'),
    figure('filler left', left, 's', 'lower', 2),
    figure('words cut', wordsCut, 's', 'lower', 2),
    figure('cuts in fluent speech', falseCuts, '', 'lower'),
  ];
};
