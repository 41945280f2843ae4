// Runs one stretch of a recording through RNNoise, as a task for any thread.
import { setImmediate as turn } from 'node:timers/promises';
import { AbortError } from '../../../core/abort.ts';
import { createRnnoise, rnnoiseDelay, rnnoiseFrame, type RnnoiseNetwork } from '../../../kernels/rnnoise.ts';
import { createStft } from '../../../kernels/stft.ts';
import type { FanOutTask } from '../../../core/machine/fan-out.ts';
import { release } from '../suppressor/pieces.ts';
import { vorbisWindow } from '../suppressor/vorbis-window.ts';
import { openRnnoiseNetwork } from './open-rnnoise.ts';
import { guardVoices } from './voice-guard.ts';

/** Frames that a segment needs after the wanted ones: the delay, and half a transform for the side signal. */
export const segmentTailFrames = rnnoiseDelay + rnnoiseFrame;

export interface Segment {
  /** The network's input, full scale 1: the warm-up, the wanted frames, `segmentTailFrames` more. */
  readonly main: Float32Array<ArrayBuffer>;
  /** Filtered as the network filters `main`; equally long. */
  readonly side: Float32Array<ArrayBuffer> | null;
  /** Frames of warm-up; a multiple of 480. */
  readonly skip: number;
  /** Number of wanted frames. */
  readonly frames: number;
}

export interface SegmentResult {
  readonly main: Float32Array<ArrayBuffer>;
  readonly side: Float32Array<ArrayBuffer> | null;
}

let loaded: RnnoiseNetwork | undefined;
/** Frames of the network between two looks at `cancelled`: a second. */
const framesPerLook = 100;

/** Runs `samples` through a fresh network; the output is in step. */
async function suppress(samples: Float32Array, cancelled: () => boolean): Promise<Float32Array<ArrayBuffer>> {
  const total = Math.ceil(samples.length / rnnoiseFrame);
  const out = new Float32Array(samples.length);
  const voice = new Float32Array(total);
  const rnnoise = createRnnoise((loaded ??= openRnnoiseNetwork()));
  const delayed = new Float32Array(framesPerLook * rnnoiseFrame);
  const whole = samples.length === total * rnnoiseFrame ? samples : new Float32Array(total * rnnoiseFrame);
  if (whole !== samples) whole.set(samples);
  const delayFrames = rnnoiseDelay / rnnoiseFrame;
  for (let at = 0; at < total; at += framesPerLook) {
    await turn();
    if (cancelled()) throw new AbortError();
    const count = Math.min(framesPerLook, total - at);
    rnnoise.process(whole.subarray(at * rnnoiseFrame), count, delayed, voice.subarray(at));
    const from = Math.max(0, delayFrames - at) * rnnoiseFrame;
    const to = at * rnnoiseFrame + from - rnnoiseDelay;
    out.set(delayed.subarray(from, Math.min(count * rnnoiseFrame, from + out.length - to)), to);
  }
  guardVoices(samples, out, voice.subarray(delayFrames));
  return out;
}

const transformFrame = 960;
/** Frames transformed at a time. */
const batch = 128;

/** Real and imaginary parts of three spectra. */
type SixPlanes = [Float32Array, Float32Array, Float32Array, Float32Array, Float32Array, Float32Array];

/** Bins [from, to) of the third spectrum are changed as the first one was to become the second. */
function turnLike([mr, mi, rr, ri, sr, si]: SixPlanes, from: number, to: number): void {
  for (let k = from; k < to; k += 1) {
    const [a, b, c, d] = [mr[k] as number, mi[k] as number, rr[k] as number, ri[k] as number];
    const power = a * a + b * b;
    // Never louder than before: where `main` is almost silent, the ratio is random.
    const scale = power > 0 ? 1 / Math.max(power, Math.sqrt(power * (c * c + d * d))) : 0;
    const [gr, gi] = [(c * a + d * b) * scale, (d * a - c * b) * scale];
    const [x, y] = [sr[k] as number, si[k] as number];
    sr[k] = x * gr - y * gi;
    si[k] = x * gi + y * gr;
  }
}

/**
 * Applies to `side` what happened to `main` in each bin of a short-time transform, in level and phase, with RNNoise's
 * own window and hop.
 */
function filterLike(main: Float32Array, result: Float32Array, side: Float32Array): Float32Array<ArrayBuffer> {
  const hop = transformFrame / 2;
  const stft = createStft({ window: vorbisWindow(transformFrame), hop });
  const count = Math.floor(main.length / hop) - 1;
  const out = new Float32Array(main.length);
  const { bins } = stft;
  const spectra = Array.from({ length: 6 }, () => new Float32Array(batch * bins)) as SixPlanes;
  const [mr, mi, rr, ri, sr, si] = spectra;
  for (let first = 0; first < count; first += batch) {
    const n = Math.min(batch, count - first);
    const at = first * hop;
    stft.forward(main.subarray(at), n, 1 / transformFrame, mr, mi);
    stft.forward(result.subarray(at), n, 1 / transformFrame, rr, ri);
    stft.forward(side.subarray(at), n, 1 / transformFrame, sr, si);
    for (let k = 0; k < n; k += 1) turnLike(spectra, k * bins, (k + 1) * bins);
    stft.inverse(sr, si, n, 1, out.subarray(at));
  }
  return out;
}

export async function suppressSegment({ item, cancelled, transfer }: FanOutTask<Segment>): Promise<SegmentResult> {
  const { main, side, skip, frames } = item;
  const result = await suppress(main, cancelled);
  const filtered = side ? filterLike(main, result, side) : null;
  release(main);
  if (side) release(side);
  transfer(result.buffer, ...(filtered ? [filtered.buffer] : []));
  // Views instead of copies: a segment takes much memory.
  return { main: result.subarray(skip, skip + frames), side: filtered?.subarray(skip, skip + frames) ?? null };
}
