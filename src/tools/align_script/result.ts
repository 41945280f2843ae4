import type { RecogniserFacts } from '../../contract/tool-results.ts';

/** What align_script answers; the times are in its files. */
export interface AlignScriptResult {
  /** ISO 639 code. */
  readonly language: string;
  /** How many words the script has. */
  readonly words: number;
  /** How many of them are said; null where nothing could decide that. */
  readonly matchedWords: number | null;
  /** null: none is installed, and the script was aligned without. */
  readonly recogniser: RecogniserFacts | null;
}
