import type { Segment, SegmentResult } from './segment-task.ts';

/** Samples at a time: V8 optimizes a function that runs often once, a long loop in one that runs rarely each time. */
const stretch = 4096;

function toMidSide(left: Float32Array, right: Float32Array, from: number, to: number): void {
  for (let i = from; i < to; i += 1) {
    const [l, r] = [left[i] as number, right[i] as number];
    left[i] = (l + r) / 2;
    right[i] = (l - r) / 2;
  }
}

function toLeftRight(mid: Float32Array, side: Float32Array, from: number, to: number): void {
  for (let i = from; i < to; i += 1) {
    const [m, s] = [mid[i] as number, side[i] as number];
    mid[i] = m + s;
    side[i] = m - s;
  }
}

/** A pair is processed as its mean; its difference gets the same filter. Takes the planes over. */
export function segmentOf(planes: readonly Float32Array<ArrayBuffer>[], skip: number, frames: number): Segment {
  const [main, side = null] = planes as [Float32Array<ArrayBuffer>, Float32Array<ArrayBuffer> | undefined];
  const { length } = main;
  if (side) for (let at = 0; at < length; at += stretch) toMidSide(main, side, at, Math.min(length, at + stretch));
  return { main, side, skip, frames };
}

export function planesOf({ main, side }: SegmentResult): Float32Array<ArrayBuffer>[] {
  if (!side) return [main];
  const { length } = main;
  for (let at = 0; at < length; at += stretch) toLeftRight(main, side, at, Math.min(length, at + stretch));
  return [main, side];
}
