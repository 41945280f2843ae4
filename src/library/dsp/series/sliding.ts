// Sliding windows over a list of values, in linear time.

/** Least value within `reach` to either side. @param out output array; may be `values` itself */
export function slidingMin(
  values: Float32Array,
  reach: number,
  out: Float32Array = new Float32Array(values.length),
): Float32Array {
  // A ring of rising values with their positions: the first is the least of the window.
  const size = 2 * reach + 2;
  const places = new Int32Array(size);
  const least = new Float32Array(size);
  let head = 0;
  let tail = 0;
  for (let end = 0; end < values.length + reach; end += 1) {
    if (end < values.length) {
      const value = values[end] as number;
      while (tail > head && (least[(tail - 1) % size] as number) >= value) tail -= 1;
      places[tail % size] = end;
      least[tail % size] = value;
      tail += 1;
    }
    const centre = end - reach;
    if (centre < 0) continue;
    while ((places[head % size] as number) < centre - reach) head += 1;
    out[centre] = least[head % size] as number;
  }
  return out;
}

/** Mean of the values within `reach` to either side; fewer at the ends. */
export function slidingMean(values: Float32Array, reach: number): Float32Array {
  const out = new Float32Array(values.length);
  const next = runningMean(values.length, reach, (index) => values[index] as number);
  for (let index = 0; index < out.length; index += 1) out[index] = next();
  return out;
}

/**
 * The same for values that are computed on demand, `reach` ahead and again when they leave the window: returns the
 * means one by one.
 */
export function runningMean(length: number, reach: number, valueAt: (index: number) => number): () => number {
  const mean = new RunningMean(length, reach, valueAt);
  return () => mean.next();
}

/** A class, since V8 keeps the optimized code of methods, not that of a function that is made for each list. */
class RunningMean {
  private readonly length: number;
  private readonly reach: number;
  private readonly valueAt: (index: number) => number;
  private index = 0;
  private sum = 0;

  constructor(length: number, reach: number, valueAt: (index: number) => number) {
    this.length = length;
    this.reach = reach;
    this.valueAt = valueAt;
  }

  next(): number {
    const { index, length, reach } = this;
    const from = Math.max(0, index - reach);
    const to = Math.min(length - 1, index + reach);
    // A running sum drifts: recomputed at fixed positions, so that results are the same everywhere.
    if (index % 1024 === 0) {
      this.sum = 0;
      for (let at = from; at <= to; at += 1) this.sum += this.valueAt(at);
    } else {
      if (index + reach < length) this.sum += this.valueAt(to);
      if (index - reach - 1 >= 0) this.sum -= this.valueAt(from - 1);
    }
    this.index += 1;
    return Math.fround(this.sum / (to - from + 1));
  }
}

/** The same in place, for lists of millions: returns `values` itself. */
export function smoothInPlace(values: Float32Array, reach: number): Float32Array {
  // The earlier half of the window is already overwritten: its original values are kept in a ring.
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

/** A stretch of hops, `end` exclusive. */
export interface HopRun {
  readonly start: number;
  readonly end: number;
}

/** Visits stretches of ones, ascending; the visitor may change the mask up to the stretch's end. */
export function visitRuns(mask: Uint8Array, visit: (start: number, end: number) => void): void {
  let start = -1;
  for (let index = 0; index <= mask.length; index += 1) {
    const on = index < mask.length && mask[index] === 1;
    if (on && start < 0) start = index;
    if (on || start < 0) continue;
    visit(start, index);
    start = -1;
  }
}

/** Stretches of ones, ascending. */
export function runsOf(mask: Uint8Array): HopRun[] {
  const runs: HopRun[] = [];
  visitRuns(mask, (start, end) => runs.push({ start, end }));
  return runs;
}

/** Fills gaps shorter than `gap` hops between ones, then removes stretches of ones shorter than `burst`. In place. */
export function tidy(mask: Uint8Array, gap: number, burst: number): void {
  let previousEnd = Number.NEGATIVE_INFINITY;
  visitRuns(mask, (start, end) => {
    if (start - previousEnd < gap) mask.fill(1, previousEnd, start);
    previousEnd = end;
  });
  visitRuns(mask, (start, end) => {
    if (end - start < burst) mask.fill(0, start, end);
  });
}
