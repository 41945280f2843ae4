/** Where a stretch of a recording lies. */
export interface AlignedPiece {
  /** In the recording. */
  readonly startSeconds: number;
  readonly endSeconds: number;
  /** Added to `startSeconds` it is the place in the reference; negative: before its beginning. To a microsecond. */
  readonly offsetSeconds: number;
  /** By how much the reference counts more seconds than the recording, in a million. */
  readonly driftPpm: number;
}

/** The result of align_recordings. */
export interface AlignRecordingsResult {
  /** Number of the recording whose clock counts, from 1. */
  readonly reference: number;
  /** In the order of the inputs. */
  readonly recordings: readonly {
    /** Of the file. */
    readonly name: string;
    readonly durationSeconds: number;
    /** Stretches that hang together, in order; [] where nothing in common with the reference was found. */
    readonly pieces: readonly AlignedPiece[];
    /** Is the recording upside down against the reference? null: not known, as in most rooms. */
    readonly polarity: 'inverted' | 'same' | null;
    /** 0 to 1, of its place. */
    readonly confidence: number;
  }[];
  /** Of those that were compared, in no order. */
  readonly pairs: readonly {
    /** Number of the shorter recording, from 1. */
    readonly a: number;
    /** Number of the longer one, from 1. */
    readonly b: number;
    /** Do they hold the same event? */
    readonly related: boolean;
    /** 0 to 1; 0 where they are not related. */
    readonly confidence: number;
    /** How many segments of the shorter recording were looked for in the other. */
    readonly segments: number;
    /** How many of them agree on one line; at most `segments`. */
    readonly agreeing: number;
    /** Of the windows with sound, those that match: 0 to 1. */
    readonly share: number;
    /** What they are to each other; null where nothing in common was found. */
    readonly kind: 'copy' | 'own_microphones' | 'room' | 'call' | null;
    /**
     * Of a call whose delay jumps, the stretches of `a` with one delay; [] elsewhere. `offsetSeconds` and `a`'s time
     * times 1 and the drift, in a million, is the place in `b`. Files are written by the usual delay, not by these.
     */
    readonly delays: readonly {
      readonly startSeconds: number;
      readonly endSeconds: number;
      readonly offsetSeconds: number;
    }[];
  }[];
  /** Where the outputs begin in the reference's time, and their length; null: none were written. */
  readonly written: { readonly startSeconds: number; readonly durationSeconds: number } | null;
}
