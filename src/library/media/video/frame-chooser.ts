// Which pictures stay, decided picture by picture in the order of display.
import type { EditClock } from './edit-clock.ts';

/** Where a picture is shown that stood before its keep began. */
export interface Held {
  /** Output time, seconds. */
  readonly out: number;
  /** Seconds to the end of its keep. */
  readonly stands: number;
}

export interface Choice {
  /** Output time, seconds; null: this picture goes. */
  readonly out: number | null;
  /** Where the picture before this one must be shown; null as a rule. */
  readonly holdPrevious: Held | null;
  /** End of the keep that the picture is in, on the keeps' clock. */
  readonly keepEnd: number;
  /**
   * Seconds of output that the shown picture before this one may stand: to the end of the last keep that it reaches.
   */
  readonly previousStands: number | null;
}

/**
 * A keep may stand without a picture of its own for one and a half usual pictures, within these seconds; longer, and
 * the picture on screen at its start is shown there.
 */
const bareSeconds = { least: 0.1, most: 0.25 };

/**
 * Keeps pictures whose time lies in a keep. Where a keep begins in the middle of a picture that stands long (slides,
 * screen recordings), or is too short for a picture of its own and the first to be seen, that picture is shown from the
 * keep's start.
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
  /** Of the picture before: its output time, and the keep that it is in. */
  private previousOut = 0;
  private previousKeep = 0;

  /**
   * @param frameSeconds usual time between pictures
   * @param gridSeconds for containers that count pictures instead of keeping time (AVI): pictures stand on multiples of
   * this
   */
  constructor(clock: EditClock, frameSeconds: number, gridSeconds: number | null) {
    this.clock = clock;
    this.bare = Math.max(bareSeconds.least, Math.min(bareSeconds.most, 1.5 * frameSeconds));
    this.gridSeconds = gridSeconds;
  }

  /** @param seconds on the keeps' clock, ascending */
  next(seconds: number): Choice {
    const { clock } = this;
    const previousStands = this.stands(seconds);
    const holdPrevious = this.hold(seconds);
    const keep = clock.keepAt(seconds);
    const started = clock.lastStarted(seconds);
    if (started >= this.nextKeep) this.nextKeep = started + 1;
    const out = keep < 0 ? null : this.onGrid(Math.max(0, clock.place(keep, seconds)));
    this.previous = seconds;
    this.previousShown = out !== null;
    this.anyShown ||= this.previousShown;
    if (out !== null) [this.previousOut, this.previousKeep] = [out, keep];
    return { out, holdPrevious, keepEnd: keep < 0 ? 0 : clock.endOf(keep), previousStands };
  }

  /** After the last picture: when it must still be shown in a keep behind it. */
  end(): { held: Held | null; previousStands: number | null } {
    const previousStands = this.stands(Number.POSITIVE_INFINITY);
    return { held: this.hold(Number.POSITIVE_INFINITY), previousStands };
  }

  private stands(until: number): number | null {
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
      return { out, stands: end - start };
    }
    return null;
  }

  /**
   * The grid place of a picture: the next free one when that is right to three quarters of a step (so that rounding
   * makes no holes), a later one behind a gap, none when the pictures come too thick.
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
