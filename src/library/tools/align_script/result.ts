import type { LeftOutScript, RecogniserFacts } from '../../contract/tool-results.ts';

/** The result of align_script; the times are in its files. */
export interface AlignScriptResult {
  /** ISO 639 code. */
  readonly language: string;
  /** Number of words in the script. */
  readonly words: number;
  /** How many of them were found in the recording; null where no recogniser checked, or where it heard too little. */
  readonly matchedWords: number | null;
  /** Something else is said in the recording: none of the words was found. */
  readonly seemsOtherRecording: boolean;
  /**
   * Passages that cannot have been spoken, because the script is far longer than the recording; their words are in no
   * file.
   */
  readonly leftOut: readonly LeftOutScript[];
  /** null: none is installed, and the script was aligned without one. */
  readonly recogniser: RecogniserFacts | null;
}
