// remove_noise: every output is measured again. RNNoise runs everywhere; DeepFilterNet3 where its weights are.
import { cpSync, mkdirSync, readFileSync, truncateSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, describe, expect, it } from 'vitest';
import { packageFolder } from '../../../../src/library/models/folders.ts';
import { chooseNoiseEngine, wantedEngine } from '../../../../src/library/dsp/denoise/engines.ts';
import { createEngine } from '../../../../src/library/runtime/engine/engine.ts';
import type { Engine } from '../../../../src/library/runtime/engine/engine-types.ts';
import { removeNoise } from '../../../../src/library/tools/remove_noise/tool.ts';
import {
  loudnessByFfmpeg,
  needFfmpeg,
  packetHashes,
  readAll,
  scratch,
  thrownBy,
} from '../../../fixtures/media/media.ts';
import { recording } from '../../../fixtures/recordings.ts';
import { writeWav } from '../../../fixtures/media/pcm-files.ts';
import { runTool, type ToolRun } from '../../../fixtures/media/run-context.ts';
import {
  bandLimitedNoise,
  difference,
  lagOf,
  make,
  maxAbs,
  noise,
  rms,
  spectrumOf,
  toDb,
  tone,
  voice,
} from '../../../fixtures/media/signals.ts';
import { makeVideo } from '../../../fixtures/media/videos.ts';
import { eachOf, slow, slower } from '../../../fixtures/rounds.ts';

const at = scratch();
/** Where the default weights lie; without them there is RNNoise, which most of this file is about. */
const house = packageFolder({}) ?? '';
process.env['EARSHOT_MODELS_PACKAGE'] = '';
/** But for the sound classifier: what is said without that is one of the tests. */
const noModels = at('no-models');
if (house !== '') cpSync(join(house, 'sound-classifier'), join(noModels, 'sound-classifier'), { recursive: true });
const plain = { auto_volume: false };

const remove = (path: string, options: object = {}, modelsDir = noModels): Promise<ToolRun> =>
  runTool(removeNoise, path, options, at('work-'), undefined, modelsDir);

/** A voice with gaps, over hiss and hum. */
function noisy(rate: number, seconds: number, seed = 1): Float32Array {
  const speech = voice(seconds * rate, rate, seed, 0.3);
  const hiss = noise(seconds * rate, seed + 50, 0.02);
  return make(
    seconds * rate,
    (i) =>
      (speech[i] as number) * (Math.sin((2 * Math.PI * i) / rate) > -0.3 ? 1 : 0) +
      (hiss[i] as number) +
      0.05 * Math.sin((2 * Math.PI * 20 * i) / rate),
  );
}

describe('length, rate, channels and place', () => {
  it.each([
    [8000, 1],
    [11_025, 2],
    [16_000, 1],
    [22_050, 2],
    [44_100, 1],
    [48_000, 2],
    [96_000, 1],
  ])('%i Hz, %i channels: as they were, in step', slow, async (rate, channels) => {
    const planes = Array.from({ length: channels }, () => noisy(rate, 3).slice(0, 3 * rate - 77));
    const run = await remove(writeWav(at(`shape-${rate}-${channels}.wav`), planes, rate), plain);
    const out = readAll(run.path);
    expect(out.frames).toBe(3 * rate - 77);
    expect(out.format).toMatchObject({ sampleRate: rate, channels });
    expect(lagOf(planes[0] as Float32Array, out.planes[0] as Float32Array, Math.round(rate / 100))).toBe(0);
    expect(run.result).toMatchObject({ engine: 'rnnoise', noiseReduction: 100 });
    expect(run.processedSeconds).toBeCloseTo(3 - 77 / rate, 6);
    expect(run.progress.every((x, n) => x >= (run.progress[n - 1] ?? 0) && x <= 1)).toBe(true);
  });

  it('invents nothing above the bandwidth of the input', slow, async () => {
    const rate = 48_000;
    const path = writeWav(
      at('narrow.wav'),
      [bandLimitedNoise(3 * rate, rate, 3400, 4, 0.3).map((x, i) => x * (0.3 + 0.7 * Math.abs(Math.sin(i / 9000))))],
      rate,
      'f32',
    );
    const [before, after] = [readAll(path), readAll((await remove(path, plain)).path)].map(({ planes }) =>
      spectrumOf(planes[0] as Float32Array, rate, 65_536, 20_000),
    );
    const strongest = (levels: Float64Array, from: number): number =>
      levels.slice(Math.ceil((from * 65_536) / rate)).reduce((most, x) => Math.max(most, x), -200);
    expect(strongest(after?.levelsDb as Float64Array, 4500)).toBeLessThan(
      Math.max(-90, strongest(before?.levelsDb as Float64Array, 4500) + 3),
    );
  });

  it('low-frequency effects stay as they are', slow, async () => {
    const rate = 48_000;
    const speech = readAll(recording('noisy_snr0_48k.wav')).planes[0] as Float32Array;
    const planes = Array.from({ length: 6 }, (_, channel) =>
      channel === 3
        ? tone(2 * rate, rate, 40, -12)
        : channel === 5
          ? new Float32Array(2 * rate)
          : // Real speech in noise: what is voice and what is music may be judged of it.
            speech.subarray((channel + 1) * rate, (channel + 3) * rate),
    );
    const run = await remove(writeWav(at('surround.wav'), planes, rate, 'f32'), plain);
    const out = readAll(run.path);
    expect(difference(out.planes[3] as Float32Array, planes[3] as Float32Array)).toBe(0);
    expect(maxAbs(out.planes[5] as Float32Array)).toBe(0);
    expect(rms(out.planes[0] as Float32Array)).toBeLessThan(rms(planes[0] as Float32Array));
  });
});

