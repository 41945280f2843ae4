// What words sound like, by eSpeak NG, as texts to compare.
import type { SpokenWord } from '../spoken-word.ts';
import { anchorsOf } from './anchors/anchors.ts';
import { comparable } from './anchors/similarity.ts';
import { heardWordsOf } from './heard-words.ts';
import type { Pronunciation } from './pieces.ts';
import { openEspeak } from './reference/espeak.ts';
import { voicesFor } from './reference/languages.ts';
import { type SpokenForm, spokenForm } from './script/spoken-form.ts';
import { type ScriptVerdict, type PhonemesOfBoth, verdictOn } from './spoken-here.ts';

/** A usual reading, roughly. */
export const secondsPerLetter = 0.07;

/** eSpeak NG's phonemes without stress and pauses. */
export const bareSound = (ipa: string): string => ipa.replace(/\([a-z-]+\)|[^\p{L}]/gu, '');

/** What words sound like together. */
export const phonemes = ({ espeak, voice }: Pronunciation, words: readonly { readonly spoken: string }[]): string =>
  bareSound(espeak.ipa(voice, words.map(({ spoken }) => spoken).join(' ')));

/** The phonemes of each word of both lists. */
export function soundsOf(
  reading: Pronunciation,
  script: readonly SpokenForm[],
  heard: readonly SpokenForm[],
): PhonemesOfBoth {
  const remembered = new Map<string, string>();
  const each = (list: readonly SpokenForm[]): string[] =>
    list.map(({ spoken }) => {
      const sound = remembered.get(spoken) ?? phonemes(reading, [{ spoken }]);
      remembered.set(spoken, sound);
      return sound;
    });
  return { script: each(script), heard: each(heard) };
}

/**
 * Are these words spoken in a stretch of a recording where a recogniser heard those?
 * @param language ISO 639 code
 * @param seconds the stretch's length
 */
export async function verdictOnWords(
  words: readonly { readonly text: string }[],
  recognised: readonly SpokenWord[],
  language: string,
  seconds: number,
): Promise<ScriptVerdict> {
  const espeak = await openEspeak();
  const [voice] = voicesFor(espeak, language);
  const forms = words.map(({ text }) => spokenForm(text, language)).filter(({ spoken }) => spoken !== '');
  const heard = heardWordsOf(recognised, language);
  if (voice === undefined || forms.length === 0 || heard.length === 0) return 'not known';
  const anchors = anchorsOf(
    forms.map(({ spoken }) => comparable(spoken)),
    heard,
  );
  const letters = forms.reduce((sum, { spoken }) => sum + spoken.length, 0);
  return verdictOn(
    soundsOf({ espeak, voice, language }, forms, heard),
    anchors,
    seconds / (secondsPerLetter * letters),
  );
}
