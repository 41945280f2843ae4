// Clicks of lips and tongue: a few milliseconds of sound in all bands, in a pause. The burst of a p, t or k is one too:
// it has its vowel close behind it, or its word close before.
import { speechRate } from '../../speech-sound.ts';
import { meanOf } from './runs.ts';

/** Energy of half milliseconds. */
const clickHopSeconds = 0.0005;
const hop = clickHopSeconds * speechRate;
const hops = (seconds: number): number => Math.round(seconds / clickHopSeconds);
/** Above the hum of rooms and most of a voice. */
const highPassHz = 1500;
/** A click is so far above its surroundings. */
const peakDb = 10;
/** And falls by this much within half its longest length. */
const fallDb = 8;
const longestSeconds = 0.012;
/** What its surroundings are measured over, from this distance on. */
const nearSeconds = 0.012;
const aroundSeconds = 0.045;
/** Two sounds of one click. */
const joinSeconds = 0.03;

export interface Click {
  /** Seconds from the first sample. */
  readonly startSeconds: number;
  readonly endSeconds: number;
}

export function clicksOf(samples: Float32Array): Click[] {
  const levels = levelsOf(samples);
  const found: { startSeconds: number; endSeconds: number }[] = [];
  const [near, around] = [hops(nearSeconds), hops(aroundSeconds)];
  const half = hops(longestSeconds / 2);
  for (let at = around; at < levels.length - around; at++) {
    const level = levels[at]!;
    if (level < levels[at - 1]! || level < levels[at + 1]!) continue;
    const before = meanOf(levels, at - around, at - near);
    const after = meanOf(levels, at + near, at + around);
    if (level - Math.max(before, after) < peakDb) continue;
    let from = at;
    let to = at;
    while (at - from <= 2 * half && levels[from]! > level - fallDb) from -= 1;
    while (to - at <= 2 * half && levels[to]! > level - fallDb) to += 1;
    if (to - from - 1 > hops(longestSeconds)) continue;
    // Its surroundings have no other sound that is nearly as loud, except another click.
    const floor = Math.max(before, after);
    while (at - from <= near && levels[from]! > floor + fallDb / 2) from -= 1;
    while (to - at <= near && levels[to]! > floor + fallDb / 2) to += 1;
    const range = { startSeconds: (from + 1) * clickHopSeconds, endSeconds: to * clickHopSeconds };
    const last = found.at(-1);
    if (last !== undefined && range.startSeconds - last.endSeconds < joinSeconds)
      last.endSeconds = Math.max(last.endSeconds, range.endSeconds);
    else found.push(range);
    at = to;
  }
  return found;
}

/** dBFS above 1.5 kHz over 1.5 ms. */
function levelsOf(samples: Float32Array): Float32Array {
  const pole = Math.exp((-2 * Math.PI * highPassHz) / speechRate);
  let [first, second] = [samples[0] ?? 0, 0];
  const energies = Float32Array.from({ length: Math.floor(samples.length / hop) }, (_, index) => {
    let sum = 1e-11;
    for (let at = index * hop; at < (index + 1) * hop; at++) {
      first = pole * first + (1 - pole) * samples[at]!;
      const once = samples[at]! - first;
      second = pole * second + (1 - pole) * once;
      sum += (once - second) ** 2;
    }
    return sum;
  });
  return energies.map(
    (energy, at) => 10 * Math.log10((energy + (energies[at - 1] ?? energy) + (energies[at + 1] ?? energy)) / (3 * hop)),
  );
}