describe('noise_reduction', () => {
  it('is the percent of the noise that is turned down', slower, async () => {
    const rate = 48_000;
    const path = writeWav(at('hiss.wav'), [noise(6 * rate, 3, 0.1)], rate, 'f32');
    const level = async (percent: number): Promise<number> => {
      const plane = readAll((await remove(path, { ...plain, noise_reduction: percent })).path)
        .planes[0] as Float32Array;
      return toDb(rms(plane.slice(2 * rate)) / rms(noise(6 * rate, 3, 0.1)));
    };
    expect(await level(100)).toBeLessThan(-25);
    expect(Math.abs((await level(50)) + 6)).toBeLessThan(0.6);
    expect(Math.abs((await level(90)) + 20)).toBeLessThan(2.5);
    expect(Math.abs((await level(10)) - toDb(0.9))).toBeLessThan(0.2);
  });
});

describe('auto_volume', () => {
  it('brings what is left to -16 LUFS with peaks under -1 dBTP', slow, async (context) => {
    needFfmpeg(context);
    for (const name of ['noisy_snr0_48k.wav', 'jfk.wav'] as const) {
      const run = await remove(recording(name));
      const { lufs, truePeak } = loudnessByFfmpeg(run.path);
      expect(Math.abs(lufs + 16), name).toBeLessThanOrEqual(0.16);
      expect(truePeak, name).toBeLessThanOrEqual(-0.9);
      expect(run.warnings).toEqual([]);
    }
  });

  it('says so where no sound classifier is installed', async () => {
    const path = writeWav(at('still.wav'), [new Float32Array(8000)], 8000);
    const run = await remove(path, plain, at('no-models-at-all'));
    expect(run.warnings.map(({ code }) => code)).toEqual(['sounds_not_told']);
  });

  it('leaves silence silent and says so', async () => {
    const path = writeWav(at('silent.wav'), [new Float32Array(48_000), new Float32Array(48_000)], 48_000);
    for (const options of [{}, plain]) {
      const run = await remove(path, options);
      const out = readAll(run.path);
      expect(out.frames).toBe(48_000);
      expect(Math.max(...out.planes.map(maxAbs))).toBeLessThanOrEqual(options === plain ? 0 : 1.01 / 32_768);
      if (options !== plain) expect(run.warnings.map(({ code }) => code)).toEqual(['silent']);
    }
  });

  it('does not raise what is left of nothing but noise', slow, async () => {
    const path = writeWav(at('only-noise.wav'), [noise(6 * 48_000, 9, 0.2)], 48_000, 'f32');
    const run = await remove(path);
    expect(run.warnings.map(({ code }) => ['silent', 'only_noise'].includes(code))).toEqual([true]);
    expect(toDb(rms((readAll(run.path).planes[0] as Float32Array).slice(96_000)))).toBeLessThan(-30);
  });
});

describe('formats', () => {
  eachOf(['wav', 'mp3', 'm4a', 'flac'] as const)('writes %s', async (format) => {
    const path = writeWav(at('formats.wav'), [noisy(44_100, 3), noisy(44_100, 3)], 44_100);
    const run = await remove(path, { output_format: format });
    expect(run.outputs[0]).toMatchObject({ format, filename: `formats.${format}` });
    const out = readAll(run.path);
    expect(Math.abs(out.frames / out.format.sampleRate - 3)).toBeLessThan(0.01);
  });

  it('a video keeps its picture, packet by packet', slower, async (context) => {
    needFfmpeg(context);
    const source = makeVideo(at('film.mp4'), [noisy(48_000, 3), noisy(48_000, 3)], 48_000);
    const run = await remove(source);
    expect(run.outputs[0]).toMatchObject({ format: 'mp4' });
    expect(packetHashes(run.path, 'v')).toEqual(packetHashes(source, 'v'));
    const out = readAll(run.path);
    expect(out.format).toMatchObject({ sampleRate: 48_000, channels: 2 });
    expect(lagOf(noisy(48_000, 3), out.planes[0] as Float32Array, 1500)).toBeLessThanOrEqual(1);
  });
});

