// Stretches in which no voice was found, although they are as loud as one: hoarse voices in a telephone's band and
// voices with music under them are in such. What is said there only a recogniser can tell.
import type { SpeechRegion } from '../../activity/find-speech.ts';
import { isSteady } from '../../activity/is-steady.ts';
import { type SpeechSound, speechRate } from '../../speech-sound.ts';
import { loudRmsOf } from './window-sound.ts';

/** Shorter ones are pauses with a breath or a bang. */
const leastSeconds = 2.5;
/** Softer ones, beside the loudest moments of the recording's voices, are pauses: -20 dB. */
const leastShare = 0.1;
/** Below this is only the noise of 16 bits. */
const silentRms = 1e-4;
/** Seconds of voices by which a recording's level is told. */
const levelSeconds = 60;

const framesOf = (seconds: number): number => Math.round(seconds * speechRate);

function loudRms(sound: SpeechSound, regions: readonly SpeechRegion[]): number {
  let [left, most] = [levelSeconds, 0];
  for (const { startSeconds, endSeconds } of regions) {
    if (left <= 0) break;
    const seconds = Math.min(left, endSeconds - startSeconds);
    most = Math.max(most, loudRmsOf(sound.read(framesOf(startSeconds), framesOf(seconds))));
    left -= seconds;
  }
  return most;
}

const part = (sound: SpeechSound, { startSeconds, endSeconds }: SpeechRegion): SpeechSound => {
  const [first, frames] = [framesOf(startSeconds), framesOf(endSeconds - startSeconds)];
  return { ...sound, frames, read: (from, count) => sound.read(first + from, Math.min(count, frames - from)) };
};

/** In order of time. */
export function loudGaps(sound: SpeechSound, voices: readonly SpeechRegion[]): SpeechRegion[] {
  const ends = [...voices.map(({ startSeconds }) => startSeconds), sound.durationSeconds];
  const gaps = ends
    .map((endSeconds, index) => ({ startSeconds: voices[index - 1]?.endSeconds ?? 0, endSeconds }))
    .filter(({ startSeconds, endSeconds }) => endSeconds - startSeconds >= leastSeconds);
  if (gaps.length === 0) return [];
  const least = Math.max(silentRms, leastShare * loudRms(sound, voices));
  return gaps.filter((gap) => loudRms(sound, [gap]) >= least && !isSteady(part(sound, gap)));
}
