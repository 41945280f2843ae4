/** Cholesky's root L of a symmetric, positive definite A = L L'. */
export interface Root {
  /** L(row, row - lag) lies at row * width + lag; width is the band and 1. */
  readonly values: Float64Array;
  readonly size: number;
  readonly band: number;
}

/** @param at A[row][column], where 0 <= row - column <= band; 0 beyond */
export function rootOf(size: number, band: number, at: (row: number, column: number) => number): Root {
  const width = band + 1;
  const values = new Float64Array(size * width);
  for (let row = 0; row < size; row += 1) {
    for (let column = Math.max(0, row - band); column <= row; column += 1) {
      let sum = at(row, column);
      for (let k = Math.max(0, row - band); k < column; k += 1)
        sum -= (values[row * width + row - k] as number) * (values[column * width + column - k] as number);
      values[row * width + row - column] =
        row === column ? Math.sqrt(Math.max(sum, Number.MIN_VALUE)) : sum / (values[column * width] as number);
    }
  }
  return { values, size, band };
}

/** x of L x = b. */
export function solveRoot({ values, size, band }: Root, b: Float64Array): Float64Array {
  const width = band + 1;
  const x = b.slice();
  for (let row = 0; row < size; row += 1) {
    let sum = x[row] as number;
    for (let lag = 1; lag <= Math.min(band, row); lag += 1)
      sum -= (values[row * width + lag] as number) * (x[row - lag] as number);
    x[row] = sum / (values[row * width] as number);
  }
  return x;
}

/** x of L' x = b. */
export function solveTransposed({ values, size, band }: Root, b: Float64Array): Float64Array {
  const width = band + 1;
  const x = b.slice();
  for (let row = size - 1; row >= 0; row -= 1) {
    let sum = x[row] as number;
    for (let lag = 1; lag <= band && row + lag < size; lag += 1)
      sum -= (values[(row + lag) * width + lag] as number) * (x[row + lag] as number);
    x[row] = sum / (values[row * width] as number);
  }
  return x;
}

/** Half of the logarithm of A's determinant. */
export function halfLogDeterminant({ values, size, band }: Root): number {
  let sum = 0;
  for (let row = 0; row < size; row += 1) sum += Math.log(values[row * (band + 1)] as number);
  return sum;
}
