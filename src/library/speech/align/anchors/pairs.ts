// Pairs the words of two lists by the cheapest edits. Phrases that occur once in either list divide the lists first, so
// that hours of speech do not cost the square of their words.
import { similarity } from './similarity.ts';

export interface Pair {
  readonly left: number;
  readonly right: number;
  /** 0 to 1. */
  readonly similarity: number;
}

const gapCost = 0.8;
const unlikeCost = 1.6;
/** What a pair behind another costs less, if both are the same words: it decides between places that cost the same. */
const adjacentGain = 0.01;
const phraseLengths = [4, 3, 2] as const;
/** Longer lists are divided at a common phrase, and compared near the diagonal if there is none. */
const mostCells = 4_000_000;

interface Range {
  readonly leftFrom: number;
  readonly leftTo: number;
  readonly rightFrom: number;
  readonly rightTo: number;
}

/** @returns in the order of both */
export function pairWords(left: readonly string[], right: readonly string[]): Pair[] {
  const likeness = rememberedSimilarity();
  return rangesOf(left, right, { leftFrom: 0, leftTo: left.length, rightFrom: 0, rightTo: right.length }).flatMap(
    (range) => cheapestEdits(left, right, range, likeness),
  );
}

function rememberedSimilarity(): (a: string, b: string) => number {
  const known = new Map<string, number>();
  return (a, b) => {
    if (a === b) return 1;
    const key = `${a} ${b}`;
    const before = known.get(key);
    if (before !== undefined) return before;
    // With lengths this different, the similarity is below that of an anchor.
    const [short, long] = a.length < b.length ? [a.length, b.length] : [b.length, a.length];
    const value = short * 2.5 < long ? 0 : similarity(a, b);
    if (known.size > 500_000) known.clear();
    known.set(key, value);
    return value;
  };
}

const cellsOf = ({ leftFrom, leftTo, rightFrom, rightTo }: Range): number =>
  (leftTo - leftFrom) * (rightTo - rightFrom);

function rangesOf(left: readonly string[], right: readonly string[], range: Range, attempt = 0): Range[] {
  const length = phraseLengths[attempt];
  if (length === undefined || cellsOf(range) <= mostCells / 16) return [range];
  const chain = longestRising(sharedPhrases(left, right, range, length));
  if (chain.length === 0) return rangesOf(left, right, range, attempt + 1);
  const ranges: Range[] = [];
  let { leftFrom, rightFrom } = range;
  for (const { leftAt, rightAt } of [...chain, { leftAt: range.leftTo, rightAt: range.rightTo }]) {
    const part = { leftFrom, leftTo: leftAt, rightFrom, rightTo: rightAt };
    if (leftAt > leftFrom || rightAt > rightFrom) ranges.push(...rangesOf(left, right, part, attempt + 1));
    [leftFrom, rightFrom] = [leftAt, rightAt];
  }
  return ranges;
}

interface Shared {
  readonly leftAt: number;
  readonly rightAt: number;
}

/** Phrases that occur once in either range. */
function sharedPhrases(left: readonly string[], right: readonly string[], range: Range, length: number): Shared[] {
  const once = (words: readonly string[], from: number, to: number): Map<string, number> => {
    const places = new Map<string, number>();
    for (let at = from; at + length <= to; at += 1) {
      const phrase = words.slice(at, at + length).join(' ');
      places.set(phrase, places.has(phrase) ? -1 : at);
    }
    return places;
  };
  const others = once(right, range.rightFrom, range.rightTo);
  return [...once(left, range.leftFrom, range.leftTo)].flatMap(([phrase, leftAt]) => {
    const rightAt = others.get(phrase) ?? -1;
    return leftAt >= 0 && rightAt >= 0 ? [{ leftAt, rightAt }] : [];
  });
}

/** The longest chain that rises in both lists (Schensted 1961). */
function longestRising(shared: readonly Shared[]): Shared[] {
  const tails: number[] = [];
  const previous: number[] = [];
  for (const [index, { rightAt }] of shared.entries()) {
    let [low, high] = [0, tails.length];
    while (low < high) {
      const middle = (low + high) >> 1;
      if ((shared[tails[middle] as number] as Shared).rightAt < rightAt) low = middle + 1;
      else high = middle;
    }
    previous[index] = tails[low - 1] ?? -1;
    tails[low] = index;
  }
  const chain: Shared[] = [];
  for (let at = tails.at(-1) ?? -1; at >= 0; at = previous[at] as number) chain.push(shared[at] as Shared);
  return chain.toReversed();
}

/** Steps of a path through the table. */
const [pairing, leftOnly, rightOnly] = [0, 1, 2];

function cheapestEdits(
  left: readonly string[],
  right: readonly string[],
  range: Range,
  likeness: (a: string, b: string) => number,
): Pair[] {
  const [rows, columns] = [range.leftTo - range.leftFrom, range.rightTo - range.rightFrom];
  if (rows === 0 || columns === 0) return [];
  // Beyond the limit only cells near the diagonal are computed.
  const reach = Math.min(columns, Math.max(500, Math.ceil(mostCells / (2 * rows))));
  const width = Math.min(columns, 2 * reach) + 1;
  const firstOf = (row: number): number =>
    Math.max(0, Math.min(columns + 1 - width, Math.round((row / rows) * columns) - reach));
  const steps = new Uint8Array((rows + 1) * width);
  let before = new Float64Array(width).fill(Infinity);
  for (let row = 0; row <= rows; row += 1) {
    const [first, firstBefore] = [firstOf(row), firstOf(row - 1)];
    const now = new Float64Array(width).fill(Infinity);
    const above = (column: number): number => before[column - firstBefore] ?? Infinity;
    for (let column = first; column < first + width && column <= columns; column += 1) {
      const at = column - first;
      if (row === 0 && column === 0) {
        now[at] = 0;
        continue;
      }
      let [best, step] = [Infinity, pairing];
      if (row > 0 && column > 0) {
        const like = likeness(left[range.leftFrom + row - 1] as string, right[range.rightFrom + column - 1] as string);
        const isAdjacent =
          like === 1 &&
          row > 1 &&
          column > 1 &&
          steps[(row - 1) * width + column - 1 - firstBefore] === pairing &&
          left[range.leftFrom + row - 2] === right[range.rightFrom + column - 2];
        best = above(column - 1) + unlikeCost * (1 - like) - (isAdjacent ? adjacentGain : 0);
      }
      if (row > 0 && above(column) + gapCost < best) [best, step] = [above(column) + gapCost, leftOnly];
      if (at > 0 && (now[at - 1] as number) + gapCost < best)
        [best, step] = [(now[at - 1] as number) + gapCost, rightOnly];
      now[at] = best;
      steps[row * width + at] = step;
    }
    before = now;
  }
  const pairs: Pair[] = [];
  for (let [row, column] = [rows, columns]; row > 0 || column > 0;) {
    const step = steps[row * width + column - firstOf(row)];
    if (step === pairing && row > 0 && column > 0) {
      const [l, r] = [range.leftFrom + row - 1, range.rightFrom + column - 1];
      pairs.push({ left: l, right: r, similarity: likeness(left[l] as string, right[r] as string) });
    }
    if (step !== rightOnly && row > 0) row -= 1;
    if (step !== leftOnly && column > 0) column -= 1;
  }
  return pairs.toReversed();
}
