import type { Frame } from 'node-av/lib';

/** Samples below this are silence in 16 bits: a thirty-second of the smallest step, -120 dBFS. */
const nothing = 2 ** -20;
/** The same as the bits of a float without its sign, which grow with its magnitude: one comparison for both signs. */
const nothingBits = 0x3580_0000;
const withoutSign = 0x7fff_ffff;

/** By itself: a closure in the loop over frames would cost more than the loop. */
function isSilent(planes: readonly Float32Array[], at: number): boolean {
  for (const plane of planes) if (Math.abs(plane[at] as number) >= nothing) return false;
  return true;
}

/**
 * Keeps digital silence digital: dither would write a noise of -97 dBFS over it. Decided for each frame of samples by
 * itself, so that a file is the same in whatever pieces it is written.
 */
export class Silences {
  private readonly isPlanar: boolean;
  /** Stretches of silence that are not yet blanked, in frames. */
  private waiting: [from: number, to: number][] = [];
  private written = 0;
  private blanked = 0;

  constructor(isPlanar: boolean) {
    this.isPlanar = isPlanar;
  }

  /** Looks at sound before it is dithered. */
  find(planes: readonly Float32Array[], frames: number): void {
    const [first = new Float32Array(frames), ...others] = planes;
    const bits = new Int32Array(first.buffer, first.byteOffset, frames);
    for (let at = 0; at < frames; at += 1)
      if (((bits[at] as number) & withoutSign) < nothingBits && isSilent(others, at)) this.add(this.written + at);
    this.written += frames;
  }

  private add(frame: number): void {
    const last = this.waiting.at(-1);
    if (last?.[1] === frame) last[1] += 1;
    else this.waiting.push([frame, frame + 1]);
  }

  /** Sets what was silence to zero in the next frames, which are dithered. */
  blank(frame: Frame, frames: number): void {
    const [start, end] = [this.blanked, this.blanked + frames];
    this.blanked = end;
    if ((this.waiting[0]?.[0] ?? end) >= end) return;
    const data = frame.data ?? [];
    const step = 2 * (this.isPlanar ? 1 : frame.channelLayout.nbChannels);
    for (const [from, to] of this.waiting) {
      if (from >= end) break;
      for (const plane of data) plane.fill(0, (from - start) * step, (Math.min(to, end) - start) * step);
    }
    this.waiting = this.waiting.flatMap(([from, to]) => (to <= end ? [] : [[Math.max(from, end), to]]));
  }
}
