/** Each word's partner in the other list, the same word in the same order; null: none (Levenshtein 1966). */
export function partners(one: readonly string[], other: readonly string[]): (number | null)[] {
  const rows: Uint16Array[] = [Uint16Array.from({ length: other.length + 1 }, (_, at) => at)];
  for (const [i, word] of one.entries()) {
    const before = rows[i] as Uint16Array;
    const row = new Uint16Array(other.length + 1);
    row[0] = i + 1;
    for (const [j, second] of other.entries())
      row[j + 1] = Math.min(before[j]! + (word === second ? 0 : 1), before[j + 1]! + 1, row[j]! + 1);
    rows.push(row);
  }
  const found: (number | null)[] = one.map(() => null);
  let [i, j] = [one.length, other.length];
  while (i > 0 && j > 0) {
    const here = rows[i]![j]!;
    const same = one[i - 1] === other[j - 1];
    if (here === rows[i - 1]![j - 1]! + (same ? 0 : 1)) {
      if (same) found[i - 1] = j - 1;
      [i, j] = [i - 1, j - 1];
    } else if (here === rows[i - 1]![j]! + 1) i -= 1;
    else j -= 1;
  }
  return found;
}
