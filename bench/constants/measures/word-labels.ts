// Speakers of a transcript's words (bench/speech/word-labels.ts) in the recordings of the family of speakers; turns and
// words are kept.
import type { Transcript } from '../../../src/library/contract/transcript.ts';
import { runHere } from '../../../src/library/dsp/denoise/suppressor/pieces.ts';
import { openSpeech } from '../../../src/library/speech/speech-sound.ts';
import { labelWords } from '../../../src/library/speech/speakers/label-words.ts';
import type { SpokenWord } from '../../../src/library/speech/spoken-word.ts';
import { transcribe } from '../../../src/library/speech/transcribe/transcribe.ts';
import { wordLabels } from '../../speech/word-labels.ts';
import { figure, type Measure } from '../figures.ts';
import { stored } from '../store.ts';
import { conversationCases } from './conversation-cases.ts';

const { signal } = new AbortController();

const heardIn = (name: string, path: string): Promise<Transcript> =>
  stored(`transcripts/${name}-with-turns`, async () => {
    const sound = openSpeech(path);
    const options = { verbatim: false, speakerLabels: true, modelsDir: undefined, pass: () => () => undefined };
    const { transcript } = await transcribe(sound, { ...options, fanOut: runHere(signal), signal });
    sound.close();
    return transcript;
  });

const unlabelledWord = ({ text, startSeconds, endSeconds }: SpokenWord): SpokenWord => ({
  text,
  startSeconds,
  endSeconds,
});

export const measure: Measure = async () => {
  let [words, wrong, without] = [0, 0, 0];
  for (const { name, path, reference } of await conversationCases()) {
    const transcript = await heardIn(name, path);
    const unlabelled = transcript.sentences.flatMap((sentence) => sentence.words.map(unlabelledWord));
    const labelled = labelWords(
      unlabelled.toSorted((a, b) => a.startSeconds - b.startSeconds),
      transcript.turns ?? [],
    );
    const scored = wordLabels(reference, {
      ...transcript,
      sentences: [{ ...transcript.sentences[0], words: labelled }] as Transcript['sentences'],
    });
    words += scored.words;
    wrong += scored.wrong;
    without += labelled.filter(({ speaker }) => speaker === undefined).length;
  }
  return [
    figure(`words with another speaker's label, of ${words}`, wrong, '', 'lower'),
    figure('words without a label', without, '', 'lower'),
  ];
};
