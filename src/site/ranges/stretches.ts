// The arithmetic of stretches that are removed from a recording, or kept of it.
import { parseTimeRanges } from '../time-ranges.ts';

export type Stretch = readonly [from: number, to: number];

/** Times as they are written in the field, in order and within the recording; what cannot be read is left out. */
export const stretchesOf = (text: string, end: number): readonly Stretch[] =>
  parseTimeRanges(text)
    .filter(([from, to]) => from < to && from < end)
    .map(([from, to]): Stretch => [from, Math.min(to, end)])
    .toSorted(([a], [b]) => a - b);

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
