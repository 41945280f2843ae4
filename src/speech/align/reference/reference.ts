// The reference for a run of words: sentence by sentence, as they would be read out.
import { bandCount } from '../mel-bands.ts';
import type { PauseMark } from '../script/spoken-form.ts';
import type { Espeak } from './espeak.ts';
import { isReadable } from './languages.ts';
import { speakWords, type SpokenReference } from './spoken-words.ts';

export interface ReferenceWord {
  /** Not empty. */
  readonly spoken: string;
  readonly mark: PauseMark;
}

const mostWordsAtOnce = 40;
/** Of a word that nobody here can read, per character. */
const unknownFrames = 18;

/** @returns bands that hold NaN for words that eSpeak NG cannot read */
export function speak(
  espeak: Espeak,
  voice: string,
  language: string,
  words: readonly ReferenceWord[],
): SpokenReference {
  const parts: SpokenReference[] = [];
  for (let from = 0; from < words.length;) {
    const known = isReadable((words[from] as ReferenceWord).spoken, language);
    let to = from;
    while (to < words.length && isReadable((words[to] as ReferenceWord).spoken, language) === known) {
      to += 1;
      if ((words[to - 1] as ReferenceWord).mark === '.' || to - from === mostWordsAtOnce) break;
    }
    const sentence = words.slice(from, to);
    parts.push(known ? speakWords(espeak, voice, sentenceOf(sentence)) : unknownWords(sentence));
    from = to;
  }
  return joined(parts);
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
