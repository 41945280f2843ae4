/** How a recogniser is made to write hesitations down. */
export interface Hesitation {
  /** The text before a recording that makes Whisper keep hesitations: people thinking aloud. */
  readonly prompt: string;
  /** Hesitation sounds, with drawn-out letters written once. */
  readonly sounds: readonly string[];
}

/** The hesitation sounds of one language, and words that only look like them. Data alone: `lists/<language>.ts`. */
export interface FillerList {
  /**
   * Never words of the language, however stretched: patterns of the whole word, lower case, without punctuation ("u+m+"
   * for "um"; "uhmm" has its own).
   */
  readonly always: readonly string[];
  /**
   * Also words of the language: fillers only where they are set apart, by commas or pauses on both sides, and drawn
   * out.
   */
  readonly setApart: readonly string[];
  /** A comma or pause after a word in `setApart` is enough: earlier speech runs into it. Default false. */
  readonly apartAfter?: boolean;
  /** Before these a filler has a meaning: "uh oh", "uh huh". */
  readonly notBefore?: readonly string[];
  /** Deliberate doublings: "very very good", "no no". */
  readonly doubled: readonly string[];
  /** Words that join a word to itself: "over and over and over". */
  readonly joining: readonly string[];
  /** Default: a verbatim transcript is read without a prompt. */
  readonly hesitation?: Hesitation;
}
