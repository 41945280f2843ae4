// When tokens were said, read from where the decoder's attention lay while it chose them (whisper/timing.py): over the
// tokens, each position's attention is brought to mean 0 and deviation 1, smoothed by a median, averaged over the heads,
// and the cheapest monotonous path through it gives every token its time.

/** Positions of the encoder a second. */
const positionsPerSecond = 50;
const medianWidth = 7;

/** Median of 7 along each row; the ends are mirrored. */
function smooth(values: Float32Array, width: number): void {
  const reach = (medianWidth - 1) / 2;
  if (width <= reach) return;
  const around = new Float32Array(medianWidth);
  const row = new Float32Array(width);
  for (let start = 0; start < values.length; start += width) {
    row.set(values.subarray(start, start + width));
    for (let at = 0; at < width; at += 1) {
      // An insertion sort: seven values, most of them in order.
      for (let k = 0; k < medianWidth; k += 1) {
        let from = Math.abs(at + k - reach);
        if (from >= width) from = 2 * (width - 1) - from;
        const value = row[from] ?? 0;
        let to = k;
        while (to > 0 && (around[to - 1] ?? 0) > value) {
          around[to] = around[to - 1] ?? 0;
          to -= 1;
        }
        around[to] = value;
      }
      values[start + at] = around[reach] ?? 0;
    }
  }
}

/** [tokens][positions]: how well each position fits each token. */
function fits(attention: readonly Float32Array[], heads: number, positions: number): Float32Array {
  const count = attention.length;
  const total = new Float32Array(count * positions);
  const one = new Float32Array(count * positions);
  for (let head = 0; head < heads; head += 1) {
    for (const [token, values] of attention.entries()) {
      const row = values.subarray(head * positions, (head + 1) * positions);
      // What lies behind the sound does not count: the rest is brought to 1 again.
      let sum = 0;
      for (const value of row) sum += value;
      const scale = sum > 0 ? 1 / sum : 0;
      for (let at = 0; at < positions; at += 1) one[token * positions + at] = (row[at] ?? 0) * scale;
    }
    const [mean, deviation] = [new Float64Array(positions), new Float64Array(positions)];
    for (let token = 0; token < count; token += 1) {
      const start = token * positions;
      for (let at = 0; at < positions; at += 1) {
        const value = one[start + at] as number;
        (mean[at] as number) += value;
        (deviation[at] as number) += value * value;
      }
    }
    for (let at = 0; at < positions; at += 1) {
      const middle = (mean[at] as number) / count;
      mean[at] = middle;
      deviation[at] = Math.sqrt(Math.max((deviation[at] as number) / count - middle * middle, 1e-20));
    }
    for (let token = 0; token < count; token += 1) {
      const start = token * positions;
      for (let at = 0; at < positions; at += 1)
        one[start + at] = ((one[start + at] as number) - (mean[at] as number)) / (deviation[at] as number);
    }
    smooth(one, positions);
    for (let index = 0; index < total.length; index += 1)
      total[index] = (total[index] ?? 0) + (one[index] ?? 0) / heads;
  }
  return total;
}

/**
 * When each token begins, seconds from the start of the window; one more for the end of the last.
 * @param attention per token: of each head `positions` values
 */
export function tokenTimes(attention: readonly Float32Array[], heads: number, positions: number): number[] {
  const count = attention.length;
  if (count === 0 || positions === 0) return [0, 0];
  const fit = fits(attention, heads, positions);
  // Dynamic time warping: steps to the next token, the next position, or both.
  const came = new Uint8Array(count * positions);
  let before = new Float64Array(positions).fill(Infinity);
  for (let token = 0; token < count; token += 1) {
    const costs = new Float64Array(positions);
    for (let at = 0; at < positions; at += 1) {
      const both = at > 0 ? (before[at - 1] ?? Infinity) : token === 0 ? 0 : Infinity;
      const next = before[at] ?? Infinity;
      const stay = at > 0 ? (costs[at - 1] ?? Infinity) : Infinity;
      const start = token === 0 && at === 0;
      const way = start || (both < next && both < stay) ? 0 : next < both && next < stay ? 1 : 2;
      came[token * positions + at] = way;
      costs[at] = (start ? 0 : way === 0 ? both : way === 1 ? next : stay) - (fit[token * positions + at] ?? 0);
    }
    before = costs;
  }
  const times = Array.from({ length: count + 1 }, () => positions / positionsPerSecond);
  for (let token = count - 1, at = positions - 1; token >= 0 && at >= 0;) {
    times[token] = at / positionsPerSecond;
    const way = came[token * positions + at];
    if (way !== 1) at -= 1;
    if (way !== 2) token -= 1;
  }
  times[0] = 0;
  return times;
}
