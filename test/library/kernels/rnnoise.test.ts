// RNNoise against its own package: the WebAssembly that was compiled from its authors' sources.
import createPackage from '@jitsi/rnnoise-wasm/dist/rnnoise-sync.js';
import { execFile } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { deserialize } from 'node:v8';
import { expect, test } from 'vitest';
import { nativeKernels } from '../../../src/library/kernels/load.ts';
import { createRnnoise, createRnnoiseNetwork, rnnoiseFrame } from '../../../src/library/kernels/rnnoise.ts';
import { seeded } from '../../fixtures/random.ts';
import { hummed, suppressed, type Suppressed } from './rnnoise-task.ts';
import { noise } from './signals.ts';
import { slow } from '../../fixtures/rounds.ts';

function asPackaged(sound: Float32Array): Suppressed {
  const rnnoise = createPackage();
  const state = rnnoise._rnnoise_create(0);
  const pointer = rnnoise._malloc(4 * rnnoiseFrame);
  const frames = Math.floor(sound.length / rnnoiseFrame);
  const [out, voice] = [new Float32Array(frames * rnnoiseFrame), new Float32Array(frames)];
  for (let at = 0; at < frames; at += 1) {
    const place = rnnoise.HEAPF32.subarray(pointer / 4, pointer / 4 + rnnoiseFrame);
    place.set(sound.subarray(at * rnnoiseFrame, (at + 1) * rnnoiseFrame).map((x) => x * 32_768));
    voice[at] = rnnoise._rnnoise_process_frame(state, pointer, pointer);
    out.set(
      place.map((x) => x / 32_768),
      at * rnnoiseFrame,
    );
  }
  return { out, voice };
}

const energy = (samples: Float32Array): number => samples.reduce((sum, x) => sum + x * x, 0);
const apartDb = (a: Float32Array, b: Float32Array): number =>
  10 * Math.log10(energy(a.map((x, i) => x - b[i]!)) / energy(b));
const furthest = (a: Float32Array, b: Float32Array): number =>
  a.reduce((most, x, i) => Math.max(most, Math.abs(x - b[i]!)), 0);

/**
 * Weights and inputs of 8 bits answer otherwise where a sum is rounded the other way. So how far the package is from
 * itself with a louder input, by a millionth, is how near anything can be to it.
 */
const louder = (sound: Float32Array, by: number): Float32Array => sound.map((x) => x * (1 + by));

const seconds = 4;
test.each([
  ['a voice in noise', hummed(seconds)],
  ['noise that comes and goes', noise(48_000 * seconds, 7, 0.2).map((x, i) => x * (1 + Math.sin(i / 9000)))],
  ['a voice that is far too loud', hummed(seconds).map((x) => 50 * x)],
  ['clicks', new Float32Array(48_000 * seconds).map((_, i) => (i % 7001 === 0 ? 0.9 : 0))],
  ['a voice after silence', hummed(seconds).fill(0, 0, 96_000).fill(0, 150_000, 200_000)],
])('%s comes out as from the package', slow, (_, sound) => {
  const [is, was] = [suppressed(sound), asPackaged(sound)];
  const others = [1e-6, -1e-6, 3e-6].map((by) => asPackaged(louder(sound, by)));
  const own = Math.max(...others.map(({ out }) => apartDb(out, was.out)));
  const ownVoice = Math.max(...others.map(({ voice }) => furthest(voice, was.voice)));
  expect(energy(was.out)).toBeGreaterThan(1e-3);
  expect(own).toBeLessThan(-25);
  expect(apartDb(is.out, was.out)).toBeLessThan(own + 6);
  expect(furthest(is.voice, was.voice)).toBeLessThan(2 * ownVoice + 0.01);
});

test('it takes noise away and hears the voice', () => {
  const { out, voice } = suppressed(hummed(seconds));
  // The sine's negative half, a second in: noise alone.
  const alone = out.subarray(34_000, 50_000);
  expect(energy(alone)).toBeLessThan(0.02 * energy(hummed(seconds).subarray(34_000, 50_000)));
  expect(Math.max(...voice)).toBeGreaterThan(0.5);
});

