import { nativeKernels } from './load.ts';

/** Frames of the recording, per word: earliest and latest start and end. Each list never falls. */
export interface AlignmentWindows {
  readonly earliestStart: Int32Array;
  readonly latestStart: Int32Array;
  readonly earliestEnd: Int32Array;
  /** The frame after the word. */
  readonly latestEnd: Int32Array;
}

export interface AlignmentOptions {
  /** Numbers per frame, 1 to 256. */
  readonly dimensions: number;
  /** Frame after frame; only frames of words, in order. */
  readonly reference: Float32Array;
  /** First frame of each word in the reference and, last, the number of frames. Each word has at least one. */
  readonly wordStarts: Int32Array;
  /** Cost of a pause before each word and, last, after the last one. */
  readonly gapEntry: Float32Array;
  readonly windows: AlignmentWindows;
  /** Number of frames of the recording that will be pushed, up to 16777216. */
  readonly frames: number;
  /** 1 / the distance of a random pair of frames. */
  readonly scale: number;
}

export interface AlignedWords {
  /** First frame of each word in the recording. */
  readonly starts: Int32Array;
  /** The frame after its last. */
  readonly ends: Int32Array;
  /** Mean distance of a word's frames from the reference; about 1 for unrelated sound. */
  readonly costs: Float32Array;
}

export interface Alignment {
  /** @param gapCosts cost of each frame outside of words */
  push(features: Float32Array, gapCosts: Float32Array, frames: number): void;
  /**
   * One block of frames of the backtrace, after all were pushed: takes about as long as pushing them.
   * @returns true at the beginning of the recording
   */
  trace(): boolean;
  /** After the last `trace`; null when no path fits the windows. */
  result(): AlignedWords | null;
}

/**
 * Aligns a recording with a reference of the same words: Viterbi over the reference's frames from left to right, one
 * step per frame of the recording (stay .12, one on 0, skip one .12, skip two .36), with a gap state before each word
 * and after the last. Distances are Euclidean, times `scale`. Every word gets at least one frame. Memory: both feature
 * lists, and at most 16 MB of back pointers at a time (or 64 rows of the band).
 * @throws TypeError on lists of the wrong length, falling windows, too many frames.
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
