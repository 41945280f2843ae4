// How alike names sound, whatever they are written like: by eSpeak NG's phonemes, and by their letters.
import { comparable, similarity } from '../../align/anchors/similarity.ts';
import { type Espeak, openEspeak } from '../../align/reference/espeak.ts';
import { voicesFor } from '../../align/reference/languages.ts';

/** Consonants that recognisers confuse count as one. */
const classes = ['pb', 'tdɾθðʈɖ', 'kgɡqxɣçh', 'fvʋ', 'szʃʒʂʐɕʑ', 'mnŋɲ', 'lɹrɻʁɫ', 'jw'];
const classOf = new Map(
  classes.flatMap((letters) => Array.from(letters, (letter) => [letter, letters.charAt(0)] as const)),
);
const isVowel = (sound: string): boolean => /[aeiouyæøœɐɑɒɔəɘɚɛɜɝɞɨɪɯɵʉʊʌʏ]/u.test(sound);

/** A vowel is heard as another one more often than a consonant is. */
const vowelWeight = 0.5;
const otherVowel = 0.4;

/** Kept for each sound of a phonetic alphabet: some hundred. */
const weights = new Map<string, number>();

function weightOf(sound: string): number {
  const known = weights.get(sound);
  if (known !== undefined) return known;
  const weight = sound === 'j' || isVowel(sound) ? vowelWeight : 1;
  weights.set(sound, weight);
  return weight;
}

/** 1 for the same sounds, 0 for none in common: edits by what they weigh. */
export function likenessOfSounds(a: string, b: string): number {
  const [own, other] = [Array.from(a), Array.from(b)];
  const [ownWeights, otherWeights] = [own.map(weightOf), other.map(weightOf)];
  const total = (values: readonly number[]): number => values.reduce((sum, one) => sum + one, 0);
  const longest = Math.max(total(ownWeights), total(otherWeights));
  if (longest === 0) return 0;
  /** What it takes to make the first sounds of `other` of those of `own` so far. */
  const edits = new Float64Array(other.length + 1);
  for (let at = 0; at < other.length; at += 1) edits[at + 1] = (edits[at] as number) + (otherWeights[at] as number);
  for (const [index, sound] of own.entries()) {
    const weight = ownWeights[index] as number;
    let diagonal = edits[0] as number;
    edits[0] = diagonal + weight;
    for (let at = 0; at < other.length; at += 1) {
      const otherWeight = otherWeights[at] as number;
      const areVowels = weight === vowelWeight && otherWeight === vowelWeight;
      const replacement = sound === other[at] ? 0 : areVowels ? otherVowel : Math.max(weight, otherWeight);
      const above = edits[at + 1] as number;
      edits[at + 1] = Math.min(above + weight, (edits[at] as number) + otherWeight, diagonal + replacement);
      diagonal = above;
    }
  }
  return Math.max(0, 1 - (edits[other.length] as number) / longest);
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

export interface Pronouncer {
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
export async function openSounds(language: string): Promise<Pronouncer> {
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
