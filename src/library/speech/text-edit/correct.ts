// Words of a correction on the words that were heard: each keeps the time of what it replaces.
import { comparable, similarity } from '../align/anchors/similarity.ts';

/** A heard word without a counterpart, or a written one: more than two that are nothing alike would cost. */
const alone = 0.55;

/**
 * What is written in the place of each heard word. Needleman-Wunsch on likeness of words: a written word without a
 * counterpart goes to the word before it ("gonna" -> "going to"), a heard one without is empty.
 * @param heard at least one word
 * @param written the text in their place; empty: the words stay as they were heard
 */
export function alignCorrection(heard: readonly string[], written: string): readonly string[] {
  const words = written.split(/\s+/u).filter((word) => word !== '');
  if (words.length === 0) return heard;
  const [rows, columns] = [heard.length + 1, words.length + 1];
  const forms = [heard, words].map((list) => list.map((word) => comparable(word) || word));
  const cost = Array.from({ length: rows }, () => new Float64Array(columns));
  const differs = (row: number, column: number): number =>
    1 - similarity(forms[0]?.[row - 1] ?? '', forms[1]?.[column - 1] ?? '');
  for (let row = 0; row < rows; row++)
    for (let column = 0; column < columns; column++) {
      if (row === 0 || column === 0) cost[row]![column] = (row + column) * alone;
      else
        cost[row]![column] = Math.min(
          cost[row - 1]![column - 1]! + differs(row, column),
          cost[row - 1]![column]! + alone,
          cost[row]![column - 1]! + alone,
        );
    }
  const placed: string[][] = heard.map(() => []);
  let [row, column] = [rows - 1, columns - 1];
  const near = 1e-9;
  while (row > 0 || column > 0) {
    const now = cost[row]![column]!;
    if (row > 0 && column > 0 && Math.abs(now - cost[row - 1]![column - 1]! - differs(row, column)) < near) {
      placed[row - 1]?.unshift(words[column - 1]!);
      row -= 1;
      column -= 1;
    } else if (column > 0 && Math.abs(now - cost[row]![column - 1]! - alone) < near) {
      placed[Math.max(0, row - 1)]?.unshift(words[column - 1]!);
      column -= 1;
    } else row -= 1;
  }
  return placed.map((list) => list.join(' '));
}
