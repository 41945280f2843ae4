// Breaths, clicks of the mouth and coughs between the words of a recording.
import { throwIfAborted } from '../../../core/abort.ts';
import type { TimeRange } from '../../../core/time-range.ts';
import { speechRate, type SpeechSound } from '../../speech-sound.ts';
import { pitchFrame, pitchOf } from '../../pitch.ts';
import { type BandTrack, bandTrack, hopSeconds } from './band-track.ts';
import { breathRuns } from './breaths.ts';
import { clicksOf } from './clicks.ts';
import { coughBursts, fits } from './coughs.ts';
import type { Run } from './runs.ts';

export type MouthSoundKind = 'breath' | 'mouth_click' | 'cough';

/** Why a sound is left alone: a word goes on in it, or begins or ends without a dip beside it. */
export type KeptReason = 'inside_a_word' | 'touches_a_word';

export interface MouthSound extends TimeRange {
  readonly kind: MouthSoundKind;
  /** null: nothing of a word is in it. */
  readonly kept: KeptReason | null;
}

/** Looked through at a time. */
const blockSeconds = 20;
/** The room and the voice are measured this far around. */
const contextSeconds = 4;
/** The end of a word's sound, from where a breath is not part of it. */
const voiceDb = 9;
const faintestVoiceDb = 32;
/** Speakers breathe and smack this close to their words; what is further away comes from elsewhere. */
const nearWordSeconds = 1.5;
/** A word's time is rarely wrong by more. */
const wordErrorSeconds = 0.06;
/** A shorter breath could be an aspirated t or an f of a word beside it. */
const sureBreathSeconds = 0.21;
/** From the end of a word's sound to a click that is not its last t or k, and from a click to the next word. */
const afterWordSeconds = 0.15;
const beforeWordSeconds = 0.1;
const edgeSeconds = 0.05;
/** What surrounds a click, so that a cut's crossfade has nothing of it. */
const clickGuardSeconds = 0.011;
/** A cough that lasts longer within a word's time may be the word. */
const mostOverlapShare = 0.25;
/** More of it with a pitch, and it is a word that is not written down. */
const mostVoicedShare = 0.45;
const leastPeriodicity = 0.6;

export async function findMouthSounds(
  sound: SpeechSound,
  words: readonly TimeRange[],
  { signal, onProgress }: { readonly signal: AbortSignal; onProgress(fraction: number): void },
): Promise<MouthSound[]> {
  const found: MouthSound[] = [];
  for (let from = 0; from < sound.durationSeconds; from += blockSeconds) {
    onProgress(from / sound.durationSeconds);
    await new Promise(setImmediate);
    throwIfAborted(signal);
    const block = { startSeconds: from, endSeconds: Math.min(sound.durationSeconds, from + blockSeconds) };
    const track = bandTrack(sound, block.startSeconds - contextSeconds, block.endSeconds + contextSeconds);
    const near = words.filter(
      ({ startSeconds, endSeconds }) =>
        endSeconds > from - contextSeconds && startSeconds < block.endSeconds + contextSeconds,
    );
    const place = { sound, track, words: near };
    const own = ({ kind, startSeconds, endSeconds }: MouthSound): boolean =>
      startSeconds >= block.startSeconds &&
      startSeconds < block.endSeconds &&
      (kind === 'cough' ||
        near.some(
          (word) =>
            word.startSeconds < endSeconds + nearWordSeconds && word.endSeconds > startSeconds - nearWordSeconds,
        ));
    found.push(...[...coughsIn(place), ...breathsIn(place), ...clicksIn(place, block)].filter(own));
  }
  onProgress(1);
  return withoutOverlaps(found);
}

interface Place {
  readonly sound: SpeechSound;
  readonly track: BandTrack;
  /** Around it, in order of their starts. */
  readonly words: readonly TimeRange[];
}

const timesOf = (track: BandTrack, { from, to }: Run): TimeRange => ({
  startSeconds: track.secondsOf(from),
  endSeconds: track.secondsOf(to),
});

const overlap = (a: TimeRange, b: TimeRange): number =>
  Math.max(0, Math.min(a.endSeconds, b.endSeconds) - Math.max(a.startSeconds, b.startSeconds));

/** Does a word have its voice on both sides of a range, or none outside of it? */
function isInside({ track, words }: Place, range: TimeRange): boolean {
  return words.some((word) => {
    if (overlap(word, range) === 0) return false;
    const before = isVoiced(track, word.startSeconds, Math.min(word.endSeconds, range.startSeconds));
    const after = isVoiced(track, Math.max(word.startSeconds, range.endSeconds), word.endSeconds);
    return before === after && overlap(word, range) > wordErrorSeconds;
  });
}

