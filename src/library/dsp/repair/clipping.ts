import { tileRanges } from '../../kernels/ops.ts';
import type { Analyser } from '../../pcm/stage.ts';

/** The levels from which the samples of one channel are clipped; infinite where they are not. */
export interface ClippedLevels {
  readonly lowest: number;
  readonly highest: number;
}

export interface ClippingReading {
  /** Channel by channel; null: not clipped. */
  readonly channels: readonly (ClippedLevels | null)[];
  /** Share of the samples of clipped channels that were clipped, 0 to 1. */
  readonly share: number;
}

/** Clipped samples lie this close to the largest one: 1.5 steps of 16 bits, or this share of it. */
const nearSteps = 1.5 / 32_768;
const nearShare = 1e-4;
/** A clipped top has a corner: its neighbour lies lower, by this factor, than it would beside a round top. */
const cornerFactor = 6;
/** Evidence of clipping: samples of a flat top, number of flat tops, and samples of the longest one, at least. */
const leastRun = 3;
const leastRuns = 4;
const leastLongest = 4;
/** In quieter recordings a step of 16 bits is too coarse to tell. */
const leastTop = 0.02;

/** Tiles without a large sample are skipped. The result does not depend on the tile length. */
const tileFrames = 1024;

/** The flat tops of one polarity. */
interface Tops {
  /** @param most the greatest sample of this polarity */
  push(tile: Float32Array, most: number): void;
  flush(): void;
  /** Level from which samples are clipped; null when none are. */
  result(): { readonly level: number; readonly samples: number } | null;
}

function followTops(sign: 1 | -1): Tops {
  let [top, bound, corner] = [0, Number.POSITIVE_INFINITY, 0];
  let [runs, longest, samples, run] = [0, 0, 0, 0];
  let before = 0;
  let hasCorner = false;
  const rise = (level: number): void => {
    const near = Math.max(nearSteps, nearShare * level);
    // A larger sample came: the flat tops so far were not clipping.
    if (level > top + near) [runs, longest, samples, run] = [0, 0, 0, 0];
    [top, bound, corner] = [level, level - near, level - cornerFactor * near];
  };
  const finish = (behind: number): void => {
    if (run >= leastRun && (hasCorner || behind < corner)) {
      runs += 1;
      longest = Math.max(longest, run);
      samples += run;
    }
    run = 0;
  };
  return {
    push(tile, most) {
      if (run === 0 && most < bound && most <= top) {
        before = sign * (tile[tile.length - 1] as number);
        return;
      }
      for (let i = 0; i < tile.length; i += 1) {
        const y = sign * (tile[i] as number);
        if (y >= bound || y > top) {
          if (y > top && y < 1e6) rise(y);
          if (run === 0) hasCorner = before < corner;
          run += 1;
        } else if (run > 0) finish(y);
        before = y;
      }
    },
    flush: () => finish(0),
    result: () => (top >= leastTop && runs >= leastRuns && longest >= leastLongest ? { level: bound, samples } : null),
  };
}

/**
 * Finds channels that were clipped: where the greatest samples come in runs with corners, which no limiter and no voice
 * makes. Only clipping that nothing has changed since is found, not that of an MP3 or of another sample rate.
 */
export function meterClipping(): Analyser<ClippingReading> {
  let tops: { readonly up: Tops; readonly down: Tops }[] = [];
  let frames = 0;
  let ranges = new Float32Array(0);
  return {
    latencyFrames: 0,
    open(format) {
      tops = Array.from({ length: format.channels }, () => ({ up: followTops(1), down: followTops(-1) }));
      return format;
    },
    process(block, emit) {
      frames += block.frames;
      const needed = 2 * Math.ceil(block.frames / tileFrames);
      if (ranges.length < needed) ranges = new Float32Array(needed);
      for (const [channel, { up, down }] of tops.entries()) {
        const plane = block.planes[channel] as Float32Array;
        tileRanges(plane.subarray(0, block.frames), tileFrames, ranges);
        for (let at = 0, i = 0; at < block.frames; at += tileFrames, i += 2) {
          const tile = plane.subarray(at, Math.min(block.frames, at + tileFrames));
          up.push(tile, ranges[i + 1] as number);
          down.push(tile, -(ranges[i] as number));
        }
      }
      emit(block);
    },
    flush() {
      for (const { up, down } of tops) {
        up.flush();
        down.flush();
      }
    },
    close: () => undefined,
    result() {
      const both = tops.map(({ up, down }) => ({ up: up.result(), down: down.result() }));
      const channels = both.map(({ up, down }) =>
        up || down
          ? {
              lowest: down ? -down.level : Number.NEGATIVE_INFINITY,
              highest: up ? up.level : Number.POSITIVE_INFINITY,
            }
          : null,
      );
      const clipped = channels.filter((levels) => levels !== null).length;
      const samples = both.reduce((sum, { up, down }) => sum + (up?.samples ?? 0) + (down?.samples ?? 0), 0);
      return { channels, share: clipped === 0 ? 0 : samples / (clipped * frames) };
    },
  };
}
