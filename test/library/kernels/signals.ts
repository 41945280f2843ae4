/** Test signals by their definitions, and readings to hold against them. */
import { seeded } from '../../fixtures/random.ts';

export { seeded };

export const db = (linear: number): number => 20 * Math.log10(linear);
export const fromDb = (decibels: number): number => 10 ** (decibels / 20);

export function make(frames: number, sample: (frame: number) => number): Float32Array {
  const plane = new Float32Array(frames);
  for (let i = 0; i < frames; i++) plane[i] = sample(i);
  return plane;
}

export const noise = (frames: number, seed: number, amplitude = 1): Float32Array => {
  const random = seeded(seed);
  return make(frames, () => amplitude * (random() * 2 - 1));
};

/** A 1 kHz tone whose level changes in steps: [seconds, peak level in dBFS (-Infinity: silence)], phase continuous. */
export function steppedTone(
  sampleRate: number,
  steps: readonly (readonly [seconds: number, dbfs: number])[],
  hz = 1000,
): Float32Array {
  const lengths = steps.map(([seconds]) => Math.round(seconds * sampleRate));
  const plane = new Float32Array(lengths.reduce((a, b) => a + b, 0));
  let at = 0;
  steps.forEach(([, dbfs], k) => {
    const amplitude = fromDb(dbfs);
    for (const end = at + lengths[k]!; at < end; at++)
      plane[at] = amplitude * Math.sin((2 * Math.PI * hz * at) / sampleRate);
  });
  return plane;
}

/** Cuts planes into blocks of random lengths (0 among them). */
export function* randomCuts(
  planes: readonly Float32Array[],
  random: () => number,
  greatest = 5000,
): Generator<Float32Array[]> {
  const frames = planes[0]!.length;
  for (let at = 0; at < frames;) {
    // Often tiny, sometimes long: borders fall everywhere.
    const length = Math.min(frames - at, Math.floor(random() < 0.3 ? random() * 9 : random() * greatest));
    yield planes.map((p) => p.subarray(at, at + length));
    at += length;
  }
}

/** A copy that begins at an odd byte offset of its buffer, as views into larger memory do. */
export function offsetView(plane: Float32Array): Float32Array {
  const memory = new Float32Array(plane.length + 3);
  const view = memory.subarray(3);
  view.set(plane);
  return view;
}

export const powerOf = (plane: Float32Array): number => plane.reduce((sum, x) => sum + x * x, 0) / plane.length;
