import type { Stage } from '../pcm/stage.ts';
import type { Filling } from './filling.ts';

/** Frames of a recording that are played softer. */
export interface SoftRange {
  readonly start: number;
  /** Exclusive. */
  readonly end: number;
  /** 0: silent. */
  readonly gain: number;
}

/** Short enough for a click, long enough to make none. */
export const softFadeSeconds = 0.005;

/** Length of the fades in a range: less where it is shorter than two of them. */
export const fadeWithin = ({ start, end }: SoftRange, fadeFrames: number): number =>
  Math.max(1, Math.min(fadeFrames, Math.floor((end - start) / 2)));

/** By so much a frame of a range is played. @param fade of `fadeWithin` */
export function gainWithin(range: SoftRange, fade: number, frame: number): number {
  const inside = Math.min(1, (frame - range.start + 1) / fade, (range.end - frame) / fade);
  return 1 - inside * (1 - range.gain);
}

/**
 * Plays ranges softer, and fades to their gain and back within them. All other samples stay as they are, to the bit.
 * @param ranges in order, not overlapping
 * @param fadeFrames length of a fade, in ranges shorter than two of them half their length
 * @param filling is heard by as much as the sound is softer; null: silence
 */
export function soften(ranges: readonly SoftRange[], fadeFrames: number, filling: Filling | null = null): Stage {
  let position = 0;
  let current = 0;
  return {
    latencyFrames: 0,
    open(format) {
      position = 0;
      current = 0;
      return format;
    },
    process(block, emit) {
      const end = position + block.frames;
      for (let at = current; at < ranges.length; at += 1) {
        const range = ranges[at] as SoftRange;
        if (range.start >= end) break;
        const fade = fadeWithin(range, fadeFrames);
        const from = Math.max(range.start, position);
        const to = Math.min(range.end, end);
        const added = to > from ? filling?.next(block.planes.length, from - range.start, to - from) : undefined;
        for (const [channel, plane] of block.planes.entries()) {
          const own = added?.[channel];
          for (let frame = from; frame < to; frame += 1) {
            const gain = gainWithin(range, fade, frame);
            plane[frame - position]! *= gain;
            if (own) plane[frame - position]! += (1 - gain) * own[frame - from]!;
          }
        }
        if (range.end <= end) current = at + 1;
      }
      position = end;
      emit(block);
    },
    flush: () => undefined,
    close: () => undefined,
  };
}
