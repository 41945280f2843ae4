import { languages } from '../../languages/every-language.ts';
import type { Script } from '../../transcript/read/script.ts';

/** Letters that identify a language, or the most common language that uses them. Japanese before Chinese. */
const letters: readonly (readonly [RegExp, string])[] = [
  [/[\p{Script=Hiragana}\p{Script=Katakana}]/u, 'ja'],
  [/\p{Script=Hangul}/u, 'ko'],
  [/\p{Script=Han}/u, 'zh'],
  [/[іїєґ]/iu, 'uk'],
  [/\p{Script=Cyrillic}/u, 'ru'],
  [/\p{Script=Greek}/u, 'el'],
  [/\p{Script=Hebrew}/u, 'he'],
  [/\p{Script=Arabic}/u, 'ar'],
  [/\p{Script=Devanagari}/u, 'hi'],
  [/\p{Script=Thai}/u, 'th'],
  [/\p{Script=Georgian}/u, 'ka'],
  [/\p{Script=Armenian}/u, 'hy'],
  [/\p{Script=Tamil}/u, 'ta'],
  [/\p{Script=Bengali}/u, 'bn'],
];

/**
 * The language of a script, by its letters and its most common words.
 * @returns ISO 639 code; "en" if unknown
 */
export function guessLanguage(script: Script): string {
  const text = script.format === 'txt' ? script.text : script.cues.flatMap(({ lines }) => lines).join('\n');
  const sample = text.slice(0, 20_000);
  const all = sample.match(/\p{L}/gu)?.length ?? 0;
  for (const [letter, language] of letters) {
    const own = sample.match(new RegExp(letter.source, `${letter.flags}g`))?.length ?? 0;
    if (own > 0.05 * all && all > 0) return language;
  }
  const words = sample.toLowerCase().match(/\p{L}+/gu) ?? [];
  const counts = Object.entries(languages).map(([language, { commonWords }]) => {
    const common = new Set(commonWords?.split(' '));
    return { language, count: words.filter((word) => common.has(word)).length };
  });
  return counts.reduce((best, next) => (next.count > best.count ? next : best)).language;
}
