import { languages } from '../../languages/every-language.ts';
import type { Script } from '../../transcript/read/script.ts';

/** Letters, and the languages that are written with them, the most common first. Japanese before Chinese. */
const letters: readonly (readonly [RegExp, string])[] = [
  [/[\p{Script=Hiragana}\p{Script=Katakana}]/u, 'ja'],
  [/\p{Script=Hangul}/u, 'ko'],
  [/\p{Script=Han}/u, 'zh yue'],
  [/[іїєґ]/iu, 'uk be kk'],
  [/\p{Script=Cyrillic}/u, 'ru uk bg sr mk be kk mn tg tt ba'],
  [/\p{Script=Greek}/u, 'el'],
  [/\p{Script=Hebrew}/u, 'he yi'],
  [/\p{Script=Arabic}/u, 'ar fa ur ps sd'],
  [/\p{Script=Devanagari}/u, 'hi mr ne sa'],
  [/\p{Script=Thai}/u, 'th'],
  [/\p{Script=Georgian}/u, 'ka'],
  [/\p{Script=Armenian}/u, 'hy'],
  [/\p{Script=Tamil}/u, 'ta'],
  [/\p{Script=Bengali}/u, 'bn as'],
];

const sampleOf = (script: Script): string =>
  (script.format === 'txt' ? script.text : script.cues.flatMap(({ lines }) => lines).join('\n')).slice(0, 20_000);

/**
 * The languages that are written with a script's letters.
 * @returns ISO 639 codes, the most common language first; null for Latin letters, which say nothing
 */
export function languagesByLetters(script: Script): readonly string[] | null {
  const sample = sampleOf(script);
  const all = sample.match(/\p{L}/gu)?.length ?? 0;
  for (const [letter, codes] of letters) {
    const own = sample.match(new RegExp(letter.source, `${letter.flags}g`))?.length ?? 0;
    // A smaller share may be names.
    if (own > 0.05 * all && all > 0) return codes.split(' ');
  }
  return null;
}

/**
 * The language of a script, by its letters and its most common words.
 * @returns ISO 639 code; "en" if unknown
 */
export function guessLanguage(script: Script): string {
  const [byLetters] = languagesByLetters(script) ?? [];
  if (byLetters !== undefined) return byLetters;
  return languageByWords(sampleOf(script)).language;
}

interface CountedWords {
  readonly language: string;
  /** How many of the text's words are common ones of the language. */
  readonly count: number;
}

function commonWordsIn(text: string): CountedWords[] {
  const words = text.toLowerCase().match(/\p{L}+/gu) ?? [];
  return Object.entries(languages).map(([language, { commonWords }]) => {
    const common = new Set(commonWords?.split(' '));
    return { language, count: words.filter((word) => common.has(word)).length };
  });
}

/** The language with the most of its common words in a text, and how many these are; "en" and 0 if there are none. */
export const languageByWords = (text: string): CountedWords =>
  commonWordsIn(text).reduce((best, next) => (next.count > best.count ? next : best));

/** So many common words of the one language to one of the other tell sisters apart: of Spanish and Italian 19 to 3. */
const clearly = 2.5;
const leastCommonWords = 6;

/**
 * Are two texts surely in two languages, each by its own common words? Sisters such as Danish and Norwegian share most
 * of them and are never told apart.
 * @param language of the second; ISO 639 code
 */
export function areInTwoLanguages(text: string, other: string, language: string): boolean {
  const [own, theirs] = [commonWordsIn(text), commonWordsIn(other)];
  const countOf = (counts: readonly CountedWords[], code: string): number =>
    counts.find((one) => one.language === code)?.count ?? 0;
  const first = languageByWords(text).language;
  const surely = (counts: readonly CountedWords[], code: string, unlike: string): boolean =>
    countOf(counts, code) >= Math.max(leastCommonWords, clearly * countOf(counts, unlike));
  return first !== language && surely(own, first, language) && surely(theirs, language, first);
}
