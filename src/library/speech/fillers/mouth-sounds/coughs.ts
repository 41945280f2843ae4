// Coughs: bursts of noise in all bands, about as loud as the voice, that begin at once and have next to no pitch.
import { type BandTrack, hopSeconds } from './band-track.ts';
import { greatest, least, meanOf, type Run, runsWhere } from './runs.ts';

/** Bursts of one fit of coughing are at most this far apart. */
const fitSeconds = 0.45;
/** At most so much softer than the voice. */
const belowVoiceDb = 14;
/** Over the room, in all bands together, from the start of a burst to its end. */
const edgeDb = 4;
/** Over the room in each third of the spectrum, within the loud part of a burst. */
const leastDb = 9;
const loudPartDb = 12;
/** The first moments rise by this much over the room. */
const riseDb = 10;
const riseSeconds = 0.05;
/** An s or sh has so much more above or so much less below. */
const mostTiltDb = 16;

export function coughBursts(track: BandTrack): Run[] {
  const { count, low, mid, high, levels, voiceDbfs } = track;
  const whole = Float32Array.from({ length: count }, (_, at) => (low[at]! + mid[at]! + high[at]!) / 3);
  const rise = Math.round(riseSeconds / hopSeconds);
  return runsWhere(count, 2, (at) => whole[at]! >= edgeDb).filter(({ from, to }) => {
    const peak = greatest(levels, from, to);
    if (peak < voiceDbfs - belowVoiceDb) return false;
    const most = greatest(whole, from, to);
    const [loud = { from, to }] = runsWhere(
      count,
      to,
      (at) => at >= from && at < to && whole[at]! >= most - loudPartDb,
    );
    const thirds = [low, mid, high].map((third) => meanOf(third, loud.from, loud.to));
    if (Math.min(...thirds) < leastDb || Math.max(...thirds) - Math.min(...thirds) > mostTiltDb) return false;
    return greatest(whole, from, from + rise) - least(whole, from - rise, from + 1) >= riseDb;
  });
}

/** Bursts of one fit together. */
export function fits<Burst extends Run>(bursts: readonly Burst[]): Run[] {
  const joined: { from: number; to: number }[] = [];
  for (const { from, to } of bursts) {
    const last = joined.at(-1);
    if (last !== undefined && (from - last.to) * hopSeconds <= fitSeconds) last.to = to;
    else joined.push({ from, to });
  }
  return joined;
}
