import type { Stage } from '../pcm/stage.ts';

/** Shapes of a fade, by how loud a share of it is: 0 at its silent end, 1 at the other. */
export const fadeCurves = {
  /** Straight in amplitude. */
  linear: (share: number) => share,
  /** A quarter of a sine: equal power, -3 dB in the middle. For crossing from one sound to another. */
  sine: (share: number) => Math.sin((Math.PI / 2) * share),
  /** Half a sine: it begins and ends gently, -6 dB in the middle. */
  smooth: (share: number) => (1 - Math.cos(Math.PI * share)) / 2,
  /** Straight in decibels, over 100 dB. */
  exponential: (share: number) => (share <= 0 ? 0 : 10 ** (-5 * (1 - share))),
} as const;

export type FadeCurve = keyof typeof fadeCurves;

export interface Fades {
  /** Frames from silence to full level at the beginning; 0: none. */
  readonly inFrames: number;
  /** Frames from full level to silence at the end; 0: none. */
  readonly outFrames: number;
  readonly curve: FadeCurve;
  /** Length of the sound. */
  readonly totalFrames: number;
}

/**
 * Fades in and out; the first frame of a fade in is silent, and so is the one behind a fade out, as in ffmpeg's afade.
 * Samples outside of the fades stay as they are. Fades that overlap are multiplied.
 */
export function fade({ inFrames, outFrames, curve, totalFrames }: Fades): Stage {
  const gainAt = fadeCurves[curve];
  let position = 0;
  return {
    latencyFrames: 0,
    open(format) {
      position = 0;
      return format;
    },
    process(block, emit) {
      const outFrom = totalFrames - outFrames;
      const scale = (from: number, to: number, gain: (frame: number) => number): void => {
        for (let frame = Math.max(from, position); frame < Math.min(to, position + block.frames); frame += 1) {
          const factor = gain(frame);
          for (const plane of block.planes) plane[frame - position]! *= factor;
        }
      };
      if (inFrames > 0) scale(0, inFrames, (frame) => gainAt(frame / inFrames));
      if (outFrames > 0)
        scale(outFrom, Number.POSITIVE_INFINITY, (frame) => gainAt(Math.max(0, totalFrames - frame) / outFrames));
      position += block.frames;
      emit(block);
    },
    flush: () => undefined,
    close: () => undefined,
  };
}
