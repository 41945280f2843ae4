// Which of eSpeak NG's voices speak a language.
import type { Espeak } from './espeak.ts';

/** All common accents of these languages are tried. */
const accents: Readonly<Record<string, readonly string[]>> = {
  en: ['en-us', 'en-gb', 'en-gb-scotland'],
  es: ['es', 'es-419'],
  pt: ['pt', 'pt-br'],
};

/** ISO 639 codes that have another name in eSpeak NG. */
const otherNames: Readonly<Record<string, string>> = {
  zh: 'cmn',
  no: 'nb',
  nn: 'nb',
  tl: 'fil',
  jw: 'id',
  jv: 'id',
  iw: 'he',
  in: 'id',
  mo: 'ro',
  sh: 'hr',
};

/**
 * @param language ISO 639 code, two or three letters
 * @returns eSpeak NG's names of suitable voices; empty where it does not speak the language
 */
export function voicesFor({ voices }: Espeak, language: string): readonly string[] {
  const codes = accents[language] ?? [otherNames[language] ?? language];
  return codes.map((code) => voices.get(code)).filter((voice) => voice !== undefined);
}

/**
 * Can eSpeak NG read these letters? Chinese characters only in Chinese: elsewhere it says "Chinese letter" for each.
 */
export const isReadable = (word: string, language: string): boolean =>
  ['zh', 'cmn', 'yue', 'hak'].includes(language) || !/\p{Script=Han}/u.test(word);
