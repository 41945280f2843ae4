/** Limits of transcribe_audio. */
const mostTerms = 500;
const leastLetters = 2;
const mostLetters = 80;
/** A prompt with a longer piece between its commas is text, not a list. */
const mostWordsOfTerm = 4;

/**
 * The names and terms of a prompt, for the recogniser's vocabulary. A prompt is a list ("Zyntriqix, Digique Plus"), or
 * text in which such words occur. Of text, the words that are written like names count: with a capital letter or a
 * digit behind the first place ("OpenAI", "GPT-4"), or with a capital in the middle of a sentence.
 */
export function termsOf(prompt: string): string[] {
  const pieces = prompt
    .replace(/^[^:,.!?\n]{1,40}:\s/u, '')
    .split(/[,;\n]/u)
    .map((piece) => piece.trim().replace(/[.!?]$/u, ''))
    .filter((piece) => piece !== '');
  const isList = pieces.every((piece) => piece.split(/\s+/u).length <= mostWordsOfTerm && !/[.!?]\s/u.test(piece));
  const terms = isList ? pieces : prompt.split(/(?<=[.!?])\s+|\n/u).flatMap(namesIn);
  return [...new Set(terms.filter(isTerm))].slice(0, mostTerms);
}

const isTerm = (term: string): boolean => {
  const letters = Array.from(term).length;
  return letters >= leastLetters && letters <= mostLetters && /\p{L}/u.test(term);
};

function namesIn(sentence: string): readonly string[] {
  const words = sentence
    .split(/\s+/u)
    .map((word) => word.replace(/^[^\p{L}\p{N}]+|(?<![^\p{L}\p{N}])[^\p{L}\p{N}]+$/gu, ''));
  return words.filter((word, index) => /^.+[\p{Lu}\p{N}]/u.test(word) || (index > 0 && /^\p{Lu}\p{Ll}/u.test(word)));
}
