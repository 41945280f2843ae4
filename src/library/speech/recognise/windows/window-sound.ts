import { freeMemory } from '../../../core/free-buffer.ts';
import { type SpeechSound, speechRate } from '../../speech-sound.ts';
import type { ListeningWindow } from './windows.ts';

/** 32 ms. */
const stepSamples = 512;
/** Share of a window's steps that are its loud ones: syllables, not a single bang. */
const loudShare = 0.05;
/** RMS of the loud steps under which a window counts as quiet, 12 dB below ordinary speech. */
const quietRms = 0.03;
/** RMS of the loud steps of ordinary speech. */
const usualRms = 0.12;
/** Below that is only the noise of 16 bits. */
const mostGain = 3000;

/**
 * The sound of a window, its pieces one after the other. Recognisers learned from speech at usual levels and lose words
 * far below: a quiet window is raised to them. Others stay as they are, to the bit.
 */
export function soundOf(sound: SpeechSound, { pieces }: ListeningWindow): Float32Array<ArrayBuffer> {
  const parts = pieces.map(({ startSeconds, endSeconds }) => {
    const from = Math.round(startSeconds * speechRate);
    return sound.read(from, Math.round(endSeconds * speechRate) - from);
  });
  const whole = new Float32Array(parts.reduce((sum, part) => sum + part.length, 0));
  let at = 0;
  for (const part of parts) {
    whole.set(part, at);
    at += part.length;
    freeMemory(part);
  }
  raiseQuiet(whole);
  return whole;
}

/** RMS of the loud steps; 0 for less than a step. */
export function loudRmsOf(samples: Float32Array): number {
  const steps = Math.floor(samples.length / stepSamples);
  const powers = new Float32Array(steps);
  for (let step = 0; step < steps; step += 1) {
    let sum = 0;
    for (let index = step * stepSamples; index < (step + 1) * stepSamples; index += 1)
      sum += (samples[index] as number) ** 2;
    powers[step] = sum / stepSamples;
  }
  return Math.sqrt(powers.toSorted()[Math.floor((1 - loudShare) * (steps - 1))] ?? 0);
}

function raiseQuiet(samples: Float32Array): void {
  const loudRms = loudRmsOf(samples);
  if (loudRms === 0 || loudRms >= quietRms) return;
  const gain = Math.min(mostGain, usualRms / loudRms);
  for (let index = 0; index < samples.length; index += 1) samples[index] = (samples[index] as number) * gain;
}
