import type { RecogniserFacts } from '../../contract/tool-results.ts';

/** What transcribe_audio answers; what is said is in its files. */
export interface TranscribeAudioResult {
  /** ISO 639 code. */
  readonly language: string;
  readonly recogniser: RecogniserFacts;
  /** null without speaker labels. */
  readonly speakerCount: number | null;
  /** How many there are. */
  readonly sentences: number;
  /** How many there are. */
  readonly words: number;
  readonly durationSeconds: number;
}
