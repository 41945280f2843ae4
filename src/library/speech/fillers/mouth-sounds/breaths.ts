// Breaths between words: noise from 1 to 5 kHz without the voice below and the hiss of an s above, softer than the
// voice, with a dip to either side. What begins or ends without a dip is the end of a word or the h of the next one.
import { type BandTrack, hopSeconds } from './band-track.ts';
import { greatest, least, meanOf, type Run, runsWhere } from './runs.ts';

const shortestSeconds = 0.1;
/** Breath is so far above the room from 1 to 5 kHz. */
const edgeDb = 1.5;
const peakDb = 3.5;
/** A voice is stronger below 770 Hz. */
const lessLowDb = 2;
/** An s is stronger above 5 kHz. */
const mostHighDb = 7;
/** Softer than the voice by this much. */
const belowVoiceDb = 12;
/** At its edges a breath is down to this share of its peak over the room. */
const dipShare = 0.6;
const dipSeconds = 0.03;
const breakSeconds = 0.025;

export interface BreathRun extends Run {
  /** Does it dip at both ends? */
  readonly isApart: boolean;
}

export function breathRuns(track: BandTrack): BreathRun[] {
  const { count, low, mid, high, levels, voiceDbfs } = track;
  const isBreath = (at: number): boolean =>
    mid[at]! >= edgeDb &&
    mid[at]! >= low[at]! + lessLowDb &&
    high[at]! <= mid[at]! + mostHighDb &&
    levels[at]! <= voiceDbfs - belowVoiceDb;
  const dip = Math.round(dipSeconds / hopSeconds);
  return runsWhere(count, Math.round(breakSeconds / hopSeconds), isBreath).flatMap(({ from, to }) => {
    const seconds = (to - from) * hopSeconds;
    const peak = greatest(mid, from, to);
    if (seconds < shortestSeconds || peak < peakDb) return [];
    if (meanOf(high, from, to) > meanOf(mid, from, to) + mostHighDb / 2) return [];
    const isApart =
      least(mid, from - dip, from + dip) <= dipShare * peak && least(mid, to - dip, to + dip) <= dipShare * peak;
    return [{ from, to, isApart }];
  });
}
