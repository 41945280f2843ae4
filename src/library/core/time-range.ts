/** A stretch of a recording, seconds from its start. */
export interface TimeRange {
  readonly startSeconds: number;
  /** At or after the start; exclusive where that matters. */
  readonly endSeconds: number;
}