describe('which engine', () => {
  const install = (name: string): string => {
    const folder = at(name);
    mkdirSync(folder);
    mkdirSync(join(folder, 'deepfilternet3'));
    for (const name of ['enc.onnx', 'erb_dec.onnx', 'df_dec.onnx'])
      writeFileSync(join(folder, 'deepfilternet3', name), readFileSync(join(house, 'deepfilternet3', name)));
    return folder;
  };
  const path = (): string => writeWav(at('engine.wav'), [noisy(48_000, 2)], 48_000);

  it('is the one that is there, and a damaged one is an error that names it', slower, async () => {
    expect((await remove(path(), plain, house)).result['engine']).toBe('deepfilternet3');
    const damage: [string, (file: string) => void, RegExp][] = [
      ['truncated', (file) => truncateSync(file, 1000), /erb_dec\.onnx has 1000 bytes instead of/],
      [
        'altered',
        (file) => {
          const bytes = readFileSync(file);
          bytes[bytes.length >> 1] = (bytes[bytes.length >> 1] as number) ^ 1;
          writeFileSync(file, bytes);
        },
        /erb_dec\.onnx has SHA-256/,
      ],
    ];
    for (const [name, harm, message] of damage) {
      const folder = install(name);
      const file = join(folder, 'deepfilternet3', 'erb_dec.onnx');
      harm(file);
      const thrown = await thrownBy(() => remove(path(), plain, folder));
      expect(thrown.code).toBe('tool_unavailable');
      expect(thrown.message).toMatch(/deepfilternet3/);
      expect(thrown.message).toMatch(message);
    }
  });

  it('can be asked for', async () => {
    expect((await chooseNoiseEngine(noModels, null)).id).toBe('rnnoise');
    const thrown = await thrownBy(() => chooseNoiseEngine(noModels, 'deepfilternet3'));
    expect(thrown).toMatchObject({
      code: 'tool_unavailable',
      nextAction: expect.stringContaining('earshot models install deepfilternet3') as string,
    });
    expect(wantedEngine({ EARSHOT_NOISE_ENGINE: 'rnnoise' })).toBe('rnnoise');
    expect(wantedEngine({})).toBeNull();
    expect((await thrownBy(() => wantedEngine({ EARSHOT_NOISE_ENGINE: 'rnnois' }))).code).toBe('bad_request');
  });
});

describe('as a job', () => {
  const engines: Engine[] = [];
  const engineFor = (modelsDir: string): Engine => {
    const engine = createEngine({ concurrency: 1, modelsDir });
    engines.push(engine);
    return engine;
  };
  afterAll(() => Promise.all(engines.map((engine) => engine.close())));

  it('on all cores it gives what it gives on one', slower, async () => {
    const source = writeWav(at('cores.wav'), [noisy(48_000, 5), noisy(48_000, 5, 2)], 48_000, 'f32');
    for (const modelsDir of [house, noModels]) {
      const run = await engineFor(modelsDir).run('remove_noise', source, plain, {
        outputDir: at(`cores-${modelsDir === house}`),
      });
      const alone = await remove(source, plain, modelsDir);
      const [a, b] = [readAll(run.outputs[0]?.path ?? ''), readAll(alone.path)];
      for (const [channel, plane] of a.planes.entries())
        expect(difference(plane, b.planes[channel] as Float32Array)).toBe(0);
    }
  });

  it('stops at the signal', slow, async () => {
    const source = writeWav(at('long.wav'), [noise(16_000 * 240, 4, 0.1)], 16_000);
    const stop = new AbortController();
    let reached = 0;
    const onProgress = ({ stage, progress }: { stage: string; progress: number }): void => {
      reached = progress;
      if (stage === 'denoising') stop.abort();
    };
    const thrown: unknown = await engineFor(noModels)
      .run('remove_noise', source, {}, { signal: stop.signal, outputDir: at('aborted'), onProgress })
      .catch((error: unknown) => error);
    expect((thrown as Error).name).toBe('AbortError');
    expect(reached).toBeLessThan(0.5);
  });
});
