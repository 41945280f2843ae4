// Hesitations and repetitions that only a prompted reading has. The prompt suggests some: those have no sound, or that
// of the words around them.
import { openEspeak } from '../align/reference/espeak.ts';
import { secondsToSpeak } from '../align/reference/reference.ts';
import { spokenForm } from '../align/script/spoken-form.ts';
import { hasOwnSound } from '../fillers/held-sound.ts';
import { contextSeconds, hopSeconds, levelTrack } from '../fillers/level-track.ts';
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
 * Share of a repetition's own time that must be left. Of 55 words with a false "uh" or said twice in their own time, a
 * third has any left; of three true hesitations and a true repetition all, .14 of theirs and more.
 */
const leastLeft = 0.1;

/** Words without those that only a prompted reading has and for which no sound is left. */
export async function withoutUnsaid<Word extends SpokenWord>(
  sound: SpeechSound,
  words: readonly Word[],
  { language, voice }: PromptedIn,
): Promise<readonly Word[]> {
  if (!words.some(({ prompted }) => prompted)) return words;
  const heard = words.filter(
    (word, at) =>
      word.prompted !== 'hesitation' || hasOwnSound(sound, word, words[at - 1] ?? null, words[at + 1] ?? null),
  );
  if (voice === null) return heard;
  const forms = heard.map(({ text }) => spokenForm(text, language));
  const seconds = secondsToSpeak(await openEspeak(), voice, language, forms);
  return heard.filter((word, at) => word.prompted === undefined || timeLeft(sound, heard, seconds, at) > leastLeft);
}

/** How much sound the words on both sides leave a word at their tempo, as a share of what it takes. */
function timeLeft(sound: SpeechSound, words: readonly SpokenWord[], seconds: readonly number[], at: number): number {
  let [said, read] = [0, 0];
  for (let index = Math.max(0, at - tempoReach); index < Math.min(words.length, at + tempoReach + 1); index += 1) {
    const { prompted, startSeconds, endSeconds } = words[index] as SpokenWord;
    if (prompted !== undefined) continue;
    said += endSeconds - startSeconds;
    read += seconds[index] ?? 0;
  }
  const own = (said / read) * (seconds[at] ?? 0);
  if (!(own > 0)) return 1;
  const beside = [at - 1, at + 1].filter((index) => words[index] !== undefined);
  const needed = beside.reduce((sum, index) => sum + (said / read) * (seconds[index] ?? 0), 0);
  const from = (words[at - 1] ?? (words[at] as SpokenWord)).startSeconds;
  const to = (words[at + 1] ?? (words[at] as SpokenWord)).endSeconds;
  return (soundSeconds(sound, from, to) - needed) / own;
}

/** How much of a stretch is not silent. */
function soundSeconds(sound: SpeechSound, from: number, to: number): number {
  const { levels, silenceDbfs, indexOf } = levelTrack(sound, from - contextSeconds, to + contextSeconds);
  return hopSeconds * levels.subarray(indexOf(from), indexOf(to)).filter((level) => level > silenceDbfs).length;
}
