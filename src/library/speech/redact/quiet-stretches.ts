// Where only the room is heard: noise of its colour is made after these stretches.
import type { TimeRange } from '../../core/time-range.ts';
import { speechRate, type SpeechSound } from '../speech-sound.ts';

const stretchSeconds = 0.25;
/** Enough for a steady spectrum: 24 stretches of 11 transforms at 48 kHz. */
const mostStretches = 24;
/** In a recording of some seconds the quietest stretches are few: what is 6 dB above the first is speech. */
const mostAbove = 4;
/** Digital silence between recordings is no room. */
const leastPower = 1e-10;

/**
 * The quietest stretches of a recording, in order of time; none of a recording of nothing.
 * @param onProgress gets 0 to 1
 */
export function quietStretches(sound: SpeechSound): TimeRange[] {
  const frames = Math.round(stretchSeconds * speechRate);
  const atOnce = 240;
  let quietest: { readonly at: number; readonly power: number }[] = [];
  for (let from = 0; from + frames <= sound.frames; from += frames * atOnce) {
    const samples = sound.read(from, Math.min(frames * atOnce, sound.frames - from));
    for (let at = 0; at + frames <= samples.length; at += frames) {
      const power = loudestPart(samples.subarray(at, at + frames));
      if (power >= leastPower) quietest.push({ at: from + at, power });
    }
    quietest = quietest.toSorted((a, b) => a.power - b.power).slice(0, mostStretches);
  }
  const most = mostAbove * (quietest[0]?.power ?? 0);
  return quietest
    .filter(({ power }) => power <= most)
    .toSorted((a, b) => a.at - b.at)
    .map(({ at }) => ({ startSeconds: at / speechRate, endSeconds: (at + frames) / speechRate }));
}

const parts = 5;

/** Mean square of its loudest fifth: a stretch with the end of a word is not quiet. */
function loudestPart(samples: Float32Array): number {
  const length = Math.floor(samples.length / parts);
  let most = 0;
  for (let part = 0; part < parts; part += 1) {
    let sum = 0;
    for (let at = part * length; at < (part + 1) * length; at += 1) sum += samples[at]! ** 2;
    most = Math.max(most, sum / length);
  }
  return most;
}

/** Root mean square of the sound in stretches, full scale 1; 0 without any. */
export function levelIn(sound: SpeechSound, stretches: readonly TimeRange[]): number {
  let sum = 0;
  let count = 0;
  for (const { startSeconds, endSeconds } of stretches) {
    const from = Math.round(startSeconds * speechRate);
    const samples = sound.read(from, Math.min(longestFrames, Math.round(endSeconds * speechRate) - from));
    for (const sample of samples) sum += sample ** 2;
    count += samples.length;
  }
  return count === 0 ? 0 : Math.sqrt(sum / count);
}

/** Of one stretch: its level is known after half a minute. */
const longestFrames = 30 * speechRate;
