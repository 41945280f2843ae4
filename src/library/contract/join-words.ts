// Joins words into text: with spaces between, except in scripts without spaces.

/** Scripts without spaces between words. Korean has spaces. */
export const unspacedLetter =
  /[\p{Script=Han}\p{Script=Hiragana}\p{Script=Katakana}\p{Script=Thai}\p{Script=Lao}\p{Script=Khmer}\p{Script=Myanmar}\u30FC\u3001-\u303F\uFF01-\uFF60]/u;
const unspacedAtEnd = new RegExp(`${unspacedLetter.source}$`, 'u');
const unspacedAtStart = new RegExp(`^${unspacedLetter.source}`, 'u');

/**
 * Is there a space between two words? Not next to a letter of a script without spaces ("これは" + "iPhone" + "です"). Korean
 * text may contain ideographs, with spaces around them.
 */
export const isSpaced = (before: string, after: string, language: string): boolean =>
  language === 'ko' || !(unspacedAtEnd.test(before) || unspacedAtStart.test(after));

/** The text of consecutive words. */
export function joinWords(words: readonly { readonly text: string }[], language: string): string {
  let text = '';
  for (const [index, word] of words.entries()) {
    if (index > 0 && isSpaced(words[index - 1]!.text, word.text, language)) text += ' ';
    text += word.text;
  }
  return text;
}
