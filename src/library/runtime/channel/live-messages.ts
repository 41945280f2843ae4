import type { TranscriptSentence } from '../../contract/transcript.ts';
import type { ErrorJson } from '../../core/errors/errors.ts';

/** What the process that transcribes a stream is told. */
export interface LiveSettings {
  readonly options: {
    readonly language?: string | undefined;
    readonly verbatim: boolean;
    readonly translate: boolean;
    readonly vocabulary?: readonly string[] | undefined;
  };
  /** See `LiveOptions`. */
  readonly early: boolean;
  readonly modelsDir?: string | undefined;
  readonly cores?: number | undefined;
  readonly tempDir?: string | undefined;
}

/** What it answers, a line each. */
export type FromLive =
  | { readonly sentence: TranscriptSentence }
  | { readonly behindSeconds: number }
  | { readonly ended: true }
  | { readonly error: ErrorJson };
