// A hesitation is a held sound. A recogniser's times end it too early or start it too late, or put an invented word
// into it; the sound itself tells how far it extends.
import type { TimeRange } from '../../core/time-range.ts';
import { speechRate, type SpeechSound } from '../speech-sound.ts';
import { hopSeconds, levelTrack } from './level-track.ts';
import { frame, frameHop, timbreLikeness, meanTimbre, type Timbre, timbresOf } from './timbre.ts';

/** The middle of a filler certainly belongs to it. */
const coreShare = 0.5;
/** Similarity to the middle from which a moment is the same sound. */
const sameSound = 0.955;
/** Mean similarity from which a word is only the filler's sound: a real word's sounds would differ. */
const wordInSound = 0.87;
/** Recognisers have low confidence in invented words. */
const inventedConfidence = 0.75;
/** Number of differing frames allowed in between. */
const mostOdd = 1;

const centreSeconds = frame / 2 / speechRate;
const stepSeconds = frameHop / speechRate;

function timbresBetween(sound: SpeechSound, fromSeconds: number, toSeconds: number): Timbre[] {
  const from = Math.round((fromSeconds - centreSeconds) * speechRate);
  return timbresOf(
    sound.read(from, Math.max(0, Math.round((toSeconds - fromSeconds + 2 * centreSeconds) * speechRate))),
  );
}

function coreOf(sound: SpeechSound, { startSeconds, endSeconds }: TimeRange): Timbre | null {
  const spared = ((1 - coreShare) / 2) * (endSeconds - startSeconds);
  const timbres = timbresBetween(sound, startSeconds + spared, endSeconds - spared);
  return timbres.length === 0 ? null : meanTimbre(timbres);
}

/**
 * Extends a filler to both sides as far as its sound continues, at most to the limits; never shorter than the filler.
 */
export function wholeSound(sound: SpeechSound, filler: TimeRange, limits: TimeRange): TimeRange {
  const core = coreOf(sound, filler);
  if (core === null) return filler;
  const reach = (timbres: readonly Timbre[]): number => {
    let last = 0;
    for (const [index, timbre] of timbres.entries()) {
      if (timbreLikeness(timbre, core) >= sameSound) last = index;
      else if (index - last > mostOdd) break;
    }
    return last * stepSeconds;
  };
  const before = timbresBetween(sound, limits.startSeconds, filler.startSeconds).toReversed();
  const after = timbresBetween(sound, filler.endSeconds, limits.endSeconds);
  return {
    startSeconds: Math.max(Math.min(limits.startSeconds, filler.startSeconds), filler.startSeconds - reach(before)),
    endSeconds: Math.min(Math.max(limits.endSeconds, filler.endSeconds), filler.endSeconds + reach(after)),
  };
}

/** No hesitation is held for longer. */
const longestSeconds = 2;
/** Vowels and nasals, of which fillers consist, are strongest below. */
const strongestHz = 1500;
/** A shorter dip is not a pause. */
const pauseSeconds = 0.03;

/**
 * Start and end of a filler's sound at pauses on both sides, where these come before the neighbouring words: the sound
 * there has no other text.
 * @param limits end of the word before, start of the word after
 * @returns null on a side without a pause
 */
export function pausesAround(
  sound: SpeechSound,
  filler: TimeRange,
  limits: TimeRange,
): { readonly startSeconds: number | null; readonly endSeconds: number | null } {
  const track = levelTrack(
    sound,
    filler.startSeconds - longestSeconds,
    filler.endSeconds + longestSeconds,
    strongestHz,
  );
  const { levels, silenceDbfs, indexOf, secondsOf } = track;
  const quiet = Math.round(pauseSeconds / hopSeconds);
  const walk = (from: number, to: number, step: 1 | -1): number | null => {
    let silent = 0;
    for (let at = from; step * (to - at) >= 0; at += step) {
      silent = levels[at]! <= silenceDbfs ? silent + 1 : 0;
      if (silent > quiet) return secondsOf(at - step * silent);
    }
    return null;
  };
  const last = Math.min(limits.endSeconds, filler.endSeconds + longestSeconds);
  const first = Math.max(limits.startSeconds, filler.startSeconds - longestSeconds);
  return {
    startSeconds: walk(indexOf(filler.startSeconds), indexOf(first), -1),
    endSeconds: walk(indexOf(filler.endSeconds), indexOf(last), 1),
  };
}

/** A shorter sound between words without a pause begins the next word: the first vowel of "acoustic" has 0.1 s. */
const leastOwnSeconds = 0.13;

/**
 * Has a hesitation a sound of its own: next to a pause, or held for longer than a vowel of a word? Recognisers put some
 * into fluent speech when their prompt has them.
 */
export function hasOwnSound(
  sound: SpeechSound,
  filler: TimeRange,
  before: TimeRange | null,
  after: TimeRange | null,
): boolean {
  const paused = pausesAround(sound, filler, {
    startSeconds: before?.endSeconds ?? 0,
    endSeconds: after?.startSeconds ?? sound.durationSeconds,
  });
  if (before === null || after === null || paused.startSeconds !== null || paused.endSeconds !== null) return true;
  const middle = ({ startSeconds, endSeconds }: TimeRange): number => (startSeconds + endSeconds) / 2;
  const whole = wholeSound(sound, filler, { startSeconds: middle(before), endSeconds: middle(after) });
  return whole.endSeconds - whole.startSeconds >= leastOwnSeconds;
}

/**
 * Is a word beside a filler only the filler's own sound? No pause is between them, one is beyond the word, the
 * recogniser was not sure of it, and it sounds like the filler throughout.
 */
export function isInvented(
  sound: SpeechSound,
  filler: TimeRange,
  word: TimeRange & { readonly confidence?: number },
): boolean {
  if (word.confidence === undefined || word.confidence > inventedConfidence) return false;
  const from = Math.min(word.startSeconds, filler.startSeconds);
  const to = Math.max(word.endSeconds, filler.endSeconds);
  const { levels, silenceDbfs, indexOf } = levelTrack(sound, from - 4, to + 4);
  const isSilent = (seconds: number): boolean => levels[indexOf(seconds)]! <= silenceDbfs;
  const isBefore = word.startSeconds < filler.startSeconds;
  const beyond = isBefore ? word.startSeconds - 0.05 : word.endSeconds + 0.05;
  if (!isSilent(beyond)) return false;
  const [near, far] = isBefore ? [word.endSeconds, filler.startSeconds] : [filler.endSeconds, word.startSeconds];
  for (let at = near; at <= far; at += hopSeconds) if (isSilent(at)) return false;
  const core = coreOf(sound, filler);
  const timbres = timbresBetween(sound, word.startSeconds, word.endSeconds);
  if (core === null || timbres.length === 0) return false;
  return timbres.reduce((sum, timbre) => sum + timbreLikeness(timbre, core), 0) / timbres.length >= wordInSound;
}
