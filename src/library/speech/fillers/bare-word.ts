const outerMarks = /^[^\p{L}\p{N}\u30FC]+|[^\p{L}\p{N}\u30FC]+$/gu;

/** A word as lists hold it: lower case, one form for each letter, without the marks around it. */
export const bareWord = (text: string): string =>
  text
    .normalize('NFKC')
    .replaceAll(/[\u301C\uFF5E~]/g, '\u30FC')
    .replaceAll('\u2019', "'")
    .replace(outerMarks, '')
    .toLowerCase();

/** Ends with a mark that sets it apart from what follows: comma, dash, full stop, the ellipsis of who searches. */
export const isMarkedOff = (text: string): boolean =>
  /[,;:.!?\u2026\u2013\u2014\u3001\u3002\uFF0C\u060C-]["'\u2019\u201D)\]]*$/u.test(text);

/** Ends a sentence for sure; no repetition reaches across it. */
export const isStopped = (text: string): boolean =>
  /(?:[^.][.]|[!?\u3002\uFF01\uFF1F\u061F\u0964])["'\u2019\u201D)\]]*$/u.test(text);

/** "I-" and "wh\u2014": broken off. */
export const isBrokenOff = (text: string): boolean => /[\p{L}][-\u2010-\u2015]$/u.test(text);
