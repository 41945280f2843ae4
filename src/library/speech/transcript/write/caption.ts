/** One caption as it stands on the screen. */
export interface Caption {
  readonly startSeconds: number;
  readonly endSeconds: number;
  /** One or two. */
  readonly lines: readonly string[];
  readonly speaker: number | null;
}

/** A caption before it has its times on the screen. */
export interface SpokenCaption extends Omit<Caption, 'startSeconds' | 'endSeconds'> {
  readonly spokenFrom: number;
  readonly spokenTo: number;
  readonly cells: number;
}
