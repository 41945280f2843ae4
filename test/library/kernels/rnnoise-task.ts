// RNNoise as this processor's instruction set computes it, for a process of its own: see rnnoise.test.ts.
import { serialize } from 'node:v8';
import { openRnnoiseNetwork } from '../../../src/library/dsp/denoise/rnnoise/open-rnnoise.ts';
import { nativeKernels } from '../../../src/library/kernels/load.ts';
import { createRnnoise, rnnoiseFrame } from '../../../src/library/kernels/rnnoise.ts';
import { noise } from './signals.ts';

export interface Suppressed {
  readonly out: Float32Array;
  readonly voice: Float32Array;
}

let network: ReturnType<typeof openRnnoiseNetwork> | undefined;

/** Whole frames of a sound, `counts` at a time. */
export function suppressed(sound: Float32Array, counts: () => number = () => 100): Suppressed {
  const rnnoise = createRnnoise((network ??= openRnnoiseNetwork()));
  const frames = Math.floor(sound.length / rnnoiseFrame);
  const [out, voice] = [new Float32Array(frames * rnnoiseFrame), new Float32Array(frames)];
  for (let at = 0; at < frames;) {
    const count = Math.min(counts(), frames - at);
    const from = at * rnnoiseFrame;
    rnnoise.process(sound.subarray(from), count, out.subarray(from), voice.subarray(at));
    at += count;
  }
  return { out, voice };
}

/** Voiced: harmonics that glide, under noise. */
export function hummed(seconds: number, seed = 5): Float32Array {
  const hiss = noise(48_000 * seconds, seed, 0.02);
  let phase = 0;
  return hiss.map((x, i) => {
    phase += (2 * Math.PI * (150 + 40 * Math.sin(i / 20_000))) / 48_000;
    const loud = 0.1 * Math.max(0, Math.sin(i / 9000));
    let sum = x;
    for (let k = 1; k <= 20; k += 1) sum += (loud / k) * Math.sin(k * phase);
    return sum;
  });
}

if (process.argv[1] === import.meta.filename)
  process.stdout.write(serialize({ simd: nativeKernels().simd, ...suppressed(hummed(6)) }));
