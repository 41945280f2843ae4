/** Where a stretch was asked to begin or end, and where it does, in seconds of its recording. */
export interface MovedEdge {
  readonly askedSeconds: number;
  readonly givenSeconds: number;
}
