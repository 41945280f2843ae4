// How alike names sound, whatever they are written like: by eSpeak NG's phonemes, and by their letters.
import { comparable, similarity } from '../align/anchors/similarity.ts';
import { type Espeak, openEspeak } from '../align/reference/espeak.ts';
import { voicesFor } from '../align/reference/languages.ts';

/** Consonants that recognisers confuse count as one. */
const classes = ['pb', 'tdɾθðʈɖ', 'kgɡqxɣçh', 'fvʋ', 'szʃʒʂʐɕʑ', 'mnŋɲ', 'lɹrɻʁɫ', 'jw'];
const classOf = new Map(
  classes.flatMap((letters) => Array.from(letters, (letter) => [letter, letters.charAt(0)] as const)),
);
const isVowel = (sound: string): boolean => /[aeiouyæøœɐɑɒɔəɘɚɛɜɝɞɨɪɯɵʉʊʌʏ]/u.test(sound);
const isWeak = (sound: string): boolean => sound === 'j' || isVowel(sound);

/** A vowel is heard as another one more often than a consonant is. */
const weightOf = (sound: string): number => (isWeak(sound) ? 0.5 : 1);
const otherVowel = 0.4;

function replacement(a: string, b: string): number {
  if (a === b) return 0;
  return isWeak(a) && isWeak(b) ? otherVowel : Math.max(weightOf(a), weightOf(b));
}

/** 1 for the same sounds, 0 for none in common: edits by what they weigh. */
export function likenessOfSounds(a: string, b: string): number {
  const weight = (sounds: string): number => Array.from(sounds).reduce((sum, sound) => sum + weightOf(sound), 0);
  const longest = Math.max(weight(a), weight(b));
  if (longest === 0) return 0;
  let before = [0];
  for (const sound of b) before.push((before.at(-1) as number) + weightOf(sound));
  for (const own of a) {
    const now = [(before[0] as number) + weightOf(own)];
    for (const [at, other] of Array.from(b).entries())
      now.push(
        Math.min(
          (before[at + 1] as number) + weightOf(own),
          (now[at] as number) + weightOf(other),
          (before[at] as number) + replacement(own, other),
        ),
      );
    before = now;
  }
  return Math.max(0, 1 - (before.at(-1) as number) / longest);
}

const soundsIn = (ipa: string): string =>
  Array.from(ipa.replace(/\([a-z-]+\)|[^\p{L}]/gu, ''), (letter) => classOf.get(letter) ?? letter).join('');

/** Names are often said as where they come from. */
const otherVoices = ['fr', 'de', 'es', 'pl'];

export const lettersOf = (text: string): string => comparable(text).replaceAll('-', '');

/** A text by its letters and by what it may sound like. */
export interface Sounding {
  readonly letters: string;
  /** In each voice; empty in a language that eSpeak NG does not speak. */
  readonly sounds: readonly string[];
}

export interface Sounds {
  /** As it is said in the language. */
  ofWord(text: string): Sounding;
  /** Also as it is said in other languages. */
  ofName(text: string): Sounding;
}

/** Readings of words are kept, for so many of them. */
const mostRemembered = 20_000;
const remembered = new Map<string, string>();

function soundsOfText(espeak: Espeak, voice: string, text: string): string {
  const key = `${voice} ${text}`;
  const known = remembered.get(key);
  if (known !== undefined) return known;
  if (remembered.size >= mostRemembered) remembered.clear();
  const sounds = soundsIn(espeak.ipa(voice, text));
  remembered.set(key, sounds);
  return sounds;
}

/** @param language ISO 639 code */
export async function openSounds(language: string): Promise<Sounds> {
  const espeak = await openEspeak();
  const [own] = voicesFor(espeak, language);
  const others = otherVoices.flatMap((code) => espeak.voices.get(code) ?? []);
  const read = (text: string, voices: readonly string[]): Sounding => ({
    letters: lettersOf(text),
    sounds: [...new Set(voices.map((voice) => soundsOfText(espeak, voice, text.toLowerCase())))],
  });
  const usual = own === undefined ? [] : [own];
  return {
    ofWord: (text) => read(text, usual),
    ofName: (text) =>
      read(text, /^[\p{Script=Latin}\P{L}]+$/u.test(text) ? [...new Set([...usual, ...others])] : usual),
  };
}

/** How alike a name and some words are, one after the other: 0 to 1. */
export function likeness(name: Sounding, words: readonly Sounding[]): number {
  const letters = words.map((word) => word.letters).join('');
  const heard = words.map((word) => word.sounds[0] ?? '').join('');
  return Math.max(similarity(name.letters, letters), ...name.sounds.map((sounds) => likenessOfSounds(sounds, heard)));
}
