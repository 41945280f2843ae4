/** One caption as shown on screen. */
export interface Caption {
  readonly startSeconds: number;
  readonly endSeconds: number;
  /** One or two. */
  readonly lines: readonly string[];
  readonly speaker: number | null;
}

/** A caption before its screen times are set. */
export interface SpokenCaption extends Omit<Caption, 'startSeconds' | 'endSeconds'> {
  readonly spokenFrom: number;
  readonly spokenTo: number;
  readonly cells: number;
}
