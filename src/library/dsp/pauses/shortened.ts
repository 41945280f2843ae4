import type { TimeRange } from '../../core/time-range.ts';

/** How pauses are shortened. */
export interface Shortening {
  /** Pauses at least this long are shortened. */
  readonly min_pause_seconds: number;
  /** How much of each stays. */
  readonly keep_seconds: number;
}

/**
 * The cuts in the pauses, frames: what is kept of a pause lies on both sides of the cut; at the ends of the recording
 * on the side of the sound.
 */
export function shortened(
  pauses: readonly TimeRange[],
  options: Shortening,
  frames: number,
  sampleRate: number,
): { start: number; end: number }[] {
  const keep = Math.round(options.keep_seconds * sampleRate);
  const cuts: { start: number; end: number }[] = [];
  for (const pause of pauses) {
    if (pause.endSeconds - pause.startSeconds < options.min_pause_seconds) continue;
    const start = Math.round(pause.startSeconds * sampleRate);
    const end = Math.min(frames, Math.round(pause.endSeconds * sampleRate));
    if (end - start <= keep) continue;
    const before = start === 0 ? 0 : end >= frames ? keep : Math.ceil(keep / 2);
    cuts.push({ start: start + before, end: end - (keep - before) });
  }
  return cuts;
}
