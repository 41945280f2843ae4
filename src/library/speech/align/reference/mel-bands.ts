// Energies in bands as wide as the ear's, one frame every hundredth of a second: the basis for comparing sound.
import { createStft, type Stft } from '../../../kernels/stft.ts';

/** Bands of a frame. */
export const bandCount = 40;

const lowestHz = 133.3333;
const highestHz = 6855.4976;
const windowSeconds = 0.025;
/** Frames per second; up to a quarter of a percent more in a reference. */
export const hopsPerSecond = 100;
const preEmphasis = 0.97;
/** Below the resolution of 16 bits. */
export const leastEnergy = 1e-10;
const framesAtOnce = 512;

export interface MelBands {
  /** Samples from one frame to the next. */
  readonly hop: number;
  /**
   * Natural logarithms of `bandCount` energies for each of `frames` frames. Frame t covers the middle of its hop, which
   * starts at sample `start + t * hop`; outside of the samples is silence.
   */
  of(samples: Float32Array, start: number, frames: number): Float32Array<ArrayBuffer>;
}

interface Band {
  readonly first: number;
  readonly weights: Float32Array;
}

/**
 * 40 triangular bands between 133 and 6855 Hz, evenly spaced on the mel scale of O'Shaughnessy (1987), over the power
 * spectrum of 25 ms under a Hann window after pre-emphasis.
 * @param sampleRate 16000 Hz or more
 */
export function createMelBands(sampleRate: number): MelBands {
  const hop = Math.floor(sampleRate / hopsPerSecond);
  const frame = transformLength(sampleRate);
  const stft = createStft({ window: centredHann(frame, Math.round(windowSeconds * sampleRate)), hop });
  const bands = triangles(sampleRate / frame, stft.bins);
  // The same emphasis at any rate: .97 at 16 kHz.
  const emphasis = preEmphasis ** (16_000 / sampleRate);
  const lead = Math.floor(frame / 2) - Math.floor(hop / 2);
  return {
    hop,
    of(samples, start, frames) {
      const out = new Float32Array(frames * bandCount);
      for (let done = 0; done < frames; done += framesAtOnce) {
        const count = Math.min(framesAtOnce, frames - done);
        const from = start + done * hop - lead;
        const sound = emphasised(samples, from, (count - 1) * hop + frame, emphasis);
        energies(stft, bands, sound, count, out.subarray(done * bandCount, (done + count) * bandCount));
      }
      return out;
    },
  };
}

/** A length near 32 ms that the transform supports. */
function transformLength(sampleRate: number): number {
  const fits = (length: number): boolean => {
    let rest = length;
    for (const factor of [2, 3, 5]) while (rest % factor === 0) rest /= factor;
    return rest === 1 && length % 4 === 0;
  };
  let length = 4 * Math.round((0.032 * sampleRate) / 4);
  while (!fits(length)) length += 4;
  return length;
}

function centredHann(length: number, width: number): Float32Array {
  const window = new Float32Array(length);
  const from = Math.floor((length - width) / 2);
  for (let i = 0; i < width; i += 1) window[from + i] = 0.5 - 0.5 * Math.cos((2 * Math.PI * (i + 0.5)) / width);
  return window;
}

const melOfHz = (hz: number): number => 2595 * Math.log10(1 + hz / 700);
const hzOfMel = (mel: number): number => 700 * (10 ** (mel / 2595) - 1);

function triangles(binHz: number, bins: number): Band[] {
  const [low, high] = [melOfHz(lowestHz), melOfHz(highestHz)];
  const edge = (index: number): number => hzOfMel(low + ((high - low) * index) / (bandCount + 1));
  return Array.from({ length: bandCount }, (_, index) => {
    const [from, top, to] = [edge(index), edge(index + 1), edge(index + 2)];
    const first = Math.max(0, Math.ceil(from / binHz));
    const last = Math.min(bins - 1, Math.floor(to / binHz));
    const weights = new Float32Array(Math.max(1, last - first + 1));
    for (let bin = first; bin <= last; bin += 1) {
      const hz = bin * binHz;
      weights[bin - first] = Math.max(0, Math.min((hz - from) / (top - from), (to - hz) / (to - top)));
    }
    return { first, weights };
  });
}

function emphasised(samples: Float32Array, from: number, length: number, emphasis: number): Float32Array {
  const sound = new Float32Array(length);
  const begin = Math.max(0, -from);
  const end = Math.min(length, samples.length - from);
  let before = samples[from + begin - 1] ?? 0;
  for (let i = begin; i < end; i += 1) {
    const sample = samples[from + i] as number;
    sound[i] = sample - emphasis * before;
    before = sample;
  }
  return sound;
}

function energies(stft: Stft, bands: readonly Band[], sound: Float32Array, count: number, out: Float32Array): void {
  const { bins } = stft;
  const [re, im] = [new Float32Array(count * bins), new Float32Array(count * bins)];
  stft.forward(sound, count, 2 / (bins - 1), re, im);
  for (let i = 0; i < re.length; i += 1) re[i] = (re[i] as number) ** 2 + (im[i] as number) ** 2;
  for (let frame = 0; frame < count; frame += 1) {
    const at = frame * bins;
    for (let index = 0; index < bandCount; index += 1) {
      const { first, weights } = bands[index] as Band;
      let sum = 0;
      for (let i = 0; i < weights.length; i += 1) sum += (re[at + first + i] as number) * (weights[i] as number);
      out[frame * bandCount + index] = Math.log(Math.max(sum, leastEnergy));
    }
  }
}
