// Words into text: with blanks between, but for scripts that are written without them.

/** Scripts whose words touch. Korean is written with blanks. */
export const unspacedLetter =
  /[\p{Script=Han}\p{Script=Hiragana}\p{Script=Katakana}\p{Script=Thai}\p{Script=Lao}\p{Script=Khmer}\p{Script=Myanmar}\u30FC\u3001-\u303F\uFF01-\uFF60]/u;
const unspacedAtEnd = new RegExp(`${unspacedLetter.source}$`, 'u');
const unspacedAtStart = new RegExp(`^${unspacedLetter.source}`, 'u');

/**
 * Whether a blank stands between two words: not beside a letter of a script without blanks ("これは" + "iPhone" + "です").
 * Korean text may hold ideographs, with blanks around them.
 */
export const isSpaced = (before: string, after: string, language: string): boolean =>
  language === 'ko' || !(unspacedAtEnd.test(before) || unspacedAtStart.test(after));

/** The text of words in a row. */
export function joinWords(words: readonly { readonly text: string }[], language: string): string {
  let text = '';
  for (const [index, word] of words.entries()) {
    if (index > 0 && isSpaced(words[index - 1]!.text, word.text, language)) text += ' ';
    text += word.text;
  }
  return text;
}
