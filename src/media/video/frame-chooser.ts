// Which pictures stay, decided picture by picture in the order of display.
import type { EditClock } from './edit-clock.ts';

export interface Choice {
  /** Output time, seconds; null: this picture goes. */
  readonly out: number | null;
  /** Output time at which the picture before this one must be shown; null as a rule. */
  readonly holdPrevious: number | null;
  /** End of the keep that the picture is in, on the keeps' clock. */
  readonly keepEnd: number;
}

/**
 * A keep may stand without a picture of its own for one and a half usual pictures, within these seconds; longer, and
 * the picture on screen at its start is shown there.
 */
const bareSeconds = { least: 0.1, most: 0.25 };

/**
 * Keeps pictures whose time lies in a keep. Where a keep begins in the middle of a picture that stands long (slides,
 * screen recordings), that picture is shown from the keep's start.
 */
export class FrameChooser {
  private readonly clock: EditClock;
  private readonly bare: number;
  private readonly gridSeconds: number | null;
  private lastTick = Number.NEGATIVE_INFINITY;
  private nextKeep = 0;
  private previous: number | null = null;
  private previousShown = false;

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
    const holdPrevious = this.hold(seconds);
    const keep = clock.keepAt(seconds);
    const started = clock.lastStarted(seconds);
    if (started >= this.nextKeep) this.nextKeep = started + 1;
    const out = keep < 0 ? null : this.onGrid(Math.max(0, clock.place(keep, seconds)));
    this.previous = seconds;
    this.previousShown = out !== null;
    return { out, holdPrevious, keepEnd: keep < 0 ? 0 : clock.endOf(keep) };
  }

  /** After the last picture: when it must still be shown in a keep behind it. */
  end(): number | null {
    return this.hold(Number.POSITIVE_INFINITY);
  }

  private hold(until: number): number | null {
    const { clock, previous } = this;
    if (previous === null || this.previousShown) return null;
    for (let keep = this.nextKeep; keep < clock.count && clock.startOf(keep) < until; keep += 1) {
      if (Math.min(until, clock.endOf(keep)) - clock.startOf(keep) <= this.bare) continue;
      this.previousShown = true;
      return this.onGrid(clock.outOf(keep));
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
