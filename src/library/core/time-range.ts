/** A stretch of a recording, seconds from its start. */
export interface TimeRange {
  readonly startSeconds: number;
  /** At or after the start; exclusive where that matters. */
  readonly endSeconds: number;
}

/** A stretch that a result has as [start, end]. */
export const asRange = ([startSeconds, endSeconds]: readonly [number, number]): TimeRange => ({
  startSeconds,
  endSeconds,
});
