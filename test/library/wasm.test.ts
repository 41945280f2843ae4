// @module-tag slow
// The kernels as WebAssembly: their own tests over them, and the numbers that plain instructions give. All of
// test/library runs over them with EARSHOT_KERNELS=wasm in the environment.
import { execFile } from 'node:child_process';
import { cpSync, mkdirSync, mkdtempSync, readFileSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { deserialize } from 'node:v8';
import { brotliCompressSync } from 'node:zlib';
import { describe, expect, it } from 'vitest';
import { nativeKernels } from '../../src/library/kernels/load.ts';
import { compileModule, Instance } from '../../src/library/kernels/wasm/instance.ts';
import { Residents } from '../../src/library/kernels/wasm/residents.ts';
import { buildWasm } from '../../scripts/build-wasm.mjs';
import { type CliRun, earshot, jsonLines, useFolder } from '../cli/support.ts';
import { mainPath } from '../fixtures/built/main-path.ts';
import { makeDemoClip } from '../fixtures/media/demo-clip.ts';
import { slower } from '../fixtures/rounds.ts';

const root = fileURLToPath(new URL('../../', import.meta.url));
const built = join(root, 'prebuilt/earshot.wasm');
// Half a minute where nothing was compiled before, else a tenth of a second.
await promisify(execFile)(process.execPath, [join(root, 'scripts/build-wasm.mjs')]);

process.env['EARSHOT_KERNELS'] = 'wasm';
// Those that take a second or more of kernels are left out: against-ffmpeg, ebu-loudness, limiter, alignment.
for (const file of [
  'every-kernel',
  'taken-memory',
  'measures',
  'peaks',
  'transforms',
  'fbank',
  'log-mel',
  'token-times',
  'coded-sound',
  'resample',
  'rate-converter',
  'pcm16',
  'limiter-recovery',
  'whisper-decoder',
  'whisper-encoder',
])
  describe(`over WebAssembly: ${file}`, () => import(`./kernels/${file}.test.ts`));

const plain = { EARSHOT_KERNELS: 'native', EARSHOT_SIMD: 'scalar' };
const wasm = { EARSHOT_KERNELS: 'wasm', EARSHOT_SIMD: '' };

/** What a program of test/library/kernels writes with plain instructions, and with WebAssembly. */
const written = async (program: string, ...args: readonly string[]): Promise<readonly [Buffer, Buffer]> => {
  const run = async (environment: Readonly<Record<string, string>>): Promise<Buffer> => {
    const { stdout } = await promisify(execFile)(
      process.execPath,
      [join(root, 'test/library/kernels', program), ...args],
      {
        env: { ...process.env, ...environment },
        maxBuffer: 1 << 29,
        encoding: 'buffer',
      },
    );
    return stdout;
  };
  return [await run(plain), await run(wasm)];
};

interface Printed {
  readonly simd: string;
  readonly [what: string]: unknown;
}

describe('the numbers of plain instructions', () => {
  it('come out of every kernel, but for the last digit of a logarithm', async () => {
    type Results = Record<string, Record<string, Float32Array | Float64Array>>;
    const [expected, got] = (await written('battery.ts')).map(
      (bytes) => deserialize(bytes) as { simd: string; results: Results },
    ) as [{ simd: string; results: Results }, { simd: string; results: Results }];
    expect([expected.simd, got.simd]).toEqual(['baseline', 'wasm']);
    let [equal, nearly] = [0, 0];
    for (const [format, all] of Object.entries(expected.results))
      for (const [name, values] of Object.entries(all))
        for (const [index, value] of values.entries()) {
          const other = got.results[format]?.[name]?.[index] as number;
          if (Object.is(value, other)) equal++;
          else {
            // Samples are equal; each C library rounds logarithms in its own way. A range is the difference of two
            // levels of some -20 dB, each off in its last digit.
            const scale = Math.max(Math.abs(value), 16);
            expect(values, `${format} ${name} ${index}`).toBeInstanceOf(Float64Array);
            expect(Math.abs(other - value) / scale, `${format} ${name} ${index}`).toBeLessThan(1e-15);
            nearly++;
          }
        }
    expect(equal).toBeGreaterThan(1e6);
    expect(nearly).toBeLessThan(20);
  });

  it.each([
    ['small-decoder.ts', 'say'],
    ['small-encoder.ts', 'hear'],
  ])('come out of %s', async (program, what) => {
    const [expected, got] = (await written(program, what)).map((bytes) => JSON.parse(bytes.toString()) as Printed) as [
      Printed,
      Printed,
    ];
    expect(got).toEqual({ ...expected, simd: 'wasm' });
    expect(expected.simd).toBe('baseline');
  });

  it('come out of RNNoise', async () => {
    const [expected, got] = (await written('rnnoise-task.ts')).map((bytes) => deserialize(bytes) as Printed) as [
      Printed,
      Printed,
    ];
    expect(got).toEqual({ ...expected, simd: 'wasm' });
  });
});

describe('whole tools', () => {
  const folder = useFolder();

  /** What the command gives with plain instructions, and with WebAssembly. */
  const both = async (args: readonly string[], given: (cwd: string, run: CliRun) => unknown): Promise<unknown[]> => {
    const cwd = folder();
    const results: unknown[] = [];
    for (const kernels of [plain, wasm]) {
      const run = await earshot(cwd, args, { environment: { ...kernels, EARSHOT_NOISE_ENGINE: 'rnnoise' } });
      expect({ args, code: run.code, stderr: run.stderr }).toMatchObject({ code: 0 });
      results.push(given(cwd, run));
    }
    return results;
  };

  it.each(['loudness', 'denoise'])('earshot %s writes the bytes of plain instructions', async (command) => {
    const args = [command, 'clip.wav', '--overwrite', '-o', 'out.wav'];
    const [expected, got] = await both(args, (cwd) => readFileSync(join(cwd, 'out.wav')));
    expect((got as Buffer).equals(expected as Buffer)).toBe(true);
  });

  it('earshot info measures what it measures with plain instructions', async () => {
    const [expected, got] = await both(['info', 'clip.wav', '--detail', 'full', '--json'], (_, run) =>
      jsonLines(run).flatMap((line) => ('result' in line ? [line['result']] : [])),
    );
    expect(JSON.stringify(expected)).toContain('integratedLufs');
    expect(got).toEqual(expected);
  });
});

describe('memory', () => {
  it('that does not suffice ends a call and what its instance held; the next call has another instance', () => {
    const kernels = nativeKernels();
    const kept = kernels.statsCreate(1);
    // Each reserves 64 MiB, which no page is taken for.
    const fill = (): void => {
      for (let count = 0; count < 100; count++) held.push(kernels.peaksCreate(1, 1, 1e12));
    };
    const held: unknown[] = [];
    expect(fill).toThrow(/memory/);
    expect(held.length).toBeGreaterThan(50);
    expect(() => kernels.statsPush(kept, [new Float32Array(8)], undefined)).toThrow(/own handle/);
    const fresh = kernels.statsCreate(1);
    kernels.statsPush(fresh, [Float32Array.of(0.5, -0.5)], undefined);
    expect(kernels.statsResult(fresh)).toMatchObject({ frames: 2 });
  });

  it('of a window that was taken away is used for the next', () => {
    const instance = new Instance(compileModule(readFileSync(built)));
    const residents = new Residents(instance);
    const before = instance.bytes.length;
    for (let window = 0; window < 40; window++) {
      const heard = new Float32Array(1_000_000).fill(window);
      const at = residents.at(heard);
      expect(residents.at(heard.subarray(10))).toBe(at + 40);
      expect(new Float32Array(instance.bytes.buffer, at, 2)).toEqual(Float32Array.of(window, window));
      heard.buffer.transfer(0);
    }
    expect(instance.bytes.length - before).toBeLessThan(13e6);
  });
});

/** Earshot where no package of a system is: as it runs here, but for the addon and the launcher. */
function withoutAddon(): string {
  const place = mkdtempSync(join(tmpdir(), 'earshot-portable-'));
  const part = mainPath.includes('/dist/') ? 'dist' : 'src';
  cpSync(join(root, part), join(place, part), { recursive: true, filter: (path) => !path.endsWith('.map') });
  mkdirSync(join(place, 'prebuilt'));
  cpSync(built, join(place, 'prebuilt/earshot.wasm'));
  for (const name of ['package.json', 'models', 'node_modules']) symlinkSync(join(root, name), join(place, name));
  return join(place, mainPath.slice(root.length));
}

it('an installation without an addon works, and doctor says with which kernels', async () => {
  const cwd = mkdtempSync(join(tmpdir(), 'earshot-portable-run-'));
  writeFileSync(join(cwd, 'clip.wav'), makeDemoClip());
  const main = withoutAddon();
  const { EARSHOT_KERNELS: _, ...environment } = process.env;
  const run = async (args: readonly string[], env: NodeJS.ProcessEnv): Promise<string> => {
    const { stdout } = await promisify(execFile)(process.execPath, args, { cwd, env });
    return stdout;
  };
  await run([main, 'loudness', 'clip.wav', '-o', 'portable.wav'], environment);
  await run([mainPath, 'loudness', 'clip.wav', '-o', 'plain.wav'], { ...environment, ...plain });
  expect(readFileSync(join(cwd, 'portable.wav')).equals(readFileSync(join(cwd, 'plain.wav')))).toBe(true);
  expect(await run([main, 'doctor'], environment)).toMatch(
    /^-- {2}native kernels {7}WebAssembly: .*are not installed$/m,
  );
  const asked = run([main, 'loudness', 'clip.wav', '-o', 'x.wav'], { ...environment, EARSHOT_KERNELS: 'native' });
  await expect(asked).rejects.toThrow(/native kernels for .* are not installed/);
});

it('two builds give the same bytes, the second from nothing', slower, async () => {
  const from = mkdtempSync(join(tmpdir(), 'earshot-wasm-'));
  const out = join(from, 'earshot.wasm');
  expect(await buildWasm({ out, kept: join(from, 'kept') })).toBeGreaterThan(40);
  expect(readFileSync(out).equals(readFileSync(built))).toBe(true);
  expect(await buildWasm({ out, kept: join(from, 'kept') })).toBe(0);
});

it('the module has what a page can fetch in a moment: 100 kB', () => {
  expect(brotliCompressSync(readFileSync(built)).length).toBeLessThan(100_000);
});
