import { createStft } from '../../kernels/stft.ts';
import type { AudioBlock } from '../../pcm/block.ts';
import { OppositePair } from '../../pcm/opposite-channels.ts';
import { FloatList } from '../series/float-list.ts';
import { meterTimbre, type Timbre } from './timbre.ts';

const size = 512;
const step = 256;
/** Transformed in one call. */
const windows = 2;
/** The analysis runs at about this rate: the band of speech, without sibilants. */
const workingRate = 8000;
const lowHz = 400;
const highHz = 3500;
/**
 * A tone is steady when its peak stays within one bin (about 16 Hz) for this many steps (about a quarter of a second).
 */
const steadySteps = 8;
/** Range of a voice's harmonics. */
const voiceLowHz = 110;
const voiceHighHz = 2000;
/** A peak is this far above the mean power around it. */
const peakRatio = 4;

export interface SteadinessMeter {
  readonly hopSeconds: number;
  push(block: AudioBlock): void;
  /** Hands over the measurements so far. */
  take(): Tonality;
}

/** One value per hop each. */
export interface Tonality {
  /** Share of the power between 400 and 3500 Hz in tones at least a quarter of a second old. */
  readonly steady: Float32Array;
  /**
   * Depth of the ripple of the spectrum between 110 and 2000 Hz, dB: mean of each bin relative to the power around it.
   * Noise has 2.5, a voice at least 6.
   */
  readonly ripple: Float32Array;
  /** null if not requested. */
  readonly timbre: Timbre | null;
}

const window = Float32Array.from({ length: size }, (_, i) => 0.5 - 0.5 * Math.cos((2 * Math.PI * i) / size));

/**
 * Distinguishes music and noise from voices. The share of the sound between 400 and 3500 Hz in constant tones: notes of
 * music last and keep their pitch; the harmonics of a voice glide all the time. After Seyerlehner, Pohle, Schedl,
 * Widmer, "Automatic music detection in television productions" (DAFx 2007), which counts horizontal bars in a
 * spectrogram; here weighted by power, so that a voice well above a bed of music still counts as a voice. And the depth
 * of the spectrum's ripple: harmonics have valleys between them, noise does not (local spectral flatness, so that a
 * tilt of the spectrum does not matter).
 * @param withTimbre also measures timbre on the same spectra
 */
export function meterSteadiness(sampleRate: number, withTimbre = false): SteadinessMeter {
  const factor = Math.max(1, Math.round(sampleRate / workingRate));
  const rate = sampleRate / factor;
  const binHz = rate / size;
  const first = Math.max(7, Math.round(voiceLowHz / binHz));
  const steadyFrom = Math.round(lowHz / binHz);
  const voiceTo = Math.round(voiceHighHz / binHz);
  const last = Math.min(size / 2 - 8, Math.round(highHz / binHz));
  const steadyShares = new FloatList();
  const depths = new FloatList();
  const timbre = withTimbre ? meterTimbre(binHz, last, step / rate) : null;
  const stft = createStft({ window, hop: step });
  const ring = new Float32Array(windows * step + size);
  const pair = new OppositePair(sampleRate);
  const state = { filled: 0, sum: 0, count: 0 };
  const re = new Float32Array(windows * stft.bins);
  const im = new Float32Array(windows * stft.bins);
  const power = new Float64Array(size / 2 + 1);
  /** For each bin: the age of its peak, and the bin where it started. */
  let age = new Uint8Array(size / 2 + 1);
  let origin = new Uint16Array(size / 2 + 1);
  let nextAge = new Uint8Array(size / 2 + 1);
  let nextOrigin = new Uint16Array(size / 2 + 1);

  const read = (): void => {
    nextAge.fill(0);
    let around = 0;
    for (let b = first - 7; b < first + 6; b += 1) around += power[b] as number;
    let [total, steady, depth, counted] = [0, 0, 0, 0];
    for (let b = first; b <= last; b += 1) {
      around += (power[b + 6] as number) - (power[b - 7] as number);
      const here = power[b] as number;
      if (b >= steadyFrom) total += here;
      if (b <= voiceTo && here > 0) {
        depth += Math.log10(around / (13 * here));
        counted += 1;
      }
      const below = power[b - 1] as number;
      if (!(here > below && here >= (power[b + 1] as number)) || here * 13 < peakRatio * around) continue;
      let best = 0;
      let from = b;
      for (let near = b - 1; near <= b + 1; near += 1) {
        const began = origin[near] as number;
        if ((age[near] as number) > best && began >= b - 1 && began <= b + 1)
          [best, from] = [age[near] as number, began];
      }
      nextAge[b] = Math.min(255, best + 1);
      nextOrigin[b] = from;
      if (b >= steadyFrom && best + 1 >= steadySteps) steady += here + below + (power[b + 1] as number);
    }
    [age, nextAge] = [nextAge, age];
    [origin, nextOrigin] = [nextOrigin, origin];
    steadyShares.push(total > 1e-9 ? Math.min(1, steady / total) : 0);
    depths.push(total > 1e-9 && counted > 0 ? (10 * depth) / counted : 0);
  };

  const analyse = (): void => {
    stft.forward(ring, windows, 2, re, im);
    for (let at = 0; at < windows; at += 1) {
      for (let k = first - 7; k <= last + 7; k += 1) {
        const [x, y] = [re[at * stft.bins + k] as number, im[at * stft.bins + k] as number];
        power[k] = x * x + y * y;
      }
      read();
      timbre?.hear(power);
    }
  };

  return {
    hopSeconds: step / rate,
    push({ planes, frames }) {
      const channels = Math.min(2, planes.length);
      const a = planes[0] as Float32Array;
      const b = planes[channels - 1] ?? a;
      const scale = 0.5 / factor;
      // Variables of this function: V8 makes an object of each number that it writes into an outer one.
      let { filled, sum, count } = state;
      for (let i = 0; i < frames; i += 1) {
        sum += pair.sum(a[i] as number, b[i] as number);
        count += 1;
        if (count < factor) continue;
        ring[filled] = Math.abs(sum) < 1e6 ? sum * scale : 0;
        filled += 1;
        sum = 0;
        count = 0;
        if (filled < size + (windows - 1) * step) continue;
        analyse();
        ring.copyWithin(0, windows * step, filled);
        filled -= windows * step;
      }
      Object.assign(state, { filled, sum, count });
    },
    take: () => ({ steady: steadyShares.take(), ripple: depths.take(), timbre: timbre?.take() ?? null }),
  };
}
