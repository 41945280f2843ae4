/** Indices from `from` up to `to`, exclusive. */
export interface Run {
  readonly from: number;
  readonly to: number;
}

/** Stretches in which something holds; a break of up to `mostBreak` does not end one. */
export function runsWhere(count: number, mostBreak: number, holds: (at: number) => boolean): Run[] {
  const runs: { from: number; to: number }[] = [];
  for (let at = 0; at < count; at++) {
    if (!holds(at)) continue;
    const last = runs.at(-1);
    if (last !== undefined && at - last.to <= mostBreak) last.to = at + 1;
    else runs.push({ from: at, to: at + 1 });
  }
  return runs;
}

/** Greatest of the values from `from` up to `to`, exclusive. */
export function greatest(values: Float32Array, from: number, to: number): number {
  let most = Number.NEGATIVE_INFINITY;
  for (let at = Math.max(0, from); at < Math.min(values.length, to); at++) most = Math.max(most, values[at]!);
  return most;
}

/** Least of the values from `from` up to `to`, exclusive; infinite outside of the track. */
export function least(values: Float32Array, from: number, to: number): number {
  let fewest = Number.POSITIVE_INFINITY;
  for (let at = Math.max(0, from); at < Math.min(values.length, to); at++) fewest = Math.min(fewest, values[at]!);
  return fewest;
}

/** Mean of the values from `from` up to `to`, exclusive; 0 of none. */
export function meanOf(values: Float32Array, from: number, to: number): number {
  let sum = 0;
  for (let at = from; at < to; at++) sum += values[at]!;
  return to > from ? sum / (to - from) : 0;
}
