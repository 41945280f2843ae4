// What every kernel must hold, whatever it computes.
import { execFile } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { deserialize } from 'node:v8';
import { Worker } from 'node:worker_threads';
import { describe, expect, it } from 'vitest';
import { nativeKernels } from '../../../src/library/kernels/load.ts';
import { kernels, material, runAll, type Format, type Numbers } from './battery.ts';
import { noise, offsetView, randomCuts, seeded } from './signals.ts';
import { slow } from '../../fixtures/rounds.ts';

const names = Object.keys(kernels);
const stereo: Format = { sampleRate: 48000, channels: 2 };

function whole(name: string, format: Format, planes: readonly Float32Array[]): Numbers {
  const kernel = kernels[name]!(format);
  kernel.push(planes);
  return kernel.end();
}

/** Bit for bit; NaN equals NaN, 0 does not equal -0. */
function expectSame(actual: Numbers, expected: Numbers, note: string): void {
  expect(actual.length, note).toBe(expected.length);
  for (let at = 0; at < actual.length; at += 1)
    if (!Object.is(actual[at], expected[at]))
      throw new Error(`${note}: number ${at} is ${actual[at]}, expected ${expected[at]}`);
}

describe.each(names)('%s', (name) => {
  it.each([
    [48000, 2],
    [44100, 1],
    [22050, 5],
    [96000, 2],
    [192000, 1],
  ])('gives the same bits however the stream is cut (%i Hz, %i channels)', (sampleRate, channels) => {
    const format = { sampleRate, channels };
    const planes = material(format, Math.min(2, 150000 / sampleRate), 3);
    const expected = whole(name, format, planes);
    for (let round = 0; round < 3; round++) {
      const seed = (Date.now() ^ (round * 7919)) >>> 0;
      const random = seeded(seed);
      const kernel = kernels[name]!(format);
      for (const block of randomCuts(planes, random)) kernel.push(round === 1 ? block.map(offsetView) : block);
      expectSame(kernel.end(), expected, `cut with seed ${seed}`);
    }
  });

  it('takes no frames and one frame', () => {
    const nothing = kernels[name]!(stereo);
    nothing.push([new Float32Array(0), new Float32Array(0)]);
    expectSame(nothing.end(), kernels[name]!(stereo).end(), 'no frames');
    const one = whole(name, stereo, [new Float32Array([0.5]), new Float32Array([-0.25])]);
    expect(one.length).toBeGreaterThan(0);
    expect(one.every((x) => Number.isFinite(x) || Number.isNaN(x))).toBe(true);
  });

  it('treats NaN, infinite and absurd samples as 0, and recovers', () => {
    const planes = material(stereo, 1, 9);
    const broken = planes.map((p) => p.slice());
    const mended = planes.map((p) => p.slice());
    const random = seeded(11);
    const bad = [NaN, Infinity, -Infinity, 3.4e38, -1e20];
    let count = 0;
    for (let i = 0; i < 400; i++) {
      const c = i % 2;
      // Single samples and, every tenth time, a run.
      const at = Math.floor(random() * 47000);
      for (let k = 0; k < (i % 10 === 0 ? 200 : 1); k++) {
        if (mended[c]![at + k] !== 0) count++;
        broken[c]![at + k] = bad[(i + k) % bad.length]!;
        mended[c]![at + k] = 0;
      }
    }
    expect(count).toBeGreaterThan(5000);
    const actual = whole(name, stereo, broken);
    const expected = whole(name, stereo, mended);
    // The count of bad samples is the one number that may tell them apart.
    const same = name === 'stats' ? actual.length - 1 : actual.length;
    if (name === 'stats') expect(actual.at(-1)! - expected.at(-1)!).toBe(count);
    expectSame(actual.subarray(0, same), expected.subarray(0, same), 'broken against mended');
  });

  it('keeps two instances apart', () => {
    const formats: Format[] = [stereo, { sampleRate: 44100, channels: 1 }];
    const inputs = formats.map((f, k) => material(f, 1, 20 + k));
    const running = formats.map((f) => kernels[name]!(f));
    for (let at = 0; at < 48000; at += 1000)
      running.forEach((kernel, k) => kernel.push(inputs[k]!.map((p) => p.subarray(at, at + 1000))));
    running.forEach((kernel, k) => expectSame(kernel.end(), whole(name, formats[k]!, inputs[k]!), `instance ${k}`));
  });

  it('handles long silence as fast as sound', () => {
    const kernel = kernels[name]!(stereo);
    // Of this thread alone: other programs take time from it, but none of its CPU.
    const time = (block: readonly Float32Array[], n: number): number => {
      const start = process.threadCpuUsage();
      for (let i = 0; i < n; i++) kernel.push(block);
      const { user, system } = process.threadCpuUsage(start);
      return (user + system) / 1000;
    };
    const sound = [noise(48000, 1, 0.5), noise(48000, 2, 0.5)];
    const silence = [new Float32Array(48000), new Float32Array(48000)];
    time(sound, 2);
    const loud = time(sound, 6);
    time(silence, 4);
    const quiet = time(silence, 6);
    // Denormal numbers would make it 10 to 100 times slower.
    expect(quiet).toBeLessThan(4 * loud + 20);
  });
});

