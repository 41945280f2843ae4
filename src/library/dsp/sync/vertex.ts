/** Where a parabola through three values has its vertex, from the middle one; 0 where it has none above. */
export function vertex(before: number, middle: number, after: number): number {
  const bend = before - 2 * middle + after;
  return bend < 0 ? (0.5 * (before - after)) / bend : 0;
}
