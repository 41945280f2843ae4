// Sliding windows over a list of values, in linear time.

/** Least value within `reach` to either side. */
export function slidingMin(values: Float32Array, reach: number): Float32Array {
  const out = new Float32Array(values.length);
  // Indices of rising values: the first is the least of the window.
  const queue = new Int32Array(values.length);
  let head = 0;
  let tail = 0;
  for (let end = 0; end < values.length + reach; end += 1) {
    if (end < values.length) {
      const value = values[end] as number;
      while (tail > head && (values[queue[tail - 1] as number] as number) >= value) tail -= 1;
      queue[tail] = end;
      tail += 1;
    }
    const centre = end - reach;
    if (centre < 0) continue;
    while ((queue[head] as number) < centre - reach) head += 1;
    out[centre] = values[queue[head] as number] as number;
  }
  return out;
}

/** Mean of the values within `reach` to either side; at the ends of those there are. */
export function slidingMean(values: Float32Array, reach: number): Float32Array {
  const out = new Float32Array(values.length);
  let sum = 0;
  for (let index = 0; index < values.length; index += 1) {
    const from = Math.max(0, index - reach);
    const to = Math.min(values.length - 1, index + reach);
    // A running sum drifts: summed anew now and then, at fixed places, so that results stay the same everywhere.
    if (index % 1024 === 0) {
      sum = 0;
      for (let at = from; at <= to; at += 1) sum += values[at] as number;
    } else {
      if (index + reach < values.length) sum += values[to] as number;
      if (index - reach - 1 >= 0) sum -= values[from - 1] as number;
    }
    out[index] = sum / (to - from + 1);
  }
  return out;
}

/** The same in place, for lists of millions: answers `values` itself. */
export function smoothInPlace(values: Float32Array, reach: number): Float32Array {
  // The window's earlier half has been overwritten already: its raw values are kept in a ring.
  const ring = new Float32Array(reach + 1);
  for (let index = 0; index < values.length; index += 1) {
    ring[index % (reach + 1)] = values[index] as number;
    const from = Math.max(0, index - reach);
    const to = Math.min(values.length - 1, index + reach);
    let sum = 0;
    for (let at = from; at <= index; at += 1) sum += ring[at % (reach + 1)] as number;
    for (let at = index + 1; at <= to; at += 1) sum += values[at] as number;
    values[index] = sum / (to - from + 1);
  }
  return values;
}

/** A stretch of hops, `end` not included. */
export interface HopRun {
  readonly start: number;
  readonly end: number;
}

/** Stretches of ones, ascending. */
export function runsOf(mask: Uint8Array): HopRun[] {
  const runs: HopRun[] = [];
  let start = -1;
  for (let index = 0; index <= mask.length; index += 1) {
    const on = index < mask.length && mask[index] === 1;
    if (on && start < 0) start = index;
    if (on || start < 0) continue;
    runs.push({ start, end: index });
    start = -1;
  }
  return runs;
}

/** Fills gaps shorter than `gap` hops between ones, then takes away stretches of ones shorter than `burst`. In place. */
export function tidy(mask: Uint8Array, gap: number, burst: number): void {
  let previous: HopRun | null = null;
  for (const run of runsOf(mask)) {
    if (previous && run.start - previous.end < gap) mask.fill(1, previous.end, run.start);
    previous = run;
  }
  for (const run of runsOf(mask)) if (run.end - run.start < burst) mask.fill(0, run.start, run.end);
}
