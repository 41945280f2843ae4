// Where the sound is cut between two words that become neighbours, by the rules of cuts around fillers
// (fillers/cut-edges.ts). Here the two sides may be hours apart, so each is looked at alone.
import type { TimeRange } from '../../core/time-range.ts';
import { alignPeriods, median, type Silence, silenceAround, valley } from '../fillers/cut-edges.ts';
import { contextSeconds, type LevelTrack, levelTrack } from '../fillers/level-track.ts';
import type { SpeechSound } from '../speech-sound.ts';
import { type QuietPlace, type Seam, searchRange, seamInPauses, type SeamSide } from '../word-edit/seam.ts';

/**
 * @param before the last word before the seam, and what followed it
 * @param after the first word after the seam, and what preceded it
 */
export function seamBetween(sound: SpeechSound, before: SeamSide, after: SeamSide): Seam {
  const left = sideOf(sound, before, 'end');
  const right = sideOf(sound, after, 'start');
  const inPauses = seamInPauses(left, right);
  if (inPauses !== null) return inPauses;
  const voiced = before.goes !== null && after.goes !== null;
  const range = { startSeconds: left.at, endSeconds: right.at };
  return { endSeconds: left.at, startSeconds: voiced ? alignPeriods(sound, range) : right.at };
}

/** @param edge of the word that stays */
function sideOf(sound: SpeechSound, side: SeamSide, edge: 'start' | 'end'): QuietPlace {
  const { stays, goes } = side;
  const isEnd = edge === 'end';
  const { given, outer: from, inner: to } = searchRange(side, edge);
  const track = levelTrack(sound, given - contextSeconds, given + contextSeconds);
  const voice = goes ?? stays;
  const first = track.indexOf(Math.max(voice.startSeconds, given - contextSeconds));
  const last = track.indexOf(Math.min(voice.endSeconds, given + contextSeconds));
  const loudness = median(track.levels.subarray(first, Math.max(first, last) + 1));
  const way = { from: track.indexOf(from), to: track.indexOf(to) };
  // Times of words overlap: then there is no way between them.
  const index =
    isEnd === way.to <= way.from ? valley(track, way, track.indexOf(given), loudness) : track.indexOf(given);
  const pause = isEnd
    ? silenceAround(track, index, stays.startSeconds, goes === null ? sound.durationSeconds : from)
    : silenceAround(track, index, goes === null ? 0 : from, stays.endSeconds);
  return { at: track.secondsOf(index), pause: pause && inSeconds(track, pause) };
}

const inSeconds = (track: LevelTrack, { from, to }: Silence): TimeRange => ({
  startSeconds: track.secondsOf(from),
  endSeconds: track.secondsOf(to),
});
