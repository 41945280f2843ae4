import { createStft, type Stft } from '../../kernels/stft.ts';
import type { Analyser } from '../../pcm/stage.ts';
import { createSampleWindow, type SampleWindow } from '../denoise/suppressor/sample-window.ts';
import { createDecimator, type Decimator } from './decimate.ts';
import { createHistograms } from './level-histograms.ts';

/** Mains hum in one channel. */
export interface HumReading {
  /** Frequency of the mains, Hz. */
  readonly hz: number;
  /** Number of steady harmonics among the first eight. */
  readonly steadyHarmonics: number;
}

/** Sample rate at which lines are searched, Hz. */
const listenHz = 2000;
const harmonics = 8;
const mainsHz = [50, 60] as const;
/** Tolerance of the mains frequency, Hz. */
const reachHz = 0.2;

/** Windows of 4 s, one a second, in a transform of twice their length. */
const longFrame = 8192;
const paddedFrame = 2 * longFrame;
/** A line counts if it is there in this quietest share of the windows. */
const quietShare = 0.2;
/** Neighbourhood of a line that it is compared with, Hz. */
const besideFromHz = 2.5;
const besideToHz = 8;
/** An excess over the neighbourhood counts up to this, dB. */
const mostExcessDb = 30;

const leastWindows = 4;

/** Windows for steadiness: half a second long, eight a second. */
const shortSeconds = 0.5;
const shortHops = 4;
/**
 * Hum is steady: the 3rd percentile of its level lies within this of the 30th, dB; a voice may cancel it for moments.
 */
const swayingDb = 8;
const lowShare = 0.03;
const midShare = 0.3;
/** It also lies this far above the quiet tenth of the sound 6 Hz away, dB. */
const farDb = 15;
const besideShare = 0.1;
const besideBins = 3;
/** Steady harmonics needed: with fewer, hum cannot be told from a sustained note. */
const leastSteady = 3;

const levelDb = (power: number): number => 10 * Math.log10(power + 1e-16);

/** One channel, decimated to about 2 kHz. */
interface Listener {
  push(samples: Float32Array): void;
  result(): HumReading | null;
}

const hann = (length: number, padded = length): Float32Array =>
  Float32Array.from({ length: padded }, (_, i) => (i < length ? 0.5 - 0.5 * Math.cos((2 * Math.PI * i) / length) : 0));

/** Spectra per call: as many as the transform computes in parallel. */
const batch = 8;

interface FrameReader {
  push(samples: Float32Array): void;
  /** Processes the rest. */
  flush(): void;
}

/** Reads the spectra of overlapping frames of a stream; transforms may be longer than frames. */
function readFrames(
  stft: Stft,
  { frame, padded = frame, hop }: { readonly frame: number; readonly padded?: number; readonly hop: number },
  look: (power: Float32Array) => void,
): FrameReader {
  const held = createSampleWindow(1);
  const { bins } = stft;
  const [re, im, power] = [new Float32Array(batch * bins), new Float32Array(batch * bins), new Float32Array(bins)];
  let from = 0;
  const read = (count: number): void => {
    // Samples after the last frame are multiplied by zeros of the window.
    stft.forward(held.read(0, from, from + (count - 1) * hop + padded), count, 1 / frame, re, im);
    for (let at = 0; at < count * bins; at += bins) {
      for (let bin = 0; bin < bins; bin += 1)
        power[bin] = (re[at + bin] as number) ** 2 + (im[at + bin] as number) ** 2;
      look(power);
    }
    from += count * hop;
    held.discard(from);
  };
  return {
    push(samples) {
      held.append([samples], samples.length);
      while (held.end >= from + (batch - 1) * hop + frame) read(batch);
    },
    flush() {
      const count = Math.floor((held.end - from - frame) / hop) + 1;
      if (count > 0) read(count);
    },
  };
}

