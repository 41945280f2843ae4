// What is played of a recording when stretches are cut out of it.

export type Stretch = readonly [from: number, to: number];

/** The rest of [from, end) without the cuts, in order; cuts may overlap. In seconds. */
export function kept(cuts: readonly Stretch[], from: number, end: number): readonly Stretch[] {
  const rest: Stretch[] = [];
  let at = from;
  for (const [start, stop] of cuts.toSorted(([a], [b]) => a - b)) {
    if (start > at) rest.push([at, Math.min(start, end)]);
    at = Math.max(at, stop);
    if (at >= end) break;
  }
  if (at < end) rest.push([at, end]);
  return rest;
}
