/** How a signal follows from its last samples: `a[0] = 1`, and the sum of `a[k] * x[n - k]` is its innovation. */
export interface Prediction {
  readonly coefficients: Float64Array;
  /** Of the innovation, for one sample. */
  readonly variance: number;
}

/** Noise is added to the signal, so far below it, as a share: a band without sound would be predicted too surely. */
const noiseShare = 1e-6;

/** By the autocorrelation of Hann-windowed stretches together (Levinson and Durbin). */
export function predict(stretches: readonly Float32Array[], order: number): Prediction {
  const correlation = new Float64Array(order + 1);
  let weight = 1e-12;
  for (const samples of stretches) {
    const windowed = new Float64Array(samples.length);
    for (let i = 0; i < samples.length; i += 1) {
      const window = 0.5 - 0.5 * Math.cos((2 * Math.PI * (i + 0.5)) / samples.length);
      windowed[i] = window * (samples[i] as number);
      weight += window * window;
    }
    for (let lag = 0; lag <= order; lag += 1) {
      let sum = 0;
      for (let i = lag; i < samples.length; i += 1) sum += (windowed[i] as number) * (windowed[i - lag] as number);
      correlation[lag] = (correlation[lag] as number) + sum;
    }
  }
  correlation[0] = (correlation[0] as number) * (1 + noiseShare) + 1e-12;
  const a = new Float64Array(order + 1);
  const last = new Float64Array(order + 1);
  a[0] = 1;
  let error = correlation[0];
  for (let i = 1; i <= order; i += 1) {
    let sum = correlation[i] as number;
    for (let j = 1; j < i; j += 1) sum += (a[j] as number) * (correlation[i - j] as number);
    const reflection = -sum / error;
    last.set(a);
    for (let j = 1; j < i; j += 1) a[j] = (last[j] as number) + reflection * (last[i - j] as number);
    a[i] = reflection;
    error *= 1 - reflection * reflection;
  }
  return { coefficients: a, variance: error / weight };
}

/**
 * Solves A x = b for a symmetric, positive definite A by Cholesky's method.
 * @param at A[row][column], where 0 <= row - column <= band; 0 beyond
 * @returns x
 */
export function solveBanded(
  size: number,
  band: number,
  at: (row: number, column: number) => number,
  b: Float64Array,
): Float64Array {
  // L(row, row - lag) lies at row * width + lag.
  const width = band + 1;
  const root = new Float64Array(size * width);
  for (let row = 0; row < size; row += 1) {
    for (let column = Math.max(0, row - band); column <= row; column += 1) {
      let sum = at(row, column);
      for (let k = Math.max(0, row - band); k < column; k += 1)
        sum -= (root[row * width + row - k] as number) * (root[column * width + column - k] as number);
      root[row * width + row - column] =
        row === column ? Math.sqrt(Math.max(sum, Number.MIN_VALUE)) : sum / (root[column * width] as number);
    }
  }
  const x = b.slice();
  for (let row = 0; row < size; row += 1) {
    let sum = x[row] as number;
    for (let lag = 1; lag <= Math.min(band, row); lag += 1)
      sum -= (root[row * width + lag] as number) * (x[row - lag] as number);
    x[row] = sum / (root[row * width] as number);
  }
  for (let row = size - 1; row >= 0; row -= 1) {
    let sum = x[row] as number;
    for (let lag = 1; lag <= band && row + lag < size; lag += 1)
      sum -= (root[(row + lag) * width + lag] as number) * (x[row + lag] as number);
    x[row] = sum / (root[row * width] as number);
  }
  return x;
}
