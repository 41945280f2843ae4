// remove_fillers' cuts in recordings whose fillers and words a phonetician marked, and its marks in written sentences.
import { type FillerCut, findCuts } from '../../../src/library/speech/fillers/find-cuts.ts';
import { speechRate } from '../../../src/library/speech/speech-sound.ts';
import { type CutPiece, movedBy, seamSharpness } from '../../../test/fixtures/sounds/cut-measures.ts';
import { cleaned, saidAndLeft } from '../../../test/fixtures/said-and-left.ts';
import { figure, type Measure } from '../figures.ts';
import { acousticRecordings, fluentRecordings, heardIn, type KnownRecording, signal } from './spoken-material.ts';

type Range = CutPiece;

const overlap = (a: Range, b: Range): number =>
  Math.max(0, Math.min(a.endSeconds, b.endSeconds) - Math.max(a.startSeconds, b.startSeconds));

/** What was cut out, in one piece. */
function without(samples: Float32Array, cuts: readonly Range[]): Float32Array {
  const frames = cuts.map(({ startSeconds, endSeconds }) =>
    [startSeconds, endSeconds].map((x) => Math.round(x * speechRate)),
  );
  return samples.filter((_, at) => !frames.some(([from, to]) => at >= from! && at < to!));
}

/** Fillers count as gone when a cut reaches from 40 ms behind their begin to 40 ms before their end. */
const toleranceSeconds = 0.04;
const touchedSeconds = 0.02;
const cutOf = (cuts: readonly Range[], place: Range): number => cuts.reduce((sum, one) => sum + overlap(one, place), 0);

async function cutsOf(recording: Pick<KnownRecording, 'name' | 'sound'>): Promise<FillerCut[]> {
  const { sentences, language } = await heardIn(recording);
  const words = sentences.flatMap((sentence) => sentence.words).toSorted((a, b) => a.startSeconds - b.startSeconds);
  return findCuts(recording.sound, words, { language, signal, onProgress: () => undefined });
}

export const measure: Measure = async () => {
  let [all, gone, fillerLeft, wordsCut, wordsTouched, sharpest] = [0, 0, 0, 0, 0, 0];
  for (const recording of await acousticRecordings()) {
    const { sound, words, fillers } = recording;
    const cuts = await cutsOf(recording);
    for (const filler of fillers) {
      fillerLeft += filler.endSeconds - filler.startSeconds - cutOf(cuts, filler);
      const isGone = cuts.some(
        ({ startSeconds, endSeconds }) =>
          startSeconds < filler.startSeconds + toleranceSeconds && endSeconds > filler.endSeconds - toleranceSeconds,
      );
      if (isGone) gone += 1;
      all += 1;
    }
    for (const word of words) {
      // Of a word that is said twice the first goes as it should.
      const length = word.endSeconds - word.startSeconds;
      if (cuts.some((one) => one.kind === 'repeat' && overlap(one, word) > length / 2)) continue;
      const cut = cutOf(cuts, word);
      wordsCut += cut;
      if (cut > touchedSeconds) wordsTouched += 1;
    }
    const out = without(sound.read(0, sound.frames), cuts);
    for (const cut of cuts) {
      sharpest += seamSharpness(out, speechRate, movedBy(cuts, cut.startSeconds));
    }
    sound.close();
  }
  let falseCuts = 0;
  for (const recording of await fluentRecordings()) {
    falseCuts += (await cutsOf(recording)).length;
    recording.sound.close();
  }
  const right = saidAndLeft.filter(([language, said, left]) => cleaned(said, language) === left).length;
  return [
    figure(`fillers gone of ${all}`, gone, '', 'higher'),
    figure('filler left', fillerLeft, 's', 'lower', 2),
    figure('words cut', wordsCut, 's', 'lower', 2),
    figure('words touched', wordsTouched, '', 'lower'),
    figure('cuts in fluent speech', falseCuts, '', 'lower'),
    figure('sum of seams against what is around them', sharpest, '', 'lower', 1),
    figure(`sentences right of ${saidAndLeft.length}`, right, '', 'higher'),
  ];
};
