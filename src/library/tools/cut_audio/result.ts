import type { MovedEdge } from '../declare/moved-edge.ts';

/** The result of cut_audio. */
export interface CutAudioResult {
  /** The kept ranges in the order of the output, as [start, end] in seconds of the input. */
  readonly keptRanges: readonly (readonly [startSeconds: number, endSeconds: number])[];
  readonly keptSeconds: number;
  readonly removedSeconds: number;
  /** Of each stretch its begin and its end; only with keep_encoding. */
  readonly edges?: readonly MovedEdge[];
  /** What was muted, as `keptRanges`; only with mode mute. */
  readonly mutedRanges?: readonly (readonly [startSeconds: number, endSeconds: number])[];
  /** What the edited text changed; only where it was cut by text. */
  readonly text?: CutByText;
}

/** What an edited text changed. */
export interface CutByText {
  /** The recogniser that transcribed; null where a transcript was given. */
  readonly recogniser: string | null;
  /** Number of words that were cut out. */
  readonly removedWords: number;
  /** Number of words in another place, or in a second one. */
  readonly movedWords: number;
  /** Words that the text writes differently. Their sound stays as it was. */
  readonly changed: readonly {
    /** In the recording. */
    readonly from: string;
    /** In the edited text. */
    readonly to: string;
    /** Start in the input, seconds. */
    readonly startSeconds: number;
  }[];
  /** Passages of the text that are not in the recording, and so not in the output. */
  readonly added: readonly string[];
  /** Passages that stay although the text has deleted them: others speak at the same time. */
  readonly overlapped: readonly string[];
}
