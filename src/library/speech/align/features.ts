// Features for comparing frames of a recording and its reference: cepstra with deltas, both sides brought to the same
// colour, level and noise.
import { bandCount } from './reference/mel-bands.ts';

/** The first half of a frame's numbers: cepstra. The second half: their deltas. */
export const cepstraCount = 13;
/** Numbers of a frame. */
export const dimensions = 2 * cepstraCount;

/** Low weight, since the reference does not model the speaker's stress. */
const levelWeight = 0.3;
const changeWeight = 0.8;
const changeReach = 2;

const basis = Float32Array.from({ length: cepstraCount * bandCount }, (_, index) => {
  const [order, band] = [Math.floor(index / bandCount), index % bandCount];
  const scale = order === 0 ? Math.sqrt(1 / bandCount) * levelWeight : Math.sqrt(2 / bandCount);
  return scale * Math.cos((Math.PI * order * (band + 0.5)) / bandCount);
});

/** `dimensions` numbers for each frame; the second half of each is still empty. */
export function cepstraOf(bands: Float32Array): Float32Array<ArrayBuffer> {
  const frames = bands.length / bandCount;
  const features = new Float32Array(frames * dimensions);
  for (let frame = 0; frame < frames; frame += 1) {
    for (let order = 0; order < cepstraCount; order += 1) {
      let sum = 0;
      for (let band = 0; band < bandCount; band += 1)
        sum += (basis[order * bandCount + band] as number) * (bands[frame * bandCount + band] as number);
      features[frame * dimensions + order] = sum;
    }
  }
  return features;
}

/** Fills in the deltas: the slope of a line through five frames (Furui 1986). */
export function addChanges(features: Float32Array): void {
  const frames = features.length / dimensions;
  let squares = 0;
  for (let reach = 1; reach <= changeReach; reach += 1) squares += 2 * reach * reach;
  for (let frame = 0; frame < frames; frame += 1) {
    for (let order = 0; order < cepstraCount; order += 1) {
      let sum = 0;
      for (let reach = 1; reach <= changeReach; reach += 1) {
        const after = features[Math.min(frames - 1, frame + reach) * dimensions + order] as number;
        const before = features[Math.max(0, frame - reach) * dimensions + order] as number;
        sum += reach * (after - before);
      }
      features[frame * dimensions + cepstraCount + order] = (changeWeight * sum) / squares;
    }
  }
}

/** Mean cepstra of the selected frames. */
export function meanCepstra(features: Float32Array, counts: (frame: number) => boolean): Float64Array {
  const mean = new Float64Array(cepstraCount);
  let counted = 0;
  for (let frame = 0; frame < features.length / dimensions; frame += 1) {
    if (!counts(frame)) continue;
    counted += 1;
    for (let order = 0; order < cepstraCount; order += 1)
      mean[order] = (mean[order] as number) + (features[frame * dimensions + order] as number);
  }
  return mean.map((sum) => (counted > 0 ? sum / counted : 0));
}

/** @param meanOf the mean to subtract from a frame's cepstra */
export function subtractMean(features: Float32Array, meanOf: (frame: number) => ArrayLike<number>): void {
  for (let frame = 0; frame < features.length / dimensions; frame += 1) {
    const mean = meanOf(frame);
    for (let order = 0; order < cepstraCount; order += 1) {
      const at = frame * dimensions + order;
      features[at] = (features[at] as number) - (mean[order] ?? 0);
    }
  }
}

/**
 * Natural logarithm of the energy of all bands of each frame.
 * @param noiseOf bands by which a frame's are divided first
 */
export function levelsOf(
  bands: Float32Array,
  noiseOf: (frame: number) => ArrayLike<number> = () => [],
): Float32Array<ArrayBuffer> {
  const levels = new Float32Array(bands.length / bandCount);
  for (let frame = 0; frame < levels.length; frame += 1) {
    const noise = noiseOf(frame);
    let sum = 0;
    for (let band = 0; band < bandCount; band += 1)
      sum += Math.exp((bands[frame * bandCount + band] as number) - (noise[band] ?? 0));
    levels[frame] = Math.log(sum);
  }
  return levels;
}
