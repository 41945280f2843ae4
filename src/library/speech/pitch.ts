// The pitch of a moment of a voice, by normalised autocorrelation.
import { speechRate } from './speech-sound.ts';

/** Samples that a pitch is told from: 32 ms, two periods of a low voice. */
export const pitchFrame = 512;

const lowestHz = 65;
const highestHz = 400;

/**
 * @param samples at least `pitchFrame` from `at` on
 * @returns periodicity: 0 to 1, the likeness of the sound to itself one period later
 */
export function pitchOf(samples: Float32Array, at: number): { readonly periodicity: number; readonly hz: number } {
  let best = 0;
  let bestLag = 1;
  const longest = Math.floor(speechRate / lowestHz);
  const length = pitchFrame - longest;
  let energy = 1e-9;
  for (let i = 0; i < length; i++) energy += samples[at + i]! ** 2;
  for (let lag = Math.floor(speechRate / highestHz); lag <= longest; lag++) {
    let product = 0;
    let shifted = 1e-9;
    for (let i = 0; i < length; i++) {
      const other = samples[at + i + lag]!;
      product += samples[at + i]! * other;
      shifted += other * other;
    }
    const likeness = product / Math.sqrt(energy * shifted);
    // An octave below is equally periodic; the shortest period that is nearly the best is the voice's.
    if (likeness > best + 0.02) [best, bestLag] = [likeness, lag];
  }
  return { periodicity: best, hz: speechRate / bestLag };
}
