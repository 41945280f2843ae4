// Decides which pictures are kept, one by one in display order.
import type { EditClock } from './edit-clock.ts';

/** The new position of a picture that was shown before its keep began. */
export interface Held {
  /** Output time, seconds. */
  readonly out: number;
  /** Seconds to the end of its keep. */
  readonly shownSeconds: number;
}

export interface Choice {
  /** Output time, seconds; null: the picture is dropped. */
  readonly out: number | null;
  /** Where the previous picture must be shown; usually null. */
  readonly holdPrevious: Held | null;
  /** End of the picture's keep, on the keeps' clock. */
  readonly keepEnd: number;
  /** Seconds of output for which the previously shown picture lasts: to the end of the last keep that it reaches. */
  readonly previousShownSeconds: number | null;
}

/**
 * A keep may start without a picture of its own for one and a half usual frame durations, within these limits in
 * seconds; beyond that, the picture on screen at its start is shown there.
 */
const bareSeconds = { least: 0.1, most: 0.25 };

/**
 * Keeps pictures with a time inside a keep. Where a keep starts in the middle of a long picture (slides, screen
 * recordings), or is too short for a picture of its own and is the first, that picture is shown from the keep's start.
 */
export class FrameChooser {
  private readonly clock: EditClock;
  private readonly bare: number;
  private readonly gridSeconds: number | null;
  private lastTick = Number.NEGATIVE_INFINITY;
  private nextKeep = 0;
  private previous: number | null = null;
  private previousShown = false;
  private anyShown = false;
  /** Output time of the previous picture, and its keep. */
  private previousOut = 0;
  private previousKeep = 0;

  /**
   * @param frameSeconds usual time between pictures
   * @param gridSeconds for containers that count pictures instead of storing times (AVI): times are multiples of this
   */
  constructor(clock: EditClock, frameSeconds: number, gridSeconds: number | null) {
    this.clock = clock;
    this.bare = Math.max(bareSeconds.least, Math.min(bareSeconds.most, 1.5 * frameSeconds));
    this.gridSeconds = gridSeconds;
  }

  /** @param seconds on the keeps' clock, ascending */
  next(seconds: number): Choice {
    const { clock } = this;
    const previousShownSeconds = this.shownSeconds(seconds);
    const holdPrevious = this.hold(seconds);
    const keep = clock.keepAt(seconds);
    const started = clock.lastStarted(seconds);
    if (started >= this.nextKeep) this.nextKeep = started + 1;
    const out = keep < 0 ? null : this.onGrid(Math.max(0, clock.place(keep, seconds)));
    this.previous = seconds;
    this.previousShown = out !== null;
    this.anyShown ||= this.previousShown;
    if (out !== null) [this.previousOut, this.previousKeep] = [out, keep];
    return { out, holdPrevious, keepEnd: keep < 0 ? 0 : clock.endOf(keep), previousShownSeconds };
  }

  /** After the last picture: where it must still be shown in a later keep. */
  end(): { held: Held | null; previousShownSeconds: number | null } {
    const previousShownSeconds = this.shownSeconds(Number.POSITIVE_INFINITY);
    return { held: this.hold(Number.POSITIVE_INFINITY), previousShownSeconds };
  }

  private shownSeconds(until: number): number | null {
    const { clock } = this;
    if (this.previous === null || !this.previousShown) return null;
    let keep = this.previousKeep;
    while (keep + 1 < clock.count && clock.startOf(keep + 1) < until) keep += 1;
    return clock.place(keep, clock.endOf(keep)) - this.previousOut;
  }

  private hold(until: number): Held | null {
    const { clock, previous } = this;
    if (previous === null || this.previousShown) return null;
    for (let keep = this.nextKeep; keep < clock.count && clock.startOf(keep) < until; keep += 1) {
      const start = clock.startOf(keep);
      const end = clock.endOf(keep);
      const isOnly = !this.anyShown && until >= end;
      if (!isOnly && Math.min(until, end) - start <= this.bare) continue;
      const out = this.onGrid(clock.outOf(keep));
      if (out === null) return null;
      this.previousShown = true;
      this.anyShown = true;
      return { out, shownSeconds: end - start };
    }
    return null;
  }

  /**
   * The grid position of a picture: the next free one if it is right within three quarters of a step (so that rounding
   * leaves no gaps), a later one after a gap, none when there are too many pictures.
   */
  private onGrid(out: number): number | null {
    const { gridSeconds } = this;
    if (gridSeconds === null) return out;
    const exact = out / gridSeconds;
    const free = this.lastTick + 1;
    const tick = Math.abs(free - exact) <= 0.75 ? free : Math.round(exact);
    if (tick <= this.lastTick) return null;
    this.lastTick = tick;
    return tick * gridSeconds;
  }
}