test('silence is silent, without a voice', () => {
  const { out, voice } = suppressed(new Float32Array(48_000));
  expect([energy(out), energy(voice)]).toEqual([0, 0]);
});

test('the same bits whatever number of frames comes at a time', () => {
  const seed = Date.now() % 100_000;
  const random = seeded(seed);
  const sound = hummed(3);
  const [whole, cut] = [suppressed(sound), suppressed(sound, () => Math.floor(random() * 20))];
  expect(cut, `seed ${seed}`).toEqual(whole);
});

test('NaN, infinite and absurd samples count as 0', () => {
  const sound = hummed(2);
  const [broken, mended] = [sound.slice(), sound.slice()];
  for (let i = 100; i < sound.length; i += 1000) {
    broken[i] = [Number.NaN, Number.POSITIVE_INFINITY, -1e20][i % 3]!;
    mended[i] = 0;
  }
  expect(suppressed(broken)).toEqual(suppressed(mended));
});

/** test/library/wasm.test.ts compares these with WebAssembly. */
const overWasm = nativeKernels().simd === 'wasm';

async function suppressedBy(choice: string): Promise<Suppressed & { simd: string }> {
  const program = fileURLToPath(new URL('rnnoise-task.ts', import.meta.url));
  const { stdout } = await promisify(execFile)(process.execPath, [program], {
    env: { ...process.env, EARSHOT_SIMD: choice },
    maxBuffer: 1 << 26,
    encoding: 'buffer',
  });
  return deserialize(stdout) as Suppressed & { simd: string };
}

test.skipIf(overWasm)('instruction sets agree as far as rounding lets them', slow, async () => {
  const [best, scalar] = [suppressed(hummed(6)), await suppressedBy('scalar')];
  expect(scalar.simd).toBe('baseline');
  expect(apartDb(best.out, scalar.out)).toBeLessThan(-45);
  expect(furthest(best.voice, scalar.voice)).toBeLessThan(0.1);
});

test.skipIf(overWasm)("AVX-512's products of 8 bits give the very bits of AVX2", slow, async () => {
  const { simd, ...without } = await suppressedBy('avx2');
  expect(simd).toBe(nativeKernels().simd);
  expect(without).toEqual(suppressed(hummed(6)));
});

test('another network, a part of one and short arrays are refused', () => {
  const none = new Int32Array();
  const empty = new Float32Array();
  const layer = { inputs: 195, outputs: 128, bias: new Float32Array(128), blocks: none, scale: empty, diagonal: empty };
  const weights = new Float32Array(195 * 128);
  expect(() => createRnnoiseNetwork([{ ...layer, weights: weights.subarray(1) }])).toThrow(
    '195 inputs and 128 outputs',
  );
  expect(() => createRnnoiseNetwork([{ ...layer, weights: new Int8Array(195 * 128) }])).toThrow('weights');
  expect(() => createRnnoise(createRnnoiseNetwork([{ ...layer, weights }]))).toThrow('all of its layers');

  const native = nativeKernels();
  const network = native.rnnoiseNetworkCreate();
  const [bias, scale] = [new Float32Array(384), new Float32Array(384)];
  const rows = (first: number, perRow = 1): Int32Array =>
    Int32Array.from(Array.from({ length: 48 }, () => [perRow, ...Array.from({ length: perRow }, () => first)]).flat());
  const set = (blocks: Int32Array, bytes: number): void =>
    native.rnnoiseNetworkSetLayer(network, 1, bias, new Int8Array(bytes), blocks, scale, empty);
  set(rows(380), 48 * 32);
  for (const [blocks, bytes] of [
    [rows(381), 48 * 32],
    [rows(-4), 48 * 32],
    [rows(0), 48 * 32 - 1],
    [rows(0).subarray(1), 48 * 32],
    [Int32Array.of(-1), 0],
    [Int32Array.of(2 ** 31 - 1, 0), 32],
    [none, 0],
  ] as const)
    expect(() => set(blocks, bytes)).toThrow('layer 1');
  expect(() => native.rnnoiseNetworkSetLayer(network, 10, bias, scale)).toThrow('layer');
  expect(() => native.rnnoiseCreate({} as never)).toThrow(TypeError);
});
