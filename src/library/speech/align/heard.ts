// Features of a stretch of a recording: cepstra without the colour of room and voice, and how much each frame resembles
// a pause. Colour and levels are measured over the 20 s around a frame, so that they may change.
import { type SpeechSound, speechRate } from '../speech-sound.ts';
import { addChanges, cepstraOf, dimensions, levelsOf, meanCepstra, subtractMean } from './features.ts';
import { bandCount, createMelBands, leastEnergy, type MelBands } from './reference/mel-bands.ts';

export interface HeardFeatures {
  readonly frames: number;
  /** `dimensions` numbers per frame. */
  readonly features: Float32Array<ArrayBuffer>;
  /** A frame's level between the pauses (0) and the loud parts (1) around it. */
  readonly loudness: Float32Array<ArrayBuffer>;
  /** Mean bands of the quietest tenth of the frames around the stretch's middle. */
  readonly noise: Float32Array<ArrayBuffer>;
  /** Mean of all bands of the frames with speech. */
  readonly activeLevel: number;
}

const windowFrames = 2000;
const everyFrames = 250;
const floorShare = 0.08;
const loudShare = 0.95;
const activeFrom = 0.35;
/** Above nothing at all, of logarithms: what is put where sound is missing, late or muted. A room is never so quiet. */
const digitalSilence = 3;
/** Of the frames around, so many have sound; else the silence is all that is known of the pauses. */
const leastAudible = 0.1;

/** Is a frame of this loudness not a pause? */
export const isVoiced = (loudness: number): boolean => loudness >= activeFrom;

let mel: MelBands | undefined;

/**
 * @param from first frame of 10 ms; frames before and after the recording are silence
 * @param sound is also read up to 10 s around the stretch
 */
export function hear(sound: SpeechSound, from: number, frames: number): HeardFeatures {
  mel ??= createMelBands(speechRate);
  const total = Math.ceil(sound.frames / mel.hop);
  const begin = Math.max(Math.min(from, total), from - windowFrames / 2, 0);
  const end = Math.max(from + frames, Math.min(total, from + frames + windowFrames / 2));
  const lead = Math.min(mel.hop * 4, begin * mel.hop);
  const samples = sound.read(begin * mel.hop - lead, (end - begin + 4) * mel.hop + lead);
  const bands = mel.of(samples, lead, end - begin);
  return heardBands(bands, from - begin, frames);
}

function heardBands(bands: Float32Array, from: number, frames: number): HeardFeatures {
  const energies = levelsOf(bands);
  const audible = audibleIn(energies);
  const noise = windowsOver(energies.length, (first, last) => [...quietest(bands, energies, audible(first, last))]);
  // Relative to the noise of its own band, weak speech is visible as well.
  const levels = levelsOf(bands, (frame) => between(noise, frame));
  const features = cepstraOf(bands);
  const loudness = new Float32Array(levels.length);
  const grid = windowsOver(levels.length, (first, last) => {
    const sorted = Float32Array.from(audible(first, last), (frame) => levels[frame] as number).sort();
    const at = (share: number): number => sorted[Math.min(sorted.length - 1, Math.floor(share * sorted.length))] ?? 0;
    return [at(floorShare), at(loudShare)];
  });
  for (let frame = 0; frame < levels.length; frame += 1) {
    const [floor, loud] = between(grid, frame) as [number, number];
    loudness[frame] = ((levels[frame] as number) - floor) / Math.max(1, loud - floor);
  }
  const isActive = (frame: number): boolean => isVoiced(loudness[frame] as number);
  const means = windowsOver(levels.length, (first, last) => [
    ...meanCepstra(features.subarray(first * dimensions, last * dimensions), (frame) => isActive(first + frame)),
  ]);
  subtractMean(features, (frame) => between(means, frame));
  addChanges(features);
  const within = bands.subarray(from * bandCount, (from + frames) * bandCount);
  return {
    frames,
    features: features.slice(from * dimensions, (from + frames) * dimensions),
    loudness: loudness.slice(from, from + frames),
    noise: Float32Array.from(between(noise, from + frames / 2)),
    activeLevel: meanBand(within, (frame) => isActive(from + frame)),
  };
}

/** A row of values every 2.5 s, each from the window around it. */
function windowsOver(frames: number, measure: (first: number, last: number) => number[]): number[][] {
  return Array.from({ length: Math.max(1, Math.ceil(frames / everyFrames)) }, (_, index) => {
    const middle = index * everyFrames;
    const first = Math.max(0, Math.min(middle - windowFrames / 2, frames - windowFrames));
    return measure(first, Math.min(frames, first + windowFrames));
  });
}

function between(rows: readonly number[][], frame: number): number[] {
  const at = frame / everyFrames;
  const index = Math.min(rows.length - 1, Math.floor(at));
  const [before, after] = [rows[index] as number[], rows[Math.min(rows.length - 1, index + 1)] as number[]];
  return before.map((value, order) => value + (at - index) * ((after[order] as number) - value));
}

/** Frames of a window that are not digital silence: beside it, the noise of a room would be taken for speech. */
function audibleIn(energies: Float32Array): (first: number, last: number) => readonly number[] {
  const nothing = Math.log(bandCount * leastEnergy) + digitalSilence;
  return (first, last) => {
    const all = Array.from({ length: last - first }, (_, n) => first + n);
    const audible = all.filter((frame) => (energies[frame] as number) > nothing);
    return audible.length > leastAudible * all.length ? audible : all;
  };
}

function quietest(bands: Float32Array, levels: Float32Array, frames: readonly number[]): Float32Array<ArrayBuffer> {
  const noise = new Float32Array(bandCount);
  const order = frames.toSorted((a, b) => (levels[a] as number) - (levels[b] as number));
  const chosen = order.slice(0, Math.max(1, Math.floor(order.length / 10)));
  for (const frame of chosen)
    for (let band = 0; band < bandCount; band += 1)
      noise[band] = (noise[band] as number) + (bands[frame * bandCount + band] ?? 0) / chosen.length;
  return noise;
}

/** Mean of all bands of the selected frames. */
export function meanBand(bands: Float32Array, counts: (frame: number) => boolean): number {
  let [sum, counted] = [0, 0];
  for (let frame = 0; frame < bands.length / bandCount; frame += 1) {
    if (!counts(frame)) continue;
    counted += 1;
    for (let band = 0; band < bandCount; band += 1) sum += bands[frame * bandCount + band] as number;
  }
  return counted > 0 ? sum / (counted * bandCount) : 0;
}
