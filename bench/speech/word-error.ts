// Word error rate: substitutions, insertions and deletions over the words of the reference (Levenshtein 1966).

export interface WordErrors {
  readonly errors: number;
  readonly words: number;
}

/** @param reference words as they were said, @param heard words as they were written; both normalised alike */
export function wordErrors(reference: readonly string[], heard: readonly string[]): WordErrors {
  let before = Array.from({ length: heard.length + 1 }, (_, index) => index);
  for (const [i, word] of reference.entries()) {
    const row = [i + 1];
    for (const [j, other] of heard.entries())
      row.push(
        Math.min(
          (before[j] as number) + (word === other ? 0 : 1),
          (before[j + 1] as number) + 1,
          (row[j] as number) + 1,
        ),
      );
    before = row;
  }
  return { errors: before.at(-1) as number, words: reference.length };
}

const contractions: readonly (readonly [RegExp, string])[] = [
  [/\bwon't\b/g, 'will not'],
  [/\bcan't\b/g, 'can not'],
  [/n't\b/g, ' not'],
  [/'re\b/g, ' are'],
  [/'d\b/g, ' would'],
  [/'ll\b/g, ' will'],
  [/'ve\b/g, ' have'],
  [/'m\b/g, ' am'],
  [/'s\b/g, ' is'],
  [/\bmr\b/g, 'mister'],
  [/\bmrs\b/g, 'missus'],
];

/**
 * The part of Whisper's English normaliser that spoken recordings need: no marks, no fillers, contractions spelt out.
 * Figures that are to be held against others' are made with Whisper's own.
 */
export function plainWords(text: string): string[] {
  let plain = text.toLowerCase().replaceAll(/\b(hmm|mm|mhm|mmm|uh|um)\b/g, '');
  for (const [pattern, said] of contractions) plain = plain.replaceAll(pattern, said);
  return plain.split(/[^\p{L}\p{N}]+/u).filter((word) => word !== '');
}
