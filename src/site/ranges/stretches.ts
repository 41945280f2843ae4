// The arithmetic of stretches that are removed from a recording, or kept of it.
import { parseTimeRanges } from '../time-ranges.ts';

export type Stretch = readonly [from: number, to: number];

/** Times as they are written in the field, within the recording; what cannot be read is left out. */
export const listedIn = (text: string, end: number): readonly Stretch[] =>
  parseTimeRanges(text)
    .filter(([from, to]) => from < to && from < end)
    .map(([from, to]): Stretch => [from, Math.min(to, end)]);

/** The same in their order in the recording. */
export const stretchesOf = (text: string, end: number): readonly Stretch[] =>
  listedIn(text, end).toSorted(([a], [b]) => a - b);

/** Where playing goes on from a place when stretches are removed, or only they are kept. null: nothing is left. */
export function heardFrom(at: number, stretches: readonly Stretch[], keeps: boolean, end: number): number | null {
  if (stretches.length === 0) return at < end ? at : null;
  if (keeps) {
    const next = stretches.find(([, to]) => at < to);
    return next === undefined ? null : Math.max(at, next[0]);
  }
  const to = stretches.reduce((place, [from, until]) => (from <= place && place < until ? until : place), at);
  return to < end ? to : null;
}

/** So late may the end of a stretch be seen. */
const lateSeconds = 0.5;

/** As `heardFrom`, for stretches that are kept as they are listed; a place in none of them leads to the first. */
export function listedPlayer(): (at: number, stretches: readonly Stretch[]) => number | null {
  /** Of the stretch that is heard. */
  let index = -1;
  return (at, stretches) => {
    const [from, to] = stretches[index] ?? [0, -1];
    if (at >= from - 0.05 && at < to) return at;
    const isOver = at >= to && at < to + lateSeconds;
    index = isOver
      ? index + 1
      : Math.max(
          0,
          stretches.findIndex(([a, b]) => at >= a && at < b),
        );
    const next = stretches[index];
    if (next !== undefined) return isOver ? next[0] : Math.max(at < next[1] ? at : 0, next[0]);
    index = -1;
    return stretches.length === 0 ? at : null;
  };
}
