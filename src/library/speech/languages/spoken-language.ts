// What the tools know of one spoken language, as data: a file for each. Everything has to be said, with null
// where a language has none, so that nothing is forgotten in a new one. `npm run generate` takes it into the lists.

/** How a recogniser is made to write hesitations down. */
export interface Hesitation {
  /** The text before a recording that makes Whisper keep hesitations: people thinking aloud. */
  readonly prompt: string;
  /** Hesitation sounds, with drawn-out letters written once. */
  readonly sounds: readonly string[];
}

/** The hesitation sounds of one language, and words that only look like them. */
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
  readonly hesitation: Hesitation;
}

/** Words with a full stop that does not end a sentence: lower case, without the last stop, with spaces between them. */
export interface Stops {
  /** Always followed by a name or a word: "Dr. Weber", "z. B. morgen". */
  readonly before: string;
  /** Only before a number: "No. 5", but "No. I won't." */
  readonly beforeNumber?: string;
  /** Inside a sentence or at its end: "etc.", "p.m." */
  readonly either?: string;
  /** "am 3. Mai": ordinal numbers have a full stop. */
  readonly ordinals?: boolean;
}

/** One language. Codes are ISO 639-1. */
export interface SpokenLanguage {
  /** null: remove_fillers does not know the language, and it is transcribed without a hesitating prompt. */
  readonly fillers: FillerList | null;
  /** null: those of English, which are most widely used. */
  readonly stops: Stops | null;
  /** Abbreviations as they are read aloud; with their full stop, in lower case. */
  readonly spokenForms: Readonly<Record<string, string>>;
  /** Dollars, euros, pounds and yen as they are read aloud; null: the signs stay. */
  readonly currencies: readonly [string, string, string, string] | null;
  /** Words that are common in it and rare in others, with spaces between them; null: its letters tell it. */
  readonly commonWords: string | null;
}
