const outerMarks = /^[^\p{L}\p{N}\u30FC]+|(?<![^\p{L}\p{N}\u30FC])[^\p{L}\p{N}\u30FC]+$/gu;

/** A word as in the lists: lower case, one form for each letter, without punctuation. */
export const bareWord = (text: string): string =>
  text
    .normalize('NFKC')
    .replaceAll(/[\u301C\uFF5E~]/g, '\u30FC')
    .replaceAll('\u2019', "'")
    .replace(outerMarks, '')
    .toLowerCase();

/** Ends with a mark that separates it from what follows: comma, dash, full stop, ellipsis. */
export const isMarkedOff = (text: string): boolean =>
  /[,;:.!?\u2026\u2013\u2014\u3001\u3002\uFF0C\u060C-]["'\u2019\u201D)\]]*$/u.test(text);

/** Ends a sentence; repetitions do not cross it. */
export const isStopped = (text: string): boolean =>
  /(?:[^.][.]|[!?\u3002\uFF01\uFF1F\u061F\u0964])["'\u2019\u201D)\]]*$/u.test(text);

/** "I-" and "wh\u2014": interrupted. */
export const isBrokenOff = (text: string): boolean => /[\p{L}][-\u2010-\u2015]$/u.test(text);
