// What the segmentation network hears, and when: windows of ten seconds, each answered by frames that say which of up to
// three voices of that window speak. Voices have numbers of the window only (0 to 2), which mean nothing in the next.
import { speechRate } from '../speech-sound.ts';

/** Samples of a window, which the network was trained on, and from one window to the next. */
export const windowSamples = 160_000;
const windowStep = 2 * speechRate;

/** Frames the network answers for a window; frame i is centred at sample frameStep * i + firstCentre of it. */
export const windowFrames = 589;
const frameStep = 270;
const firstCentre = 495.5;

export const localSpeakers = 3;
/** The network's classes as sets of voices, bit by bit: nobody, each one, each two. */
export const classVoices: readonly number[] = [0b000, 0b001, 0b010, 0b100, 0b011, 0b101, 0b110];

/** First samples of the windows of a recording. Only one that is shorter than a window is padded. */
export function windowStarts(frames: number): number[] {
  if (frames === 0) return [];
  const last = Math.max(0, frames - windowSamples);
  const starts: number[] = [];
  for (let start = 0; start < last; start += windowStep) starts.push(start);
  return [...starts, last];
}

/** Where a window's frame 0 lies among the frames of the recording, which stand as far apart. */
export const firstFrameOf = (windowStart: number): number => Math.round(windowStart / frameStep);

/** When a frame of the recording begins, seconds: half way from the one before. */
export const frameSeconds = (frame: number): number => ((frame - 0.5) * frameStep + firstCentre) / speechRate;

/** The sample of the recording at which a frame of it begins. */
export const frameSample = (frame: number): number => Math.max(0, Math.round(frameSeconds(frame) * speechRate));

/** Frames in so many seconds, not rounded. */
export const framesIn = (seconds: number): number => (seconds * speechRate) / frameStep;

/** What the network heard in all windows. */
export interface HeardWindows {
  /** First samples of the windows. */
  readonly starts: readonly number[];
  /** Of each window: its frames' sets of its own voices, bit by bit. */
  readonly voices: Uint8Array;
}

/** Frames of a recording: those that a window covers. */
export const framesOf = ({ starts }: HeardWindows): number =>
  starts.length === 0 ? 0 : firstFrameOf(starts.at(-1) as number) + windowFrames;

/** How many voices a set has. */
export function voicesIn(set: number): number {
  let count = 0;
  for (let left = set; left > 0; left &= left - 1) count += 1;
  return count;
}
