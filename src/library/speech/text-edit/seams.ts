// Where the sound is cut between two words that become neighbours, by the rules of cuts around fillers
// (fillers/cut-edges.ts). Here the two sides may be hours apart, so each is looked at alone.
import type { TimeRange } from '../../core/time-range.ts';
import {
  alignPeriods,
  contextSeconds,
  insideSeconds,
  median,
  searchSeconds,
  type Silence,
  silenceAround,
  valley,
} from '../fillers/cut-edges.ts';
import { type LevelTrack, levelTrack } from '../fillers/level-track.ts';
import type { SpeechSound } from '../speech-sound.ts';
import { type QuietPlace, type Seam, seamInPauses, type SeamSide } from '../word-edit/seam.ts';

/**
 * How far a seam may be within a word that stays. Less than around fillers: edges of words are better known, and the
 * closure before a k is no gap between words.
 */
const reachSeconds = 0.04;

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
function sideOf(sound: SpeechSound, { stays, goes }: SeamSide, edge: 'start' | 'end'): QuietPlace {
  const isEnd = edge === 'end';
  const half = (stays.startSeconds + stays.endSeconds) / 2;
  const ownEdge = isEnd ? stays.endSeconds : stays.startSeconds;
  /** The edge of the word that goes, or of the word that stays where there is none. */
  const given = goes === null ? ownEdge : isEnd ? goes.startSeconds : goes.endSeconds;
  const inside = goes === null ? 0 : Math.min(insideSeconds, (goes.endSeconds - goes.startSeconds) / 3);
  const from = goes === null ? given + (isEnd ? searchSeconds : -searchSeconds) : given + (isEnd ? inside : -inside);
  const to = isEnd
    ? Math.max(half, Math.min(given, ownEdge) - reachSeconds)
    : Math.min(half, Math.max(given, ownEdge) + reachSeconds);
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
