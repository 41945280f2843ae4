import { throwIfAborted } from '../../core/abort.ts';
import type { SpeechSound } from '../speech-sound.ts';
import type { SpokenWord } from '../spoken-word.ts';
import { cheapestVoice, findWords } from './find-words.ts';
import type { RoughWord } from './pieces.ts';
import { openEspeak } from './reference/espeak.ts';
import { spokenForm } from './script/spoken-form.ts';

export interface RefineOptions {
  /** ISO 639 code of the spoken language. */
  readonly language: string;
  /** The result of `chooseVoice` for this recording. Default: chosen from these words. */
  readonly voice?: string | null;
  readonly signal: AbortSignal;
}

/**
 * Refines the times of a transcript's words: each is searched for near its time by its sound (Viterbi against eSpeak
 * NG's reading of the same words). Texts, order and other properties stay.
 * @param words in the order of their times, such as those of one region
 * @returns as many words; unchanged in a language that eSpeak NG does not speak
 * @throws AbortError
 */
export async function refineWords<Word extends SpokenWord>(
  sound: SpeechSound,
  words: readonly Word[],
  options: RefineOptions,
): Promise<Word[]> {
  const { language, signal } = options;
  throwIfAborted(signal);
  const espeak = await openEspeak();
  const voice = options.voice === undefined ? await chooseVoice(sound, words, options) : options.voice;
  if (voice === null) return [...words];
  const placed = placedWords(words, language);
  const found = await findWords(
    { espeak, voice, language },
    sound,
    placed.flatMap((word) => word ?? []),
    { signal },
  );
  let at = 0;
  let end = found.find((word) => word !== null)?.startSeconds ?? 0;
  return words.map((word, index) => {
    // A word that is not spoken is put at the end of the previous word.
    if (!placed[index]) return found.length === 0 ? word : { ...word, startSeconds: end, endSeconds: end };
    const times = found[at++];
    const refined = times ? { ...word, startSeconds: times.startSeconds, endSeconds: times.endSeconds } : word;
    end = refined.endSeconds;
    return refined;
  });
}

/**
 * The accent of eSpeak NG closest to the speakers: the one whose reading costs least over the first minute.
 * @returns eSpeak NG's name of a voice; null where it does not speak the language
 * @throws AbortError
 */
export async function chooseVoice(
  sound: SpeechSound,
  words: readonly SpokenWord[],
  { language, signal }: Pick<RefineOptions, 'language' | 'signal'>,
): Promise<string | null> {
  const placed = placedWords(words, language).flatMap((word) => word ?? []);
  return cheapestVoice(await openEspeak(), language, sound, placed, signal);
}

/** null for words without sound. */
const placedWords = (words: readonly SpokenWord[], language: string): (RoughWord | null)[] =>
  words.map(({ text, startSeconds, endSeconds }) => {
    const form = spokenForm(text, language);
    return form.spoken === '' ? null : { ...form, startSeconds, endSeconds };
  });
