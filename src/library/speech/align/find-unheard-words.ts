// Finds the words of a script without a recogniser: all of them are assumed to be spoken, in this order.
import type { SpeechSound } from '../speech-sound.ts';
import { cheapestVoice, type FindOptions, findWords } from './find-words.ts';
import type { FoundWord, Pronunciation } from './pieces.ts';
import { placeCoarsely } from './place-coarsely.ts';
import { openEspeak } from './reference/espeak.ts';
import { voicesFor } from './reference/languages.ts';
import type { SpokenForm } from './script/spoken-form.ts';

const coarseShare = 0.5;

/** @returns null for words without room */
export async function findUnheardWords(
  sound: SpeechSound,
  words: readonly SpokenForm[],
  { language, signal, onProgress, known }: FindOptions,
): Promise<(FoundWord | null)[]> {
  const espeak = await openEspeak();
  const [voice] = voicesFor(espeak, language);
  if (voice === undefined || words.length === 0) return words.map(() => null);
  const reading: Pronunciation = { espeak, voice, language };
  const first = await placeCoarsely(reading, sound, words, signal);
  const cues = known(first);
  const placed = cues.some((cue) => cue !== null) ? await placeCoarsely(reading, sound, words, signal, cues) : first;
  onProgress(coarseShare);
  const best = (await cheapestVoice(espeak, language, sound, placed, signal)) ?? voice;
  return findWords({ ...reading, voice: best }, sound, placed, {
    signal,
    onProgress: (fraction) => onProgress(coarseShare + (1 - coarseShare) * fraction),
  });
}
