import type { RecogniserFacts } from '../../contract/tool-results.ts';

/** What align_script answers; the times are in its files. */
export interface AlignScriptResult {
  /** ISO 639 code. */
  readonly language: string;
  /** How many words the script has. */
  readonly words: number;
  /** How many of them are said; null where nothing could decide that. */
  readonly matchedWords: number | null;
  /** Passages that cannot have been said, because the script is far longer than the recording; their words are in no file. */
  readonly leftOut: readonly LeftOutScript[];
  /** null: none is installed, and the script was aligned without. */
  readonly recogniser: RecogniserFacts | null;
}

/** A passage of a script that was not looked for. */
export interface LeftOutScript {
  /** How many words it has. */
  readonly words: number;
  /** Its first words, as the script has them. */
  readonly begins: string;
  /** Its last words. */
  readonly ends: string;
  /** Seconds of the recording at which it stands in the script. */
  readonly atSeconds: number;
}
