import type { VoiceDecision } from '../../contract/voice-print.ts';
import type { RecogniserFacts } from '../../contract/tool-results.ts';

/** The result of transcribe_audio; the text is in its files. */
export interface TranscribeAudioResult {
  /** ISO 639 code. */
  readonly language: string;
  /** ISO 639 code of what is said, where the transcript is a translation. */
  readonly translatedFrom?: string;
  readonly recogniser: RecogniserFacts;
  /** null without speaker labels. */
  readonly speakerCount: number | null;
  /** Where `voices` were given: what is known of each speaker's voice, in the order of the numbers. */
  readonly voices?: readonly VoiceDecision[];
  /** Number of sentences. */
  readonly sentences: number;
  /** Number of words. */
  readonly words: number;
  readonly durationSeconds: number;
  /** Number of sounds that were heard beside speech, where they were asked for. */
  readonly soundEvents?: number;
}
