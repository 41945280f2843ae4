const rounds = 60;

/** Eigenvalue of greatest magnitude of a symmetric matrix, with its vector, by power iteration. */
export function principalAxis(matrix: Float64Array): { readonly value: number; readonly vector: Float64Array } {
  const size = Math.sqrt(matrix.length);
  let vector = Float64Array.from({ length: size }, (_, i) => 1 + i / size);
  let value = 0;
  for (let round = 0; round < rounds; round += 1) {
    const next = vector.map((_, i) => vector.reduce((sum, x, j) => sum + (matrix[i * size + j] as number) * x, 0));
    value = Math.hypot(...next);
    if (value < 1e-12) break;
    vector = next.map((x) => x / value);
  }
  return { value, vector };
}
