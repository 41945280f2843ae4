/** A word of a caption, or a part of one that is longer than a line. */
export interface CaptionWord {
  readonly text: string;
  readonly startSeconds: number;
  readonly endSeconds: number;
  /** Index of its line. */
  readonly line: number;
  /** A space goes before it, unless it starts a line. */
  readonly spaced: boolean;
  /** Of the transcript that is edited. */
  readonly number?: number;
}

/** One caption as shown on screen. */
export interface Caption {
  readonly startSeconds: number;
  readonly endSeconds: number;
  /** One or two. */
  readonly lines: readonly string[];
  readonly speaker: number | null;
  /** Those of its lines, without the speaker's name. Absent for subtitles that keep their own lines. */
  readonly words?: readonly CaptionWord[];
}

/** A caption before its screen times are set. */
export interface SpokenCaption extends Omit<Caption, 'startSeconds' | 'endSeconds'> {
  readonly spokenFrom: number;
  readonly spokenTo: number;
  readonly cells: number;
}
