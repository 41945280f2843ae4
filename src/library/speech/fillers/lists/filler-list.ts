/** The sounds of hesitation of one language, and what only looks like one. Data alone: `lists/<language>.ts`. */
export interface FillerList {
  /**
   * Never a word of the language, however it is stretched: patterns of the whole word, lower case, without punctuation
   * ("u+m+" for "um", "uhmm" is its own).
   */
  readonly always: readonly string[];
  /**
   * Words of the language, too: fillers only where they are set apart from what is said, by commas or pauses on both
   * sides, and drawn out.
   */
  readonly setApart: readonly string[];
  /** For `setApart` it is enough that a comma or a pause follows: what is said before runs into it. Default false. */
  readonly apartAfter?: boolean;
  /** In front of these a filler means something: "uh oh", "uh huh". */
  readonly notBefore?: readonly string[];
  /** Said twice on purpose: "very very good", "no no". */
  readonly doubled: readonly string[];
  /** Join a word to itself: "over and over and over". */
  readonly joining: readonly string[];
}
