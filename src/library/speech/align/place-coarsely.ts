// A first search over a whole recording for the approximate time of each word of a script.
import type { TimeRange } from '../../core/time-range.ts';
import { setImmediate } from 'node:timers/promises';
import { throwIfAborted } from '../../core/abort.ts';
import { type AlignmentWindows, createAlignment } from '../../kernels/alignment.ts';
import type { SpeechSound } from '../speech-sound.ts';
import { pauseEntry, randomDistance } from './align-words.ts';
import { coarseReference, coarseSound, type CoarseSound, framesPerStep } from './coarse.ts';
import { hopsPerSecond } from './reference/mel-bands.ts';
import { pausesOf, type RoughWord, type Pronunciation, risingWindows } from './pieces.ts';
import type { SpokenForm } from './script/spoken-form.ts';

const stepSeconds = framesPerStep / hopsPerSecond;
/** Uncertainty of the coarse search. */
const slackSeconds = 2.5;
/** Larger tables are searched near the diagonal only. */
const mostCells = 600e6;
const bandSeconds = 600;
const bandShare = 0.1;
const rowsAtOnce = 256;
/** Cost of entering a pause between words: a step has sixteen frames. */
const coarsePause = 0.3;

/**
 * Viterbi over the whole recording in steps of 160 ms.
 * @param known approximate times of words, where known
 */
export async function placeCoarsely(
  reading: Pronunciation,
  sound: SpeechSound,
  words: readonly SpokenForm[],
  signal: AbortSignal,
  known: readonly (TimeRange | null)[] = [],
): Promise<RoughWord[]> {
  const heard = await coarseSound(sound, signal);
  const reference = await coarseReference(reading, words, heard, signal);
  const { dimensions } = heard;
  const alignment = createAlignment({
    dimensions,
    reference: reference.features,
    wordStarts: reference.wordStarts,
    // Steps are longer and costs are per step, so a pause must be cheaper to enter.
    gapEntry: pausesOf(words).map((cost) => (cost * coarsePause) / pauseEntry.betweenWords),
    windows: windowsFor(heard, reference.wordStarts, known),
    frames: heard.steps,
    scale: 1 / randomDistance(heard.features, reference.features, dimensions),
  });
  for (let from = 0; from < heard.steps; from += rowsAtOnce) {
    const rows = Math.min(rowsAtOnce, heard.steps - from);
    alignment.push(heard.features.subarray(from * dimensions), heard.pauseCosts.subarray(from), rows);
    await setImmediate();
    throwIfAborted(signal);
  }
  while (!alignment.trace()) {
    await setImmediate();
    throwIfAborted(signal);
  }
  const found = alignment.result();
  const states = reference.wordStarts.at(-1) as number;
  return words.map((word, index) => {
    // Without a path, the script is spread evenly over the recording.
    const start = found ? (found.starts[index] ?? 0) : ((reference.wordStarts[index] ?? 0) / states) * heard.steps;
    const end = found ? (found.ends[index] ?? 0) : ((reference.wordStarts[index + 1] ?? 0) / states) * heard.steps;
    return { ...word, startSeconds: start * stepSeconds, endSeconds: end * stepSeconds, slackSeconds };
  });
}

/** Anywhere between the known words; in long recordings near where the same share of the script has been spoken. */
function windowsFor(
  { steps, voiced }: CoarseSound,
  wordStarts: Int32Array,
  known: readonly (TimeRange | null)[],
): AlignmentWindows {
  const words = wordStarts.length - 1;
  const states = wordStarts[words] as number;
  const from = new Int32Array(words);
  const to = new Int32Array(words).fill(steps);
  if (steps * states > mostCells) {
    const said = new Float64Array(steps + 1);
    for (let step = 0; step < steps; step += 1) said[step + 1] = (said[step] as number) + (voiced[step] as number);
    const reach = Math.round(Math.max(bandSeconds / stepSeconds, bandShare * steps));
    let at = 0;
    for (let word = 0; word < words; word += 1) {
      const share = ((wordStarts[word] as number) / states) * (said[steps] as number);
      while (at < steps && (said[at] as number) < share) at += 1;
      [from[word], to[word]] = [Math.max(0, at - reach), Math.min(steps, at + reach)];
    }
  }
  for (const [word, place] of known.entries()) {
    if (!place) continue;
    from[word] = Math.max(from[word] as number, Math.floor((place.startSeconds - slackSeconds) / stepSeconds));
    to[word] = Math.min(to[word] as number, Math.ceil((place.endSeconds + slackSeconds) / stepSeconds));
  }
  for (let word = 1; word < words; word += 1) from[word] = Math.max(from[word] as number, from[word - 1] as number);
  for (let word = words - 1; word > 0; word -= 1) to[word - 1] = Math.min(to[word - 1] as number, to[word] as number);
  const limits = Array.from(from, (least, word) => {
    const most = Math.max(least, to[word] as number);
    return { earliestStart: least, latestStart: most, earliestEnd: least, latestEnd: most };
  });
  return risingWindows(limits, steps);
}
