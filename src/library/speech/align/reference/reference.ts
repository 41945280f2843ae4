// The reference for a run of words: read aloud sentence by sentence.
import { bandCount } from './mel-bands.ts';
import type { PauseMark } from '../script/spoken-form.ts';
import type { Espeak } from './espeak.ts';
import { isReadable } from './languages.ts';
import { secondsOfWords, speakWords, type SpokenReference } from './spoken-words.ts';

export interface ReferenceWord {
  /** Not empty. */
  readonly spoken: string;
  readonly mark: PauseMark;
}

const mostWordsAtOnce = 40;
const mostLettersAtOnce = 4000;
/** Frames per character of an unreadable word. */
const unknownFrames = 18;

/** @returns bands with NaN for words that eSpeak NG cannot read */
export function speak(
  espeak: Espeak,
  voice: string,
  language: string,
  words: readonly ReferenceWord[],
): SpokenReference {
  return joined(
    sentencesOf(language, words).map(
      ({ known, words: sentence }) =>
        (known ? speakWords(espeak, voice, sentenceOf(sentence)) : null) ?? unknownWords(sentence),
    ),
  );
}

/** Duration of each word when read aloud, in seconds, without pauses. */
export function secondsToSpeak(
  espeak: Espeak,
  voice: string,
  language: string,
  words: readonly ReferenceWord[],
): number[] {
  return sentencesOf(language, words).flatMap(({ known, words: sentence }) =>
    known
      ? secondsOfWords(espeak, voice, sentenceOf(sentence))
      : sentence.map(({ spoken }) => (unknownFrames / 100) * Array.from(spoken).length),
  );
}

/** Runs of words that are read at once: up to the end of a sentence, and unreadable words separately. */
function sentencesOf(
  language: string,
  words: readonly ReferenceWord[],
): { readonly known: boolean; readonly words: readonly ReferenceWord[] }[] {
  const sentences: { readonly known: boolean; readonly words: ReferenceWord[] }[] = [];
  let ended = true;
  let letters = 0;
  for (const word of words) {
    const known = isReadable(word.spoken, language);
    const last = sentences.at(-1);
    letters += word.spoken.length;
    if (
      ended ||
      !last ||
      last.known !== known ||
      last.words.length === mostWordsAtOnce ||
      letters > mostLettersAtOnce
    ) {
      sentences.push({ known, words: [word] });
      letters = word.spoken.length;
    } else last.words.push(word);
    ended = word.mark === '.';
  }
  return sentences;
}

const sentenceOf = (words: readonly ReferenceWord[]): { words: string[]; text: string } => ({
  words: words.map(({ spoken }) => spoken),
  text: words.map(({ spoken, mark }) => `${spoken}${mark}`).join(' '),
});

function unknownWords(words: readonly ReferenceWord[]): SpokenReference {
  const wordStarts = new Int32Array(words.length + 1);
  for (const [index, { spoken }] of words.entries())
    wordStarts[index + 1] = (wordStarts[index] as number) + unknownFrames * Array.from(spoken).length;
  return { bands: new Float32Array((wordStarts.at(-1) as number) * bandCount).fill(NaN), wordStarts };
}

function joined(parts: readonly SpokenReference[]): SpokenReference {
  const words = parts.reduce((sum, { wordStarts }) => sum + wordStarts.length - 1, 0);
  const bands = new Float32Array(parts.reduce((sum, part) => sum + part.bands.length, 0));
  const wordStarts = new Int32Array(words + 1);
  let [word, frame] = [0, 0];
  for (const part of parts) {
    bands.set(part.bands, frame * bandCount);
    for (const start of part.wordStarts.subarray(1)) wordStarts[(word += 1)] = frame + start;
    frame = wordStarts[word] as number;
  }
  return { bands, wordStarts };
}
