import { createFir } from '../../../kernels/fir.ts';
import { type EmitPlanes, trimmed } from './suppressor.ts';

/** Voices begin at 75 Hz or above. */
const cutoffHz = 60;
/** Half the filter's length at 48 kHz: its impulse response is then below -90 dB. */
const halfTaps = 4095;
/** Frames after a passage that its result depends on. */
export const rumbleTailFrames = halfTaps;

/**
 * High-pass without phase shift: the squared magnitude of a fourth-order Butterworth filter (as for filtering forwards
 * and backwards), -6 dB at 60 Hz, -0.1 dB at 100 Hz, -28 dB at 40 Hz, -48 dB at 30 Hz.
 */
function makeHighPass(sampleRate: number): Float64Array {
  const taps = new Float64Array(2 * halfTaps + 1);
  // Two million cosines by themselves take 40 ms of every job, and of every thread.
  const cosines = new Float64Array(32_768);
  const period = cosines.length;
  for (let at = 0; at < period; at += 1) cosines[at] = Math.cos((2 * Math.PI * at) / period);
  // One minus the low-pass, whose cosine series has only low frequencies: 1 / (1 + (f / cutoff)^8).
  const stepHz = sampleRate / period;
  for (let k = 0; k * stepHz < 12 * cutoffHz; k += 1) {
    const share = ((k === 0 ? 1 : 2) / (1 + ((k * stepHz) / cutoffHz) ** 8)) * (stepHz / sampleRate);
    for (let n = 0; n <= halfTaps; n += 1)
      taps[halfTaps + n] = (taps[halfTaps + n] as number) - share * (cosines[(k * n) % period] as number);
  }
  for (let n = 1; n <= halfTaps; n += 1) {
    // The last tenth is faded out, so that the filter does not end in a step.
    const fade = Math.min(1, (10 * (halfTaps + 1 - n)) / halfTaps);
    taps[halfTaps + n] = (taps[halfTaps + n] as number) * fade;
    taps[halfTaps - n] = taps[halfTaps + n] as number;
  }
  taps[halfTaps] = (taps[halfTaps] as number) + 1;
  return taps;
}

/** Made once, since many short passages are filtered. */
let highPassTaps: Float64Array | undefined;

/** y[n] = b0 x[n] + b1 x[n-1] + b2 x[n-2] - a1 y[n-1] - a2 y[n-2] */
export interface Biquad {
  readonly b: readonly [number, number, number];
  readonly a: readonly [number, number];
}

/** Runs a biquad over the taps from end to start, as if it ran backwards over the sound. */
function backwards(taps: Float64Array, { b, a }: Biquad): Float64Array {
  const out = new Float64Array(taps.length);
  let [x1, x2, y1, y2] = [0, 0, 0, 0];
  for (let n = taps.length - 1; n >= 0; n -= 1) {
    const x = taps[n] as number;
    const y = b[0] * x + b[1] * x1 + b[2] * x2 - a[0] * y1 - a[1] * y2;
    [x2, x1, y2, y1] = [x1, x, y1, y];
    out[n] = y;
  }
  return out;
}

/** A streaming filter: the output is in step with the input, and equally long. */
export interface AlignedFilter {
  push(planes: readonly Float32Array[], frames: number): void;
  flush(): void;
}

export interface RumbleOptions {
  readonly channels: number;
  /** false: passes everything. */
  readonly highPass: boolean;
  /** A filter inside the next stage, whose phase shift is compensated in advance. */
  readonly followedBy?: Biquad;
}

/** Removes frequencies below voices, at 48 kHz, without phase distortion. */
export function createRumbleFilter({ channels, highPass, followedBy }: RumbleOptions, emit: EmitPlanes): AlignedFilter {
  if (!highPass) return { push: emit, flush: () => undefined };
  const zeroPhase = (highPassTaps ??= makeHighPass(48_000));
  const fir = createFir({
    channels,
    taps: Float32Array.from(followedBy ? backwards(zeroPhase, followedBy) : zeroPhase),
  });
  const latencyFrames = fir.latencyFrames + halfTaps;
  const next = trimmed(latencyFrames, emit);
  let buffers: Float32Array[] = [];
  const run = (planes: readonly Float32Array[], frames: number): void => {
    if ((buffers[0]?.length ?? 0) < frames) buffers = Array.from({ length: channels }, () => new Float32Array(frames));
    fir.process(planes, buffers, frames);
    next(
      buffers.map((plane) => plane.subarray(0, frames)),
      frames,
    );
  };
  return {
    push: run,
    flush: () =>
      run(
        Array.from({ length: channels }, () => new Float32Array(latencyFrames)),
        latencyFrames,
      ),
  };
}
