// Hesitations and repetitions that only a prompted reading has. The prompt suggests some: those have no sound, or that
// of the words around them.
import { openEspeak } from '../align/reference/espeak.ts';
import { secondsToSpeak } from '../align/reference/reference.ts';
import { spokenForm } from '../align/script/spoken-form.ts';
import { dropWords } from '../fillers/drop-words.ts';
import { hasOwnSound } from '../fillers/held-sound.ts';
import type { SpeechSound } from '../speech-sound.ts';
import type { SpokenWord } from '../spoken-word.ts';

export interface PromptedIn {
  /** ISO 639 code. */
  readonly language: string;
  /** eSpeak NG's name of the voice whose durations the words have; null: it does not speak the language. */
  readonly voice: string | null;
}

/** The tempo is measured over so many words on either side. */
const tempoReach = 10;
/**
 * Share of its own time that must be left: of 55 words with a false "uh" in their time, or said twice in it, three
 * quarters have less than .5; true hesitations and repetitions have .61 and more, but for one in noise 10 dB below.
 */
const leastLeft = 0.4;

/** Words without those that only a prompted reading has and for which no sound is left. */
export async function withoutUnsaid<Word extends SpokenWord>(
  sound: SpeechSound,
  words: readonly Word[],
  { language, voice }: PromptedIn,
): Promise<readonly Word[]> {
  if (!words.some(({ prompted }) => prompted)) return words;
  const heard = dropWords(words, (at) => {
    const word = words[at] as Word;
    return word.prompted === 'hesitation' && !hasOwnSound(sound, word, words[at - 1] ?? null, words[at + 1] ?? null);
  });
  if (voice === null) return heard;
  const forms = heard.map(({ text }) => spokenForm(text, language));
  const seconds = secondsToSpeak(await openEspeak(), voice, language, forms);
  return dropWords(heard, (at) => heard[at]?.prompted !== undefined && timeLeft(heard, seconds, at) <= leastLeft);
}

/** How much sound the words on both sides leave a word at their tempo, as a share of what it takes. */
function timeLeft(words: readonly SpokenWord[], seconds: readonly number[], at: number): number {
  let [said, read] = [0, 0];
  for (let index = Math.max(0, at - tempoReach); index < Math.min(words.length, at + tempoReach + 1); index += 1) {
    if (words[index]?.prompted !== undefined) continue;
    said += lengthOf(words[index] as SpokenWord);
    read += seconds[index] ?? 0;
  }
  const own = (said / read) * (seconds[at] ?? 0);
  if (!(own > 0)) return 1;
  const beside = [at - 1, at + 1].filter((index) => words[index] !== undefined);
  const needed = beside.reduce((sum, index) => sum + (said / read) * (seconds[index] ?? 0), 0);
  const taken = [...beside, at].reduce((sum, index) => sum + lengthOf(words[index] as SpokenWord), 0);
  return (taken - needed) / own;
}

const lengthOf = ({ startSeconds, endSeconds }: SpokenWord): number => endSeconds - startSeconds;
