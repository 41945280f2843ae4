import type { AudioBlock } from '../pcm/block.ts';
import { FloatList } from './float-list.ts';

const size = 512;
const step = 256;
/** The analysis runs at about this rate: the band of speech, without its hiss. */
const workingRate = 8000;
const lowHz = 400;
const highHz = 3500;
/** A tone is steady when its peak has stood within one bin (about 16 Hz) for so many steps (about a quarter of a second). */
const steadySteps = 8;
/** A peak stands this far above the mean power around it. */
const peakRatio = 4;

export interface SteadinessMeter {
  readonly hopSeconds: number;
  push(block: AudioBlock): void;
  result(): Float32Array;
}

/** Complex FFT in place, radix 2, 512 points; tables made once. */
const cosines = Float64Array.from({ length: size / 2 }, (_, k) => Math.cos((2 * Math.PI * k) / size));
const sines = Float64Array.from({ length: size / 2 }, (_, k) => -Math.sin((2 * Math.PI * k) / size));
const reversed = Uint16Array.from({ length: size }, (_, i) => Number.parseInt(i.toString(2).padStart(9, '0').split('').toReversed().join(''), 2));
const window = Float64Array.from({ length: size }, (_, i) => 0.5 - 0.5 * Math.cos((2 * Math.PI * i) / size));

function transform(re: Float64Array, im: Float64Array): void {
  for (let length = 2; length <= size; length *= 2) {
    const stride = size / length;
    const half = length / 2;
    for (let k = 0; k < half; k += 1) {
      const wr = cosines[k * stride] as number;
      const wi = sines[k * stride] as number;
      for (let a = k; a < size; a += length) {
        const b = a + half;
        const xr = (re[b] as number) * wr - (im[b] as number) * wi;
        const xi = (re[b] as number) * wi + (im[b] as number) * wr;
        re[b] = (re[a] as number) - xr;
        im[b] = (im[a] as number) - xi;
        re[a] = (re[a] as number) + xr;
        im[a] = (im[a] as number) + xi;
      }
    }
  }
}

/**
 * How much of the sound between 400 and 3500 Hz stands in tones that stay where they are. Notes of music last and keep
 * their pitch; the harmonics of a voice glide all the time. After Seyerlehner, Pohle, Schedl, Widmer, "Automatic music
 * detection in television productions" (DAFx 2007), which counts horizontal bars in a spectrogram; here weighted by power, so
 * that a voice well above a bed of music still counts as a voice.
 */
export function meterSteadiness(sampleRate: number): SteadinessMeter {
  const factor = Math.max(1, Math.round(sampleRate / workingRate));
  const rate = sampleRate / factor;
  const binHz = rate / size;
  const first = Math.max(7, Math.round(lowHz / binHz));
  const last = Math.min(size / 2 - 8, Math.round(highHz / binHz));
  const shares = new FloatList();
  const ring = new Float64Array(2 * size);
  let filled = 0;
  let sum = 0;
  let count = 0;
  const re = new Float64Array(size);
  const im = new Float64Array(size);
  const power = new Float64Array(size / 2 + 1);
  /** For each bin: how long a peak has stood, and at which bin it began. */
  let age = new Uint8Array(size / 2 + 1);
  let origin = new Uint16Array(size / 2 + 1);
  let nextAge = new Uint8Array(size / 2 + 1);
  let nextOrigin = new Uint16Array(size / 2 + 1);

  const shareOf = (): number => {
    nextAge.fill(0);
    let around = 0;
    for (let b = first - 7; b < first + 6; b += 1) around += power[b] as number;
    let total = 0;
    let steady = 0;
    for (let b = first; b <= last; b += 1) {
      around += (power[b + 6] as number) - (power[b - 7] as number);
      const here = power[b] as number;
      total += here;
      if (!(here > (power[b - 1] as number) && here >= (power[b + 1] as number)) || here * 13 < peakRatio * around) continue;
      let best = 0;
      let from = b;
      for (let near = b - 1; near <= b + 1; near += 1) {
        const began = origin[near] as number;
        if ((age[near] as number) > best && began >= b - 1 && began <= b + 1) [best, from] = [age[near] as number, began];
      }
      nextAge[b] = Math.min(255, best + 1);
      nextOrigin[b] = from;
      if (best + 1 >= steadySteps) steady += here + (power[b - 1] as number) + (power[b + 1] as number);
    }
    [age, nextAge] = [nextAge, age];
    [origin, nextOrigin] = [nextOrigin, origin];
    return total > 1e-9 ? Math.min(1, steady / total) : 0;
  };

  /** Two windows, a step apart, in one complex transform. */
  const analyse = (): void => {
    for (let i = 0; i < size; i += 1) {
      const to = reversed[i] as number;
      re[to] = (ring[i] as number) * (window[i] as number);
      im[to] = (ring[i + step] as number) * (window[i] as number);
    }
    transform(re, im);
    for (const second of [false, true]) {
      for (let k = first - 7; k <= last + 7; k += 1) {
        const [ar, ai, br, bi] = [re[k] as number, im[k] as number, re[size - k] as number, im[size - k] as number];
        const x = second ? ai + bi : ar + br;
        const y = second ? br - ar : ai - bi;
        power[k] = x * x + y * y;
      }
      shares.push(shareOf());
    }
  };

  return {
    hopSeconds: step / rate,
    push({ planes, frames }) {
      const channels = Math.min(2, planes.length);
      const a = planes[0] as Float32Array;
      const b = (planes[channels - 1] ?? a) as Float32Array;
      const scale = 0.5 / factor;
      for (let i = 0; i < frames; i += 1) {
        sum += (a[i] as number) + (b[i] as number);
        count += 1;
        if (count < factor) continue;
        ring[filled] = Math.abs(sum) < 1e6 ? sum * scale : 0;
        filled += 1;
        sum = 0;
        count = 0;
        if (filled < size + step) continue;
        analyse();
        ring.copyWithin(0, 2 * step, filled);
        filled -= 2 * step;
      }
    },
    result: () => shares.values(),
  };
}
