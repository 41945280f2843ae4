// Maps moments of the source to the edited video.
import type { TimeRange } from '../../core/time-range.ts';
import { EarshotError } from '../../core/errors/errors.ts';

/** A frame this close before an edge is on it: clocks are ratios, edges are floats. */
const hair = 1e-6;

/**
 * Source time to output time. A moment moves with the keep it is in: the keep's start goes through the caller's map,
 * the rest follows linearly, so that errors do not accumulate over the cuts.
 */
export class EditClock {
  readonly count: number;
  private readonly starts: Float64Array;
  private readonly ends: Float64Array;
  private readonly outs: Float64Array;
  /** First real edges of the keeps: the first keep may extend back without limit. */
  private readonly anchors: Float64Array;

  /**
   * @param soundEndSeconds end of the sound. Picture after its last sample belongs to it, as long as that is kept.
   */
  constructor(keeps: readonly TimeRange[], mapTime: (sourceSeconds: number) => number, soundEndSeconds: number) {
    this.count = keeps.length;
    this.starts = Float64Array.from(keeps, (keep) => keep.startSeconds);
    this.ends = Float64Array.from(keeps, (keep) => keep.endSeconds);
    this.anchors = Float64Array.from(this.starts);
    for (let at = 0; at < keeps.length; at += 1) {
      const start = this.starts[at] as number;
      const end = this.ends[at] as number;
      if (!(start >= 0) || !(end >= start) || (at > 0 && start < (this.ends[at - 1] as number))) {
        throw new EarshotError(
          'bad_request',
          `Expected ascending keep-ranges in seconds but range ${at} is ${start} to ${end}`,
        );
      }
    }
    const first = this.starts[0];
    this.outs = Float64Array.from(keeps, (keep) => mapTime(keep.startSeconds));
    if (first !== undefined && first <= hair) this.starts[0] = Number.NEGATIVE_INFINITY;
    const last = this.ends.at(-1);
    if (last !== undefined && last >= soundEndSeconds) this.ends[keeps.length - 1] = Number.POSITIVE_INFINITY;
  }

  startOf(keep: number): number {
    return this.starts[keep] ?? Number.POSITIVE_INFINITY;
  }

  endOf(keep: number): number {
    return this.ends[keep] ?? Number.POSITIVE_INFINITY;
  }

  /** Output time of a keep's start. */
  outOf(keep: number): number {
    return this.outs[keep] ?? 0;
  }

  /** The last keep that starts at or before a moment; -1 for none. */
  lastStarted(seconds: number): number {
    let low = 0;
    let high = this.count;
    while (low < high) {
      const middle = (low + high) >> 1;
      if ((this.starts[middle] as number) <= seconds + hair) low = middle + 1;
      else high = middle;
    }
    return low - 1;
  }

  /** The keep with a moment; -1 for a removed one. */
  keepAt(seconds: number): number {
    const keep = this.lastStarted(seconds);
    return keep >= 0 && seconds + hair < (this.ends[keep] as number) ? keep : -1;
  }

  /** Output time of a moment in the given keep. */
  place(keep: number, seconds: number): number {
    return (this.outs[keep] as number) + seconds - (this.anchors[keep] as number);
  }

  /** Output time of any moment; for a removed one, that of the seam. */
  toOutput(seconds: number): number {
    const keep = this.lastStarted(seconds);
    if (keep < 0) return this.outs[0] ?? 0;
    return Math.max(0, this.place(keep, Math.min(seconds, this.ends[keep] as number)));
  }

  /** The kept part of a stretch; null for less than a millisecond. */
  mapStretch(startSeconds: number, endSeconds: number): TimeRange | null {
    const start = this.toOutput(startSeconds);
    const end = this.toOutput(endSeconds);
    return end - start >= 0.001 ? { startSeconds: start, endSeconds: end } : null;
  }

  /** Is anything between two moments kept? */
  touches(fromSeconds: number, toSeconds: number): boolean {
    const keep = this.lastStarted(toSeconds);
    return keep >= 0 && (this.ends[keep] as number) > fromSeconds;
  }
}
