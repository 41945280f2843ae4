/** A stretch of a recording, seconds from its start. */
export interface TimeRange {
  readonly startSeconds: number;
  /** Not before the start; not part of it where that matters. */
  readonly endSeconds: number;
}
