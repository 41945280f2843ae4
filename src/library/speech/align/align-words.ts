// Aligns the words of a stretch of a recording with a reference: features, noise, and the path through both.
import { type AlignedWords, type AlignmentWindows, createAlignment } from '../../kernels/alignment.ts';
import { addChanges, cepstraOf, dimensions, meanCepstra, subtractMean } from './features.ts';
import { type HeardFeatures, meanBand } from './heard.ts';
import { bandCount } from './reference/mel-bands.ts';
import type { SpokenReference } from './reference/spoken-words.ts';

/** Cost of entering a pause: between words, and after a punctuation mark. */
export const pauseEntry = { betweenWords: 2, afterMark: 0.6 };

/** Cost of a frame in a pause, by its loudness: a frame in speech costs about .6. */
const pauseCosts = [
  { loudness: 0, cost: 0.25 },
  { loudness: 0.2, cost: 0.4 },
  { loudness: 0.45, cost: 1.25 },
] as const;

const gainSteps = 4;
const mostGain = 30;
const pairsTried = 4000;

/**
 * @param pauses cost of entering a pause before each word and, last, after the last one
 * @returns null when no path fits the windows
 */
export function alignWords(
  heard: HeardFeatures,
  reference: SpokenReference,
  pauses: Float32Array,
  windows: AlignmentWindows,
): AlignedWords | null {
  const features = referenceFeatures(reference.bands, heard);
  const alignment = createAlignment({
    dimensions,
    reference: features,
    wordStarts: reference.wordStarts,
    gapEntry: pauses,
    windows,
    frames: heard.frames,
    scale: 1 / randomDistance(heard.features, features, dimensions),
  });
  alignment.push(heard.features, heard.loudness.map(pauseCost), heard.frames);
  while (!alignment.trace());
  return alignment.result();
}

export function pauseCost(loudness: number): number {
  const [quiet, middle, loud] = pauseCosts;
  const along = (from: typeof quiet | typeof middle, to: typeof middle | typeof loud): number =>
    from.cost + ((loudness - from.loudness) / (to.loudness - from.loudness)) * (to.cost - from.cost);
  if (loudness <= quiet.loudness) return quiet.cost;
  if (loudness <= middle.loudness) return along(quiet, middle);
  return loudness <= loud.loudness ? along(middle, loud) : loud.cost;
}

const isKnown =
  (bands: Float32Array) =>
  (frame: number): boolean =>
    !Number.isNaN(bands[frame * bandCount]);

/** The reference with the recording's noise, and without its own spectral colour. */
function referenceFeatures(bands: Float32Array, heard: HeardFeatures): Float32Array<ArrayBuffer> {
  const features = cepstraOf(inNoise(bands, heard.noise, gainOf(bands, heard)));
  const mean = meanCepstra(features, isKnown(bands));
  subtractMean(features, () => mean);
  addChanges(features);
  // Next to unreadable words the deltas are unknown, too; a frame's first number stays NaN.
  for (let at = 0; at < features.length; at += 1)
    if (at % dimensions !== 0 && Number.isNaN(features[at])) features[at] = 0;
  return features;
}

/** Adds the recording's noise to a reference raised by `gain` (of logarithms). */
export const inNoise = (bands: Float32Array, noise: Float32Array, gain: number): Float32Array<ArrayBuffer> =>
  bands.map((energy, index) => Math.log(Math.exp(energy + gain) + Math.exp(noise[index % bandCount] ?? 0)));

/** Gain that brings a reference to the recording's level, both with its noise. */
export function gainOf(
  bands: Float32Array,
  { noise, activeLevel }: Pick<HeardFeatures, 'noise' | 'activeLevel'>,
): number {
  let gain = activeLevel - meanBand(bands, isKnown(bands));
  for (let step = 0; step < gainSteps; step += 1)
    gain += activeLevel - meanBand(inNoise(bands, noise, gain), isKnown(bands));
  return Math.max(-mostGain, Math.min(mostGain, gain));
}

/** Mean distance of unrelated frames. */
export function randomDistance(sound: Float32Array, reference: Float32Array, dimensions: number): number {
  const [frames, states] = [sound.length / dimensions, reference.length / dimensions];
  if (frames === 0 || states === 0) return 1;
  let [total, counted] = [0, 0];
  for (let pair = 0; pair < pairsTried; pair += 1) {
    // Weyl sequences: even coverage of both, deterministic.
    const a = Math.floor(((pair * 0.618_033_988_75) % 1) * frames) * dimensions;
    const b = Math.floor(((pair * 0.754_877_666_25) % 1) * states) * dimensions;
    let squares = 0;
    for (let d = 0; d < dimensions; d += 1) squares += ((sound[a + d] as number) - (reference[b + d] as number)) ** 2;
    if (Number.isNaN(squares)) continue;
    counted += 1;
    total += Math.sqrt(squares);
  }
  return counted === 0 ? 1 : Math.max(total / counted, 1e-6);
}
