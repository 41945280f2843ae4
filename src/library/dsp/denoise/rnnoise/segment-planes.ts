import type { Segment, SegmentResult } from './segment-task.ts';

/** A pair is processed as its mean; its difference gets the same filter. Takes the planes over. */
export function segmentOf(planes: readonly Float32Array<ArrayBuffer>[], skip: number, frames: number): Segment {
  const [main, side = null] = planes as [Float32Array<ArrayBuffer>, Float32Array<ArrayBuffer> | undefined];
  if (side) {
    for (let i = 0; i < main.length; i += 1) {
      const [left, right] = [main[i] as number, side[i] as number];
      main[i] = (left + right) / 2;
      side[i] = (left - right) / 2;
    }
  }
  return { main, side, skip, frames };
}

export function planesOf({ main, side }: SegmentResult): Float32Array<ArrayBuffer>[] {
  if (!side) return [main];
  const [left, right] = [main, side];
  for (let i = 0; i < left.length; i += 1) {
    const [m, s] = [left[i] as number, right[i] as number];
    left[i] = m + s;
    right[i] = m - s;
  }
  return [left, right];
}
