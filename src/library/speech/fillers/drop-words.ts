// The text after cuts. Kept words keep their times; commas around removed words are removed, and a sentence starts with
// a capital letter.
import type { SpokenWord } from '../spoken-word.ts';

const trailingComma = /(?<![,;:\u2013\u2014\u3001\uFF0C\u060C-])[,;:\u2013\u2014\u3001\uFF0C\u060C-]+$/u;
const trailingStop =
  /(?<=^|[^.!?\u2026\u3002\uFF01\uFF1F\u061F\u0964])[.!?\u2026\u3002\uFF01\uFF1F\u061F\u0964]+["'\u2019\u201D)\]]*$/u;

/**
 * @param isDropped by the index of a word
 * @returns the kept words, in order
 */
export function dropWords<Word extends SpokenWord>(
  words: readonly Word[],
  isDropped: (index: number) => boolean,
): Word[] {
  const left: Word[] = [];
  let begins = true;
  /** The text of a dropped word that started a sentence: the next word starts it. */
  let capital = false;
  for (const [index, word] of words.entries()) {
    if (isDropped(index)) {
      capital ||= begins && /^\P{L}*\p{Lu}/u.test(word.text);
      const stop = trailingStop.exec(word.text)?.[0];
      const before = left.at(-1);
      // "I went, um." ends with "went."; "I, um, went" is "I went".
      if (before && !begins && (stop !== undefined || trailingComma.test(word.text))) {
        const text = before.text.replace(trailingComma, '');
        left[left.length - 1] = {
          ...before,
          text: stop === undefined || stop.startsWith('\u2026') ? text : text + stop,
        };
      }
      begins ||= stop !== undefined && !stop.startsWith('\u2026') && !stop.startsWith('..');
      continue;
    }
    left.push(capital ? { ...word, text: capitalised(word.text) } : word);
    capital = false;
    begins = trailingStop.test(word.text);
  }
  return left;
}

const capitalised = (text: string): string =>
  text.replace(/^(\P{L}*)(\p{Ll})/u, (_, marks: string, letter: string) => marks + letter.toUpperCase());
