/** Edits between two texts (Levenshtein 1966): insertions, deletions, replacements. */
function editDistance(a: string, b: string): number {
  if (a === b) return 0;
  let before = Array.from({ length: b.length + 1 }, (_, index) => index);
  for (let i = 1; i <= a.length; i += 1) {
    const now = [i];
    for (let j = 1; j <= b.length; j += 1) {
      const same = a[i - 1] === b[j - 1] ? 0 : 1;
      now.push(Math.min((before[j] as number) + 1, (now[j - 1] as number) + 1, (before[j - 1] as number) + same));
    }
    before = now;
  }
  return before[b.length] as number;
}

/** 1 for identical texts, 0 for nothing in common. */
export function similarity(a: string, b: string): number {
  const longest = Math.max(a.length, b.length);
  return longest === 0 ? 1 : 1 - editDistance(a, b) / longest;
}

/** The comparable form of a word: letters and digits, lower case, in one Unicode form; hyphens between its parts. */
export const comparable = (text: string): string =>
  text
    .normalize('NFKC')
    .toLowerCase()
    .replace(/[\s-]+/gu, '-')
    .replace(/[^\p{L}\p{N}\p{M}-]/gu, '')
    .replace(/^-+|(?<!-)-+$/gu, '');
