// The timbre of a sound, independent of its loudness: levels of Bark bands (Zwicker 1961) relative to their mean.
import { createStft } from '../../kernels/stft.ts';
import { speechRate } from '../speech-sound.ts';

/** In samples; 32 ms contain two periods of a low voice. */
export const frame = 512;
const frameHopSeconds = 0.01;
export const frameHop = frameHopSeconds * speechRate;

const bandEdgesHz = [
  100, 200, 300, 400, 510, 630, 770, 920, 1080, 1270, 1480, 1720, 2000, 2320, 2700, 3150, 3700, 4400,
];
const hann = Float32Array.from({ length: frame }, (_, i) => 0.5 - 0.5 * Math.cos((2 * Math.PI * (i + 0.5)) / frame));

/** Decibels relative to their mean, band by band. */
export type Timbre = readonly number[];

/** One per 10 ms, as far as whole frames fit. */
export function timbresOf(samples: Float32Array): Timbre[] {
  const count = Math.max(0, Math.floor((samples.length - frame) / frameHop) + 1);
  if (count === 0) return [];
  const stft = createStft({ window: hann, hop: frameHop });
  const re = new Float32Array(count * stft.bins);
  const im = new Float32Array(count * stft.bins);
  stft.forward(samples, count, 1 / frame, re, im);
  return Array.from({ length: count }, (_, index) => {
    const levels = bandEdgesHz.slice(1).map((edge, band) => {
      const from = Math.round((bandEdgesHz[band]! * frame) / speechRate);
      const to = Math.max(from + 1, Math.round((edge * frame) / speechRate));
      let power = 0;
      for (let bin = index * stft.bins + from; bin < index * stft.bins + to; bin++)
        power += re[bin]! ** 2 + im[bin]! ** 2;
      return 10 * Math.log10(power / (to - from) + 1e-10);
    });
    const mean = levels.reduce((sum, level) => sum + level, 0) / levels.length;
    return levels.map((level) => level - mean);
  });
}

/** @param timbres at least one */
export const meanTimbre = (timbres: readonly Timbre[]): Timbre =>
  timbres[0]!.map((_, band) => timbres.reduce((sum, timbre) => sum + timbre[band]!, 0) / timbres.length);

/** Cosine, -1 to 1: a held vowel is over .95 similar to itself, another sound under .9. */
export function timbreLikeness(a: Timbre, b: Timbre): number {
  let product = 0;
  let first = 1e-9;
  let second = 1e-9;
  for (const [band, value] of a.entries()) {
    product += value * b[band]!;
    first += value * value;
    second += b[band]! ** 2;
  }
  return product / Math.sqrt(first * second);
}
