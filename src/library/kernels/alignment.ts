import { nativeKernels } from './load.ts';

/** Frames of the recording, per word: from when and until when it may begin and end. Each list never falls. */
export interface AlignmentWindows {
  readonly earliestStart: Int32Array;
  readonly latestStart: Int32Array;
  readonly earliestEnd: Int32Array;
  /** The frame behind the word. */
  readonly latestEnd: Int32Array;
}

export interface AlignmentOptions {
  /** Numbers per frame, 1 to 256. */
  readonly dimensions: number;
  /** Frame after frame; only frames of words, in their order. */
  readonly reference: Float32Array;
  /** First frame of each word in the reference and, last, how many there are. Each word has one or more. */
  readonly wordStarts: Int32Array;
  /** Cost of a pause in front of each word and, last, behind the last one. */
  readonly gapEntry: Float32Array;
  readonly windows: AlignmentWindows;
  /** Frames of the recording that will be pushed, up to 16777216. */
  readonly frames: number;
  /** 1 / the distance of a random pair of frames. */
  readonly scale: number;
}

export interface AlignedWords {
  /** First frame of each word in the recording. */
  readonly starts: Int32Array;
  /** The frame behind its last. */
  readonly ends: Int32Array;
  /** Mean distance of a word's frames from the reference; about 1 for what has nothing to do with it. */
  readonly costs: Float32Array;
}

export interface Alignment {
  /** @param gapCosts what each frame costs where it belongs to no word */
  push(features: Float32Array, gapCosts: Float32Array, frames: number): void;
  /**
   * One block of frames of the way back, after all were pushed: about as long as pushing them took.
   * @returns true at the beginning of the recording
   */
  trace(): boolean;
  /** After the last `trace`; null when no way keeps to the windows. */
  result(): AlignedWords | null;
}

/**
 * Aligns a recording with a reference of the same words: Viterbi over the reference's frames from left to right, one
 * step per frame of the recording (stay .12, one on 0, skip one .12, skip two .36), with a gap state in front of each
 * word and behind the last. Distances are Euclidean, times `scale`. Every word gets a frame or more.
 * Memory: both feature lists, and at most 16 MB of back pointers at a time (or 64 rows of the band).
 * @throws TypeError on lists of the wrong length, windows that fall, too many frames.
 */
export function createAlignment(options: AlignmentOptions): Alignment {
  const native = nativeKernels();
  const { dimensions, reference, wordStarts, gapEntry, windows, frames, scale } = options;
  const { earliestStart, latestStart, earliestEnd, latestEnd } = windows;
  const handle = native.alignmentCreate(
    dimensions,
    reference,
    wordStarts,
    gapEntry,
    earliestStart,
    latestStart,
    earliestEnd,
    latestEnd,
    frames,
    scale,
  );
  return {
    push: (features, gapCosts, count) => native.alignmentPush(handle, features, gapCosts, count),
    trace: () => native.alignmentTrace(handle),
    result: () => native.alignmentResult(handle),
  };
}
