// Numbers that the synthesiser reads differently from people.
import { languageOf } from '../../languages/language-of.ts';

/** In the order of the languages' `currencies`. */
const signs = '$€£¥';
const sum = /^([$€£¥])([\d.,]*\d)$|^([\d.,]*\d)([$€£¥])$/u;
const englishYear = /^(1[1-9]|20)(\d\d)$/u;

/** "$50" becomes "50 dollars"; in English "1994" becomes "19 94". Others are unchanged. */
export function spokenNumber(word: string, language: string): string {
  const money = sum.exec(word);
  if (money) {
    const sign = money[1] ?? money[4] ?? '';
    const name = languageOf(language)?.currencies?.[signs.indexOf(sign)] ?? sign;
    return `${money[2] ?? money[3]} ${name}`;
  }
  const year = language === 'en' ? englishYear.exec(word) : null;
  if (!year) return word;
  const [century, rest] = [year[1] as string, year[2] as string];
  if (rest === '00') return century === '20' ? word : `${century} hundred`;
  if (rest.startsWith('0')) return century === '20' ? word : `${century} oh ${rest.slice(1)}`;
  return `${century} ${rest}`;
}
