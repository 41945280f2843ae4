// The two suppressors and ffmpeg's afftdn, each from 48 kHz mono to the same.
import { spawnSync } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import { createDenoiser } from '../../src/library/dsp/denoise/denoiser.ts';
import { chooseNoiseEngine } from '../../src/library/dsp/denoise/engines.ts';
import { runHere } from '../../src/library/dsp/denoise/suppressor/pieces.ts';
import { mirrorFolders, searchFolders } from '../../src/library/models/folders.ts';
import { checkModel } from '../../src/library/models/installed.ts';
import { requireModel } from '../../src/library/models/manifest.ts';
import { denoised } from '../../test/fixtures/sounds/denoised.ts';
import { watched } from '../../test/fixtures/sounds/watched.ts';
import { rate } from './mixtures.ts';

/**
 * One engine at one setting.
 * @param noiseDbfs level of the noise, for the peer, which wants to be told
 */
export type Cleaner = (input: Float32Array, noiseDbfs: number) => Promise<Float32Array>;

/** Installed weights, or those of the first mirror that has them; null where there are none. */
export async function deepFilterNetFolder(): Promise<string | null> {
  for (const folder of [...searchFolders(), ...mirrorFolders()]) {
    if ((await checkModel(requireModel('deepfilternet3'), folder, 'size')).state === 'installed') return folder;
  }
  return null;
}

/** As the tools use it. */
async function ours(id: 'deepfilternet3' | 'rnnoise', folder: string | undefined, highPass: boolean): Promise<Cleaner> {
  const engine = await chooseNoiseEngine(folder, id);
  return async (input) => (await watched(engine, [input], { highPass })).planes[0] as Float32Array;
}

/** The bare network, without what the tools do around it. */
export async function plain(id: 'deepfilternet3' | 'rnnoise', folder: string | undefined): Promise<Cleaner> {
  const { createSuppressor } = await chooseNoiseEngine(folder, id);
  const here = runHere(new AbortController().signal);
  return async (input) => {
    const groups = { groups: [[0]], untouched: [] };
    const denoiser = createDenoiser({ groups, createSuppressor, runner: here, here, cores: 1, highPass: false });
    return (await denoised(denoiser, [input], () => rate))[0] as Float32Array;
  };
}

/** Frames by which ffmpeg's afftdn delays: where its output is most like its input. */
function lagOf(output: Float32Array, input: Float32Array): number {
  let [best, most] = [0, 0];
  for (let lag = 0; lag < 8000; lag += 1) {
    let sum = 0;
    for (let i = 0; i + lag < input.length; i += 97) sum += (input[i] as number) * (output[i + lag] as number);
    if (sum > most) [best, most] = [lag, sum];
  }
  return best;
}

/** @param depthDb how far it turns the noise down; its floor is set to the true level of the noise */
function afftdn(depthDb: number): Cleaner {
  let lag: number | null = null;
  return (input, noiseDbfs) => {
    // Padded, so that the delay can be taken out again.
    const padded = new Float32Array(input.length + 8000);
    padded.set(input);
    const raw = ['-f', 'f32le', '-ar', String(rate), '-ac', '1'];
    const ran = spawnSync(
      'ffmpeg',
      [
        '-v',
        'error',
        ...raw,
        '-i',
        '-',
        '-af',
        `afftdn=nr=${depthDb}:nf=${Math.max(-80, Math.min(-20, noiseDbfs)).toFixed(1)}`,
        ...raw,
        '-',
      ],
      { input: Buffer.from(padded.buffer), maxBuffer: 1 << 28 },
    );
    if (ran.status !== 0) throw new Error(`ffmpeg: ${ran.stderr.toString()}`);
    const got = new Float32Array(
      ran.stdout.buffer.slice(ran.stdout.byteOffset, ran.stdout.byteOffset + ran.stdout.byteLength),
    );
    lag ??= lagOf(got, input);
    const out = new Float32Array(input.length);
    out.set(got.subarray(lag, lag + input.length));
    return Promise.resolve(out);
  };
}

/** As remove_noise at a lower noise_reduction: so much of the original goes back in. */
const mixedBack =
  (clean: Cleaner, noiseReduction: number): Cleaner =>
  async (input, noiseDbfs) => {
    const wet = noiseReduction / 100;
    const out = await clean(input, noiseDbfs);
    return out.map((x, i) => wet * x + (1 - wet) * (input[i] as number));
  };

/** Remembers the last recording: the same engine at another setting need not run again. */
function remembering(clean: Cleaner): Cleaner {
  let last: { readonly input: Float32Array; readonly out: Promise<Float32Array> } | null = null;
  return (input, noiseDbfs) => {
    if (last?.input !== input) last = { input, out: clean(input, noiseDbfs) };
    return last.out;
  };
}

/** Cleaners by the name that they have in the table; the number is noise_reduction, the decibels are afftdn's. */
export async function cleaners(): Promise<Record<string, Cleaner>> {
  const folder = await deepFilterNetFolder();
  if (!folder)
    console.log(
      'DeepFilterNet3 is left out: its weights are neither installed nor in a mirror ' +
        `(${fileURLToPath(new URL('../../models/manifest.json', import.meta.url))} says where they come from)`,
    );
  const [network, rnnoise] = [
    folder === null ? null : remembering(await ours('deepfilternet3', folder, true)),
    remembering(await ours('rnnoise', undefined, true)),
  ];
  return {
    ...(network && folder !== null
      ? {
          'DFN3 100': network,
          'DFN3 90': mixedBack(network, 90),
          'DFN3 50': mixedBack(network, 50),
          'DFN3 100, no high-pass': await ours('deepfilternet3', folder, false),
        }
      : {}),
    'RNNoise 100': rnnoise,
    'RNNoise 90': mixedBack(rnnoise, 90),
    'RNNoise 50': mixedBack(rnnoise, 50),
    'RNNoise 100, no high-pass': await ours('rnnoise', undefined, false),
    'afftdn 12 dB': afftdn(12),
    'afftdn 30 dB': afftdn(30),
  };
}
