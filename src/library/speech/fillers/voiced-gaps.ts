// Fillers that the transcript missed: a drawn-out, even voice in a gap between words, with silence on both sides. Words
// change their sound all the time; an "um" is held.
import type { TimeRange } from '../../core/time-range.ts';
import { speechRate, type SpeechSound } from '../speech-sound.ts';
import { contextSeconds, hopSeconds, type LevelTrack, levelTrack } from './level-track.ts';
import { pitchOf } from '../pitch.ts';
import { frame, frameHop, timbreLikeness, timbresOf } from './timbre.ts';

const shortestGapSeconds = 0.3;
const shortestSeconds = 0.2;
const longestSeconds = 1.5;
/** Above the edge of silence, to exclude breath. */
const voiceDb = 3;
/** Periodicity of a voice: normalised autocorrelation at its period. */
const leastPeriodicity = 0.5;
const leastVoicedShare = 0.75;
/** Mean similarity of spectra 60 ms apart: cosine of their band levels. */
const leastSteadiness = 0.93;
/** Range of pitch within a hesitation, semitones. */
const mostSemitones = 2.5;

const apartFrames = 6;

/** The fillers in one gap, with the edges of their sound. */
export function fillersInGap(sound: SpeechSound, gap: TimeRange): TimeRange[] {
  if (gap.endSeconds - gap.startSeconds < shortestGapSeconds) return [];
  const track = levelTrack(sound, gap.startSeconds - contextSeconds, gap.endSeconds + contextSeconds);
  return soundsIn(track, gap).filter((stretch) => {
    const length = stretch.endSeconds - stretch.startSeconds;
    return length >= shortestSeconds && length <= longestSeconds && isHeldVoice(sound, stretch);
  });
}

/** A hesitation may continue without a pause; times of words are inexact, so this much may belong to the word. */
const wordSeconds = 0.05;

/** Stretches from a silence in the gap to the next one, or to the next word. */
function soundsIn(track: LevelTrack, gap: TimeRange): TimeRange[] {
  const { levels, silenceDbfs } = track;
  const last = track.indexOf(gap.endSeconds);
  const silentHops = Math.round(0.03 / hopSeconds);
  const found: TimeRange[] = [];
  let silent = 0;
  let start: number | null = null;
  let loudest = Number.NEGATIVE_INFINITY;
  for (let at = track.indexOf(gap.startSeconds); at <= last; at++) {
    const level = levels[at]!;
    if (level > silenceDbfs) {
      // A sound that runs into the gap is the end of a word.
      if (start === null && silent >= silentHops) start = at;
      silent = 0;
      loudest = Math.max(loudest, level);
      continue;
    }
    silent += 1;
    if (silent < silentHops) continue;
    if (start !== null && loudest > silenceDbfs + voiceDb)
      found.push({ startSeconds: track.secondsOf(start), endSeconds: track.secondsOf(at - silent + 1) });
    start = null;
    loudest = Number.NEGATIVE_INFINITY;
  }
  if (start !== null && loudest > silenceDbfs + voiceDb)
    found.push({ startSeconds: track.secondsOf(start), endSeconds: gap.endSeconds - wordSeconds });
  return found;
}

function isHeldVoice(sound: SpeechSound, { startSeconds, endSeconds }: TimeRange): boolean {
  const from = Math.round(startSeconds * speechRate);
  const samples = sound.read(from, Math.round((endSeconds - startSeconds) * speechRate));
  const count = Math.floor((samples.length - frame) / frameHop) + 1;
  if (count <= apartFrames) return false;
  const pitches: number[] = [];
  for (let index = 0; index < count; index++) {
    const { periodicity, hz } = pitchOf(samples, index * frameHop);
    if (periodicity >= leastPeriodicity) pitches.push(hz);
  }
  if (pitches.length < leastVoicedShare * count) return false;
  pitches.sort((a, b) => a - b);
  const spread =
    12 * Math.log2(pitches[Math.floor(0.9 * (pitches.length - 1))]! / pitches[Math.floor(0.1 * (pitches.length - 1))]!);
  return spread <= mostSemitones && steadiness(samples) >= leastSteadiness;
}

function steadiness(samples: Float32Array): number {
  const timbres = timbresOf(samples);
  let sum = 0;
  for (let index = apartFrames; index < timbres.length; index++)
    sum += timbreLikeness(timbres[index]!, timbres[index - apartFrames]!);
  return sum / (timbres.length - apartFrames);
}