function listen(rate: number): Listener {
  const highestHz = harmonics * (Math.max(...mainsHz) + reachHz) + besideToHz + 1;
  const binHz = rate / paddedFrame;
  const lines = Math.ceil(highestHz / binHz);
  const long = createHistograms(lines);
  const longStft = createStft({ window: hann(longFrame, paddedFrame), hop: Math.round(rate) });
  let windows = 0;
  const longFrames = readFrames(longStft, { frame: longFrame, padded: paddedFrame, hop: Math.round(rate) }, (power) => {
    windows += 1;
    for (let bin = 0; bin < lines; bin += 1) long.addDb(bin, levelDb(power[bin] as number));
  });

  const shortFrame = 4 * Math.round((shortSeconds * rate) / 4 / 5) * 5;
  const shortBinHz = rate / shortFrame;
  const shortLines = Math.ceil(highestHz / shortBinHz) + besideBins;
  const short = createHistograms(2 * shortLines);
  const shortStft = createStft({ window: hann(shortFrame), hop: Math.round(shortFrame / shortHops) });
  const shortFrames = readFrames(shortStft, { frame: shortFrame, hop: Math.round(shortFrame / shortHops) }, (power) => {
    for (let bin = besideBins; bin < shortLines; bin += 1) {
      short.addDb(2 * bin, levelDb(power[bin] as number));
      short.addDb(2 * bin + 1, levelDb(Math.max(power[bin - besideBins] as number, power[bin + besideBins] as number)));
    }
  });

  const quiet = (): Float32Array =>
    Float32Array.from({ length: lines }, (_, bin) => long.percentileDb(bin, quietShare));
  /** The largest level near a harmonic's frequency, above its neighbourhood, dB. */
  const lineAt = (levels: Float32Array, hz: number, reach: number): { hz: number; excessDb: number } => {
    const at = (frequency: number): number => Math.round(frequency / binHz);
    let top = at(hz - reach);
    for (let bin = top; bin <= at(hz + reach); bin += 1)
      if ((levels[bin] as number) > (levels[top] as number)) top = bin;
    const peak = levels[top] as number;
    const beside = [
      ...levels.subarray(at(hz - besideToHz), at(hz - besideFromHz)),
      ...levels.subarray(at(hz + besideFromHz), at(hz + besideToHz)),
    ].toSorted((a, b) => a - b);
    const excessDb = Math.min(mostExcessDb, Math.max(0, peak - (beside[beside.length >> 1] ?? 0)));
    return { hz: top * binHz, excessDb };
  };
  const isSteady = (hz: number): boolean => {
    const bin = Math.round(hz / shortBinHz);
    const low = short.percentileDb(2 * bin, lowShare);
    const fall = short.percentileDb(2 * bin, midShare) - low;
    const clear = low - short.percentileDb(2 * bin + 1, besideShare);
    return fall < swayingDb && clear > farDb;
  };

  return {
    push(samples) {
      longFrames.push(samples);
      shortFrames.push(samples);
    },
    result() {
      longFrames.flush();
      shortFrames.flush();
      if (windows < leastWindows) return null;
      const levels = quiet();
      let [best, hz] = [0, 0];
      for (const mains of mainsHz) {
        let [score, sum, weight] = [0, 0, 0];
        for (let k = 1; k <= harmonics; k += 1) {
          const line = lineAt(levels, k * mains, k * reachHz);
          score += line.excessDb;
          // Higher harmonics give the frequency more exactly.
          sum += line.excessDb * line.hz;
          weight += line.excessDb * k;
        }
        if (score > best) [best, hz] = [score, sum / weight];
      }
      if (best === 0) return null;
      let steadyHarmonics = 0;
      for (let k = 1; k <= harmonics; k += 1) if (isSteady(k * hz)) steadyHarmonics += 1;
      return steadyHarmonics >= leastSteady ? { hz, steadyHarmonics } : null;
    },
  };
}

/**
 * Looks for mains hum in each channel: the comb of 50 or 60 Hz that rises most above what lies beside it in quiet
 * moments, if at least three of its first eight lines never fall. Notes end and machines vary, so neither is taken for
 * hum; an endless tone at 50 Hz is. Recordings of less than 8 s are not judged.
 */
export function meterHum(): Analyser<readonly (HumReading | null)[]> {
  let decimator: Decimator = createDecimator(1);
  let held: SampleWindow = createSampleWindow(0);
  let listeners: Listener[] = [];
  let from = 0;
  const advance = (): void => {
    const { factor, reach } = decimator;
    const count = Math.floor((held.end - from - 2 * reach - 1) / factor) + 1;
    if (count <= 0) return;
    const to = from + (count - 1) * factor + 2 * reach + 1;
    for (const [channel, listener] of listeners.entries()) {
      const plane = held.read(channel, from, to);
      for (let i = 0; i < plane.length; i += 1) if (!(Math.abs(plane[i] as number) < 1e6)) plane[i] = 0;
      listener.push(decimator.run(plane));
    }
    from += count * factor;
    held.discard(from);
  };
  return {
    latencyFrames: 0,
    open(format) {
      decimator = createDecimator(Math.max(1, Math.floor(format.sampleRate / listenHz)));
      held = createSampleWindow(format.channels);
      listeners = Array.from({ length: format.channels }, () => listen(format.sampleRate / decimator.factor));
      return format;
    },
    process(block, emit) {
      held.append(block.planes, block.frames);
      if (held.end - from > decimator.factor * listenHz) advance();
      emit(block);
    },
    flush: advance,
    close: () => undefined,
    result: () => listeners.map((listener) => listener.result()),
  };
}