// test/library/wasm.test.ts runs this file over WebAssembly, and compares that with these.
describe.skipIf(nativeKernels().simd === 'wasm')('instruction sets', () => {
  it('agree within 1e-5', slow, async () => {
    const program = fileURLToPath(new URL('battery.ts', import.meta.url));
    type Results = Record<string, Record<string, Numbers>>;
    const run = async (choice: string): Promise<{ simd: string; results: Results }> => {
      const { stdout } = await promisify(execFile)(process.execPath, [program], {
        env: { ...process.env, EARSHOT_SIMD: choice },
        maxBuffer: 1 << 29,
        encoding: 'buffer',
      });
      return deserialize(stdout) as { simd: string; results: Results };
    };
    const [best, scalar] = [await run(''), await run('scalar')];
    expect(scalar.simd).toBe('baseline');
    if (best.simd === 'baseline') console.log('this processor has nothing better: both runs used the baseline');
    let compared = 0;
    for (const [format, all] of Object.entries(best.results)) {
      for (const [name, values] of Object.entries(all)) {
        const others = scalar.results[format]![name]!;
        expect(others.length, `${format} ${name}`).toBe(values.length);
        // Against the kernel's own scale: samples near zero are differences of large ones.
        const scale = ['limiter', 'ops', 'fir', 'stft', 'rateConverter'].includes(name) ? 1 : 0;
        // Bins far below the strongest are float32 rounding noise of the FFT: 1e-5 holds against 1e-7 of the strongest.
        const floor = name.startsWith('spectrum') ? 1e-7 * Math.max(...values.slice(2)) : 1e-9;
        values.forEach((value, i) => {
          const other = others[i]!;
          if (!Number.isFinite(value) || !Number.isFinite(other))
            return expect(other, `${format} ${name} ${i}`).toBe(value);
          compared++;
          const error = Math.abs(value - other) / Math.max(Math.abs(value), scale, floor);
          if (!(error <= 1e-5)) throw new Error(`${format} ${name} number ${i}: ${value} against ${other}`);
        });
      }
    }
    expect(compared).toBeGreaterThan(1e6);
  });
});

describe('threads', () => {
  it('may run kernels in several at once', slow, async () => {
    const format = { sampleRate: 44100, channels: 2 };
    const run = (seed: number, rounds: number): Promise<Record<string, Numbers>> =>
      new Promise((resolve, reject) => {
        const worker = new Worker(new URL('battery-worker.ts', import.meta.url), {
          workerData: { format, seed, rounds },
        });
        worker.once('message', resolve).once('error', reject);
      });
    const seeds = [1, 2, 3, 4];
    const results = await Promise.all(seeds.map((seed) => run(seed, 5)));
    seeds.forEach((seed, k) => {
      const expected = runAll(format, material(format, 1.3, seed));
      for (const [name, values] of Object.entries(expected))
        expectSame(results[k]![name]!, values, `${name} in thread ${k}`);
    });
  });
});

