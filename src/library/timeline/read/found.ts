// What a reader finds in a timeline of another program.

/** A part of a recording in its place. Seconds. */
export interface FoundClip {
  /** Of the recording's file, as the timeline names it; empty where it does not. */
  readonly name: string;
  /** From the recording's first sample. */
  readonly startSeconds: number;
  readonly endSeconds: number;
  readonly atSeconds: number;
}

export interface FoundTimeline {
  /** Of its first track that has any, in order. */
  readonly clips: readonly FoundClip[];
  /** What it says besides, in words, each once: "effects", "2 more tracks". */
  readonly ignored: readonly string[];
}

/** More clips than any edit has; a file that says so was made to. */
export const mostClips = 100_000;
