// The segmentation network's windows of ten seconds. Its frames tell which of up to three voices of the window speak.
// Voices are numbered per window (0 to 2); the numbers mean nothing in the next one.
import { speechRate } from '../speech-sound.ts';

/** Samples of a window, as in the network's training, and from one window to the next. */
export const windowSamples = 160_000;
const windowStep = 2 * speechRate;

/** Frames per window; frame i is centred at sample frameStep * i + firstCentre of it. */
export const windowFrames = 589;
const frameStep = 270;
const firstCentre = 495.5;

export const localSpeakers = 3;
/** The network's classes as sets of voices: none, each one, each two. */
export const classVoices: readonly number[] = [0b000, 0b001, 0b010, 0b100, 0b011, 0b101, 0b110];

/** First samples of the windows of a recording. Only a recording shorter than a window is padded. */
export function windowStarts(frames: number): number[] {
  if (frames === 0) return [];
  const last = Math.max(0, frames - windowSamples);
  const starts: number[] = [];
  for (let start = 0; start < last; start += windowStep) starts.push(start);
  return [...starts, last];
}

/** Position of a window's frame 0 among the frames of the recording, which have the same distance. */
export const firstFrameOf = (windowStart: number): number => Math.round(windowStart / frameStep);

/** The start of a frame of the recording, seconds: half way from the previous one. */
export const frameSeconds = (frame: number): number => ((frame - 0.5) * frameStep + firstCentre) / speechRate;

/** The first sample of a frame of the recording. */
export const frameSample = (frame: number): number => Math.max(0, Math.round(frameSeconds(frame) * speechRate));

/** Frames in this many seconds, not rounded. */
export const framesIn = (seconds: number): number => (seconds * speechRate) / frameStep;

/** The network's results for all windows. */
export interface HeardWindows {
  /** First samples of the windows. */
  readonly starts: readonly number[];
  /** For each window: its frames' sets of its own voices as bits. */
  readonly voices: Uint8Array;
}

/** Frames of a recording that are covered by a window. */
export const framesOf = ({ starts }: HeardWindows): number =>
  starts.length === 0 ? 0 : firstFrameOf(starts.at(-1) as number) + windowFrames;

/** Number of voices in a set. */
export function voicesIn(set: number): number {
  let count = 0;
  for (let left = set; left > 0; left &= left - 1) count += 1;
  return count;
}
