// Silence and steady noise, in which no voice can be.
import { type SpeechSound, speechRate } from '../speech-sound.ts';

const frameSeconds = 0.032;
/** Also a voice that is 5 dB softer than white noise makes single frames louder by more. */
const leastRiseDb = 2;
/** No word is shorter; clicks are. */
const leastSeconds = 0.128;
/** Below the last bit of 16-bit sound: counts as silence. */
const silenceDbfs = -100;

const frame = Math.round(frameSeconds * speechRate);
const framesRead = 2048;

/**
 * Is a recording silent, or so even that no voice can be in it? Both its levels and those of the differences between
 * neighbouring samples must be: one hears the voice in hiss, the other in rumble.
 */
export function isSteady(sound: SpeechSound): boolean {
  const count = Math.floor(sound.frames / frame);
  const levels = new Float32Array(count);
  const differences = new Float32Array(count);
  for (let first = 0; first < count; first += framesRead) {
    const samples = sound.read(first * frame, framesRead * frame);
    for (let at = first; at < Math.min(count, first + framesRead); at += 1) {
      let [energy, change] = [0, 0];
      for (let index = (at - first) * frame + 1; index < (at - first + 1) * frame; index += 1) {
        const sample = samples[index] as number;
        energy += sample ** 2;
        change += (sample - (samples[index - 1] as number)) ** 2;
      }
      levels[at] = dbfs(energy);
      differences[at] = dbfs(change);
    }
  }
  return isEven(levels) && isEven(differences);
}

const dbfs = (energy: number): number => Math.max(silenceDbfs, 10 * Math.log10(energy / frame));

function isEven(levels: Float32Array): boolean {
  levels.sort();
  const usual = levels[Math.floor(levels.length / 2)] ?? silenceDbfs;
  // The softest of as many frames as the shortest word takes: single clicks are no word.
  const loud = levels[levels.length - Math.ceil(leastSeconds / frameSeconds)] ?? silenceDbfs;
  return loud - usual < leastRiseDb;
}