describe('bad arguments', () => {
  const native = nativeKernels();
  const plane = new Float32Array(8);
  const filled = (frames: number): Float32Array => new Float32Array(frames).fill(0.5);

  it('throw TypeError and say what was expected', () => {
    const stats = native.statsCreate(2);
    const cases: [() => unknown, RegExp][] = [
      [() => native.statsPush(stats, [plane], undefined), /Expected 2 planes for planes but received 1/],
      [
        () => native.statsPush(stats, [plane, new Float32Array(7)], undefined),
        /at least 8 frames in planes\[1\] but received 7/,
      ],
      [() => native.statsPush(stats, [plane, plane], 9), /at least 9 frames/],
      [() => native.statsPush(stats, [plane, plane], -1), /for frames but received -1/],
      [() => native.statsPush(stats, [plane, plane], 1.5), /whole number for frames/],
      [
        () => native.statsPush(stats, [plane, new Float64Array(8) as never], undefined),
        /Float32Array for planes\[1\] but received another kind/,
      ],
      [() => native.statsPush(stats, [plane, null as never], undefined), /but received null/],
      [() => native.statsPush(stats, undefined as never, undefined), /array of Float32Array/],
      [() => native.statsPush({} as never, [plane, plane], undefined), /own handle/],
      [() => native.statsPush(undefined as never, [plane, plane], undefined), /own handle/],
      [() => native.peaksPush(stats, [plane, plane], undefined), /own handle/],
      [() => native.statsCreate(0), /between 1 and 64 for channels but received 0/],
      [() => native.statsCreate(65), /channels/],
      [() => native.peaksCreate(NaN, 2, 0), /sampleRate but received NaN/],
      [() => native.peaksCreate(44100.5, 2, 0), /whole number for sampleRate/],
      [() => native.peaksCreate('48000' as never, 2, 0), /received a string/],
      [() => native.loudnessCreate(48000, []), /1 to 64 weights/],
      [() => native.loudnessCreate(48000, [1, -1]), /weights\[1\]/],
      [() => native.loudnessCreate(48000, [1, NaN]), /weights\[1\]/],
      [() => native.loudnessCreate(48000, 1 as never), /weights/],
      [() => native.spectrumCreate(48000, 1, 1000, 0.25), /power of two/],
      [() => native.spectrumCreate(48000, 1, 32, 0.25), /size/],
      [() => native.spectrumCreate(48000, 1, 4096, 0), /everySeconds/],
      [() => native.envelopeCreate(48000, 1, 0), /hopSeconds/],
      [() => native.limiterCreate(48000, 1, NaN, 0, 5, 100), /ceilingDbtp/],
      [() => native.limiterCreate(48000, 1, -1, 0, 0, 100), /lookaheadMs/],
      [
        () =>
          native.limiterProcess(
            native.limiterCreate(48000, 1, -1, 0, 5, 100),
            [plane],
            [new Float32Array(7)],
            undefined,
          ),
        /out/,
      ],
      [() => native.rateConverterCreate(48000, 0, 1), /sampleRate but received 0/],
      [
        () => native.rateConverterProcess(native.rateConverterCreate(8000, 48000, 1), [filled(400)], [plane], 400),
        /room for \d+ frames in out but received 8/,
      ],
      [
        () => native.rateConverterProcess(native.rateConverterCreate(8000, 48000, 1), [plane], [plane], 9),
        /between 0 and 8 for frames but received 9/,
      ],
      [() => native.toPcm16([plane], 8, false, 0, false, new Int16Array(7)), /at least 8 elements for out/],
      [() => native.toPcm16([plane], 8, false, -1, false, new Int16Array(8)), /firstFrame but received -1/],
      [() => native.applyGain([plane], NaN, undefined), /gain but received NaN/],
      [() => native.applyGain([], 1, undefined), /planes/],
      [() => native.mixInto([plane], [plane, plane], 1, undefined), /Expected 1 planes for source/],
      [() => native.mixInto([plane], [new Float32Array(9)], 1, undefined), /one length/],
      [() => native.crossfade([plane], [plane], [new Float32Array(3)], true, 0, 8, 8), /out/],
      [() => native.crossfade([plane], [plane], [plane], true, 1, 8, 8), /at most total/],
      [() => native.tileRanges(plane, 0, plane), /tileFrames/],
      [() => native.tileRanges(plane, 3, new Float32Array(5)), /at least 6/],
    ];
    for (const [call, message] of cases) {
      expect(call).toThrow(TypeError);
      expect(call).toThrow(message);
    }
  });

  it('include memory that was taken away', () => {
    const gone = new Float32Array(8);
    structuredClone(gone.buffer, { transfer: [gone.buffer] });
    expect(() => native.applyGain([gone], 1, 8)).toThrow(TypeError);
  });
});