function breathsIn(place: Place): MouthSound[] {
  return breathRuns(place.track).flatMap((run): MouthSound[] => {
    const range = timesOf(place.track, run);
    const isBetween = place.words.every((word) => overlap(word, range) < (range.endSeconds - range.startSeconds) / 2);
    const inside = isInside(place, range) || (isShort(range) && isBeside(place, range));
    if (run.isApart && !inside) return [{ kind: 'breath', ...range, kept: null }];
    // A sound of a word is no breath that was kept.
    return isBetween ? [{ kind: 'breath', ...range, kept: inside ? 'inside_a_word' : 'touches_a_word' }] : [];
  });
}

const isShort = ({ startSeconds, endSeconds }: TimeRange): boolean => endSeconds - startSeconds < sureBreathSeconds;

/** Is a word close to it? */
function isBeside({ track, words }: Place, range: TimeRange): boolean {
  return (
    words.some((word) => overlap(word, range) > wordErrorSeconds / 2) ||
    isVoiced(track, range.startSeconds - wordErrorSeconds, range.startSeconds - hopSeconds) ||
    isVoiced(track, range.endSeconds + hopSeconds, range.endSeconds + wordErrorSeconds)
  );
}

/** Is there a voice, for more than a moment? */
function isVoiced(track: BandTrack, fromSeconds: number, toSeconds: number): boolean {
  const { low, mid, levels, voiceDbfs, indexOf } = track;
  let voiced = 0;
  for (let at = indexOf(fromSeconds); at <= indexOf(toSeconds); at++)
    if (low[at]! >= voiceDb && low[at]! > mid[at]! - voiceDb && levels[at]! > voiceDbfs - faintestVoiceDb) voiced += 1;
  return voiced >= 3;
}

function clicksIn({ sound, track, words }: Place, block: TimeRange): MouthSound[] {
  const from = Math.round((block.startSeconds - 1) * speechRate);
  const samples = sound.read(from, Math.round((block.endSeconds + 1) * speechRate) - from);
  return clicksOf(samples).flatMap((click): MouthSound[] => {
    const range = {
      startSeconds: from / speechRate + click.startSeconds - clickGuardSeconds,
      endSeconds: from / speechRate + click.endSeconds + clickGuardSeconds,
    };
    // Where a recording starts or ends it may jump.
    const isCutOff = range.startSeconds < edgeSeconds || range.endSeconds > sound.durationSeconds - edgeSeconds;
    if (isCutOff || words.some((word) => overlap(word, range) > 0)) return [];
    const isNear =
      isVoiced(track, range.startSeconds - afterWordSeconds, range.startSeconds - hopSeconds * 3) ||
      isVoiced(track, range.endSeconds + hopSeconds * 3, range.endSeconds + beforeWordSeconds);
    return [{ kind: 'mouth_click', ...range, kept: isNear ? 'touches_a_word' : null }];
  });
}

function coughsIn(place: Place): MouthSound[] {
  const { track, words, sound } = place;
  const bursts = coughBursts(track).filter((run) => {
    const range = timesOf(track, run);
    return (
      words.every((word) => overlap(word, range) <= mostOverlapShare * (range.endSeconds - range.startSeconds)) &&
      voicedShare(sound, range) <= mostVoicedShare
    );
  });
  return fits(bursts).flatMap((run): MouthSound[] => {
    const range = timesOf(track, run);
    const kept = isInside(place, range) ? 'inside_a_word' : isBeside(place, range) ? 'touches_a_word' : null;
    return [{ kind: 'cough', ...range, kept }];
  });
}

function voicedShare(sound: SpeechSound, { startSeconds, endSeconds }: TimeRange): number {
  const from = Math.round(startSeconds * speechRate);
  const step = 160;
  const length = Math.max(pitchFrame, Math.round((endSeconds - startSeconds) * speechRate));
  const samples = sound.read(from, length);
  let [voiced, count] = [0, 0];
  for (let at = 0; at + pitchFrame <= length; at += step) {
    count += 1;
    if (pitchOf(samples, at).periodicity >= leastPeriodicity) voiced += 1;
  }
  return voiced / count;
}

/** Sounds in order; of two at one place the first found. */
function withoutOverlaps(sounds: readonly MouthSound[]): MouthSound[] {
  const apart: MouthSound[] = [];
  for (const one of sounds) if (!apart.some((other) => overlap(one, other) > 0)) apart.push(one);
  return apart.toSorted((a, b) => a.startSeconds - b.startSeconds);
}
