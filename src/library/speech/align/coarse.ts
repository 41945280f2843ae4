// Recording and reference in steps of 160 ms: means of their frames, for a first search over all of both.
import { setImmediate } from 'node:timers/promises';
import { throwIfAborted } from '../../core/abort.ts';
import type { SpeechSound } from '../speech-sound.ts';
import { gainOf, inNoise, pauseCost } from './align-words.ts';
import { cepstraCount, cepstraOf, dimensions as fineDimensions } from './features.ts';
import { hear, isVoiced } from './heard.ts';
import { bandCount, hopsPerSecond } from './reference/mel-bands.ts';
import type { Pronunciation } from './pieces.ts';
import { type ReferenceWord, speak } from './reference/reference.ts';

/** Frames of a step. */
export const framesPerStep = 16;
/** Frames processed at once: a whole number of steps, two minutes. */
const framesAtOnce = 12_000;
const wordsAtOnce = 300;

export interface CoarseSound {
  readonly steps: number;
  /** Numbers per step. */
  readonly dimensions: number;
  readonly features: Float32Array;
  readonly pauseCosts: Float32Array;
  /** Share of each step with a voice, or something as loud. */
  readonly voiced: Float32Array;
  readonly noise: Float32Array<ArrayBuffer>;
  readonly activeLevel: number;
}

export interface CoarseReference {
  readonly features: Float32Array;
  readonly wordStarts: Int32Array;
}

export async function coarseSound(sound: SpeechSound, signal: AbortSignal): Promise<CoarseSound> {
  const steps = Math.floor((sound.durationSeconds * hopsPerSecond) / framesPerStep);
  const features = new Float32Array(steps * cepstraCount);
  const pauseCosts = new Float32Array(steps);
  const voiced = new Float32Array(steps);
  const noise = new Float32Array(bandCount);
  let activeLevel = 0;
  for (let from = 0; from < steps * framesPerStep; from += framesAtOnce) {
    const frames = Math.min(framesAtOnce, steps * framesPerStep - from);
    const heard = hear(sound, from, frames);
    for (let frame = 0; frame < frames; frame += 1) {
      const step = Math.floor((from + frame) / framesPerStep);
      const loudness = heard.loudness[frame] as number;
      pauseCosts[step] = (pauseCosts[step] as number) + pauseCost(loudness) / framesPerStep;
      voiced[step] = (voiced[step] as number) + (isVoiced(loudness) ? 1 / framesPerStep : 0);
      addCepstra(features, step, heard.features, frame, framesPerStep);
    }
    const share = frames / (steps * framesPerStep);
    for (let band = 0; band < bandCount; band += 1)
      noise[band] = (noise[band] as number) + share * (heard.noise[band] as number);
    activeLevel += share * heard.activeLevel;
    await setImmediate();
    throwIfAborted(signal);
  }
  return { steps, dimensions: cepstraCount, features, pauseCosts, voiced, noise, activeLevel };
}

export async function coarseReference(
  { espeak, voice, language }: Pronunciation,
  words: readonly ReferenceWord[],
  heard: CoarseSound,
  signal: AbortSignal,
): Promise<CoarseReference> {
  const parts: Float32Array[] = [];
  const wordStarts = new Int32Array(words.length + 1);
  let gain: number | null = null;
  for (let from = 0; from < words.length; from += wordsAtOnce) {
    const reference = speak(espeak, voice, language, words.slice(from, from + wordsAtOnce));
    gain ??= gainOf(reference.bands, heard);
    const cepstra = cepstraOf(inNoise(reference.bands, heard.noise, gain));
    const counts = Array.from({ length: reference.wordStarts.length - 1 }, (_, word) => {
      const frames = (reference.wordStarts[word + 1] as number) - (reference.wordStarts[word] as number);
      return Math.max(1, Math.round(frames / framesPerStep));
    });
    parts.push(stepsOfWords(cepstra, reference.wordStarts, counts));
    counts.forEach((count, word) => (wordStarts[from + word + 1] = (wordStarts[from + word] as number) + count));
    await setImmediate();
    throwIfAborted(signal);
  }
  const features = new Float32Array((wordStarts.at(-1) as number) * cepstraCount);
  let at = 0;
  for (const part of parts) {
    features.set(part, at);
    at += part.length;
  }
  removeMean(features);
  return { features, wordStarts };
}

/** Divides each word evenly into this many steps. */
function stepsOfWords(cepstra: Float32Array, wordStarts: Int32Array, counts: readonly number[]): Float32Array {
  const steps = new Float32Array(counts.reduce((sum, count) => sum + count, 0) * cepstraCount);
  let step = 0;
  for (const [word, count] of counts.entries()) {
    const [begin, end] = [wordStarts[word] as number, wordStarts[word + 1] as number];
    for (let part = 0; part < count; part += 1) {
      const from = begin + Math.floor((part * (end - begin)) / count);
      const to = Math.max(from + 1, begin + Math.floor(((part + 1) * (end - begin)) / count));
      for (let frame = from; frame < to; frame += 1) addCepstra(steps, step, cepstra, frame, to - from);
      step += 1;
    }
  }
  return steps;
}

function addCepstra(steps: Float32Array, step: number, frames: Float32Array, frame: number, parts: number): void {
  for (let order = 0; order < cepstraCount; order += 1) {
    const at = step * cepstraCount + order;
    steps[at] = (steps[at] as number) + (frames[frame * fineDimensions + order] as number) / parts;
  }
}

function removeMean(features: Float32Array): void {
  const steps = features.length / cepstraCount;
  for (let order = 0; order < cepstraCount; order += 1) {
    let [sum, counted] = [0, 0];
    for (let step = 0; step < steps; step += 1) {
      const value = features[step * cepstraCount + order] as number;
      if (Number.isNaN(value)) continue;
      sum += value;
      counted += 1;
    }
    for (let step = 0; step < steps; step += 1) {
      const at = step * cepstraCount + order;
      // Unreadable words keep their NaN.
      features[at] = (features[at] as number) - (counted > 0 ? sum / counted : 0);
    }
  }
}
