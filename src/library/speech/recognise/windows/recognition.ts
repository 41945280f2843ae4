import type { FanOut } from '../../../core/machine/fan-out.ts';
import type { FinishedParts } from '../../../core/progress/finished-parts.ts';
import type { RecogniserModel } from '../../../models/recognisers.ts';
import type { SpeechSound } from '../../speech-sound.ts';
import type { SpokenWord } from '../../spoken-word.ts';

/** The words of one stretch of the recording. */
export interface RecognisedRegion {
  readonly startSeconds: number;
  readonly endSeconds: number;
  /** In order of time, all within the region. */
  readonly words: readonly SpokenWord[];
}

export interface Recognition {
  /** ISO 639-1, as Whisper names languages: "en". */
  readonly language: string;
  /** It was asked for, or no other one is likely. */
  readonly isLanguageTold: boolean;
  /** The recogniser that was used. */
  readonly recogniser: { readonly id: string; readonly title: string };
  /** In order of time, each as soon as it is known. Iterate once. */
  readonly regions: AsyncIterable<RecognisedRegion>;
}

export interface RecogniseOptions {
  /** As Whisper names it, "en"; default: detected. */
  readonly language?: string | undefined;
  /** Languages of which one is detected, as far as the recogniser has them; default: all. */
  readonly among?: readonly string[] | undefined;
  /** Also transcribe fillers and false starts. */
  readonly verbatim: boolean;
  /** Write down in English what is said in another language. Default false. */
  readonly translate?: boolean | undefined;
  /** Names and terms that may be said, as they are written. Default: none. */
  readonly vocabulary?: readonly string[] | undefined;
  /** The recogniser to use, see `findRecogniser`; default: EARSHOT_RECOGNISER, else whisper-base. */
  readonly recogniser?: string | undefined;
  /** Folder of the models; undefined: the usual places. */
  readonly modelsDir: string | undefined;
  /** Windows that an interrupted run has read. Default: none, and none are remembered. */
  readonly finished?: FinishedParts | undefined;
  /** Larger recognisers use fewer threads, see `FanOut.lanes`. */
  readonly fanOut: FanOut;
  readonly signal: AbortSignal;
  /** 0 to 1, in seconds of the recording's speech. */
  onProgress(fraction: number): void;
}

/** What is to be recognised. */
export interface RecognitionTask {
  readonly sound: SpeechSound;
  readonly options: RecogniseOptions;
}

/** How a family of recognisers reads a recording. */
export type RecogniseWith = (task: RecognitionTask, model: RecogniserModel) => Promise<Recognition>;
