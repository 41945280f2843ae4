// Tiny Parakeets with random weights against what onnx-asr reads with the same files, and what it has no example for.
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { decodeTokens, type TimedToken } from '../../../../src/library/speech/recognise/parakeet/decode.ts';
import { createNemoListener } from '../../../../src/library/speech/recognise/parakeet/features.ts';
import { readParakeetLayout } from '../../../../src/library/speech/recognise/parakeet/layout.ts';
import { loadParakeet } from '../../../../src/library/speech/recognise/parakeet/parakeet.ts';
import { wordsOf } from '../../../../src/library/speech/recognise/parakeet/words.ts';
import { thrownBy } from '../../../fixtures/media/media.ts';
import { noise, voice } from '../../../fixtures/media/signals.ts';
import { expectedReadings, expectedSounds, modelHash } from '../../../fixtures/networks/parakeet-expected.ts';
import { tinyParakeets, type TinyParakeet, writeParakeet } from '../../../fixtures/networks/parakeet.ts';
import { slow } from '../../../fixtures/rounds.ts';

let folder = '';
beforeAll(() => {
  folder = mkdtempSync(join(tmpdir(), 'earshot-parakeet-'));
});
afterAll(() => rmSync(folder, { recursive: true, force: true }));

const never = (): boolean => false;
const numbers = (text: string): number[] => (text === '' ? [] : text.split(' ').map(Number));
const lively = tinyParakeets['lively'] as TinyParakeet;
const second = 16_000;

describe.each(Object.entries(tinyParakeets))('%s', (name, kind) => {
  it('reads the tokens, times and probabilities that onnx-asr reads', slow, async () => {
    const { models, readings } = expectedReadings();
    expect(modelHash(name), 'other weights than onnx-asr was given: bench/speech/parakeet.ts --write').toBe(
      models[name],
    );
    const sounds = await expectedSounds();
    const parakeet = await loadParakeet(await readParakeetLayout(writeParakeet(join(folder, name), kind)));
    const mine = readings.filter(({ model }) => model === name);
    expect(mine.map(({ sound }) => sound).toSorted()).toEqual([...sounds.keys()].toSorted());
    for (const { sound, tokens, steps, permille } of mine) {
      const samples = sounds.get(sound);
      if (!samples) throw new Error(`There is no sound ${sound}`);
      const found = await parakeet.readTokens(samples, never);
      expect(
        found.map(({ token }) => token),
        sound,
      ).toEqual(numbers(tokens));
      expect(
        found.map(({ step }) => step),
        sound,
      ).toEqual(numbers(steps));
      for (const [index, expected] of numbers(permille).entries())
        expect(Math.abs(1000 * (found[index]?.probability ?? NaN) - expected)).toBeLessThan(2);
    }
    await parakeet.close();
  });
});

describe('a stretch of speech', () => {
  it('becomes words in order of time, within the stretch', slow, async () => {
    for (const [name, kind] of Object.entries(tinyParakeets)) {
      const parakeet = await loadParakeet(await readParakeetLayout(writeParakeet(join(folder, name), kind)));
      const seconds = 7.3;
      const words = await parakeet.read(voice(seconds * second, second, 3) as Float32Array<ArrayBuffer>, never);
      expect(words.length, name).toBeGreaterThan(1);
      let before = 0;
      for (const { text, startSeconds, endSeconds, confidence } of words) {
        expect(text).toMatch(/^\S+$/);
        expect(text).not.toContain('<');
        expect(startSeconds).toBeGreaterThanOrEqual(before);
        expect(endSeconds).toBeGreaterThanOrEqual(startSeconds);
        expect(confidence).toBeGreaterThan(0);
        expect(confidence).toBeLessThanOrEqual(1);
        before = endSeconds;
      }
      expect(before).toBeLessThanOrEqual(seconds);
      await parakeet.close();
    }
  });

  it('may be empty, shorter than the network hears, or silent', async () => {
    const parakeet = await loadParakeet(
      await readParakeetLayout(writeParakeet(join(folder, 'patient'), tinyParakeets['patient'] as TinyParakeet)),
    );
    for (const length of [0, 1, 160, 319]) expect(await parakeet.read(new Float32Array(length), never)).toEqual([]);
    for (const length of [320, 481, second])
      for (const { probability } of await parakeet.readTokens(new Float32Array(length), never))
        expect(probability).toBeGreaterThan(0);
    await parakeet.close();
  });

  it('is left within a step when the run is stopped', async () => {
    const parakeet = await loadParakeet(await readParakeetLayout(writeParakeet(join(folder, 'lively'), lively)));
    const sound = voice(5 * second, second, 4) as Float32Array<ArrayBuffer>;
    for (const after of [0, 1, 9]) {
      let asked = 0;
      await expect(parakeet.read(sound, () => (asked += 1) > after)).rejects.toMatchObject({ name: 'AbortError' });
      expect(asked).toBe(after + 1);
    }
    await parakeet.close();
  });
});

describe('a folder that holds something else is refused', () => {
  it.each([
    ['config.json', 'nothing', /config\.json is not JSON/],
    ['config.json', '{"features_size":"many"}', /features_size in its config\.json is "many"/],
    ['config.json', '{"features_size":64}', /does not take 64 bands/],
    ['vocab.txt', 'a 0\nb 1\n', /no <blk>/],
    ['vocab.txt', 'a 0\n<blk> 2\n', /has missing numbers/],
    ['vocab.txt', 'a\n', /has the line "a"/],
  ])('%s: %s', async (name, content, message) => {
    const model = writeParakeet(join(folder, 'spoilt'), lively);
    writeFileSync(model.path(name), content);
    expect(await thrownBy(async () => loadParakeet(await readParakeetLayout(model)))).toMatchObject({
      code: 'tool_unavailable',
      message: expect.stringMatching(message) as string,
    });
  });

  it('a network without durations', async () => {
    const model = writeParakeet(join(folder, 'longer'), lively);
    const vocabulary = readFileSync(model.path('vocab.txt'), 'utf8').trimEnd().split('\n');
    const more = Array.from({ length: 5 }, (_, index) => `more${index} ${vocabulary.length + index}`);
    writeFileSync(model.path('vocab.txt'), [...vocabulary, ...more].join('\n'));
    const parakeet = await loadParakeet(await readParakeetLayout(model));
    const thrown = await thrownBy(() => parakeet.read(new Float32Array(second), never));
    expect(thrown).toMatchObject({ code: 'tool_unavailable' });
    expect(thrown.message).toContain('does not give token durations: 31 values for 31 tokens');
    await parakeet.close();
  });
});

describe('features', () => {
  /** By the definitions, in float64. */
  function byDefinition(samples: Float32Array, bands: number): Float64Array[] {
    const frames = Math.floor(samples.length / 160);
    const sound = Float64Array.from(samples, (sample, index) => sample - 0.97 * (samples[index - 1] ?? 0));
    const mel = (hz: number): number => (hz < 1000 ? (3 * hz) / 200 : 15 + (27 * Math.log(hz / 1000)) / Math.log(6.4));
    const hertz = (at: number): number => (at < 15 ? (200 * at) / 3 : 1000 * 6.4 ** ((at - 15) / 27));
    const edges = Array.from({ length: bands + 2 }, (_, index) => hertz((mel(8000) * index) / (bands + 1)));
    const levels = Array.from({ length: bands }, () => new Float64Array(frames));
    for (let frame = 0; frame < frames; frame += 1) {
      const power = Array.from({ length: 257 }, (_, bin) => {
        let [real, imaginary] = [0, 0];
        for (let index = 0; index < 400; index += 1) {
          const sample = sound[frame * 160 - 200 + index] ?? 0;
          const windowed = sample * (0.5 - 0.5 * Math.cos((2 * Math.PI * index) / 399));
          const angle = (2 * Math.PI * ((bin * index) % 512)) / 512;
          real += windowed * Math.cos(angle);
          imaginary -= windowed * Math.sin(angle);
        }
        return real * real + imaginary * imaginary;
      });
      for (const [band, row] of levels.entries()) {
        const [low = 0, centre = 0, high = 0] = edges.slice(band, band + 3);
        let sum = 0;
        for (const [bin, value] of power.entries()) {
          const hz = (bin * 16000) / 512;
          const height = Math.min((hz - low) / (centre - low), (high - hz) / (high - centre));
          if (height > 0) sum += (value * height * 2) / (high - low);
        }
        row[frame] = Math.log(sum + 2 ** -24);
      }
    }
    return levels.map((row) => {
      const mean = row.reduce((sum, level) => sum + level, 0) / frames;
      const deviation = Math.sqrt(row.reduce((sum, level) => sum + (level - mean) ** 2, 0) / (frames - 1));
      return row.map((level) => (level - mean) / (deviation + 1e-5));
    });
  }

  it.each([
    [128, voice(0.7 * second + 50, second, 2)],
    [80, voice(0.5 * second - 1, second, 3)],
    [128, noise(0.5 * second, 4, 1e-3)],
  ])('of %d bands are those of the definition', slow, (bands, samples) => {
    const { values, columns, frames } = createNemoListener(bands).features(samples);
    expect({ columns, frames }).toEqual({
      columns: Math.floor(samples.length / 160) + 1,
      frames: Math.floor(samples.length / 160),
    });
    const differences: number[] = [];
    for (const [band, row] of byDefinition(samples, bands).entries()) {
      for (const [frame, value] of row.entries())
        differences.push(Math.abs(value - (values[band * columns + frame] ?? NaN)));
      expect(values[band * columns + frames]).toBe(0);
    }
    differences.sort((a, b) => a - b);
    expect(differences[Math.floor(0.99 * differences.length)]).toBeLessThan(1e-4);
    expect(differences.at(-1)).toBeLessThan(5e-4);
  });

  it('of silence are 0', () => {
    for (const value of createNemoListener(128).features(new Float32Array(second)).values)
      expect(Math.abs(value)).toBeLessThan(1e-6);
  });
});

describe('decoding', () => {
  /** A network whose answers are written down: [token, duration] for each call. */
  function scripted(answers: readonly (readonly [number, number])[], tokens = 4) {
    const asked: { step: number; last: number; state: number }[] = [];
    const oneHot = (length: number, at: number): Float32Array =>
      Float32Array.from({ length }, (_, index) => (index === at ? 5 : 0));
    const stateOf = (value: number) =>
      [value, value].map((one) => ({ data: Float32Array.of(one), dims: [1] })) as never;
    return {
      asked,
      initialState: () => stateOf(0),
      join: (encoding: Float32Array, last: number, [state]: readonly [{ data: Float32Array }, unknown]) => {
        const [token, duration] = answers[asked.length] ?? [tokens - 1, 1];
        asked.push({ step: encoding[0] ?? -1, last, state: state.data[0] ?? -1 });
        return Promise.resolve({
          tokens: oneHot(tokens, token),
          durations: oneHot(5, duration),
          state: stateOf(asked.length),
        });
      },
    };
  }
  const blank = 3;
  const encoded = (steps: number) => ({ steps, width: 1, values: Float32Array.from({ length: steps }, (_, at) => at) });
  const read = async (answers: readonly (readonly [number, number])[], steps: number, mostTokensPerStep = 10) => {
    const network = scripted(answers);
    const found = await decodeTokens(network, { blank, mostTokensPerStep }, encoded(steps), never);
    return { found, asked: network.asked };
  };

  it('goes on by the durations; a blank takes at least a step and leaves the state as it is', async () => {
    const { found, asked } = await read(
      [
        [0, 2],
        [blank, 0],
        [1, 0],
        [2, 4],
      ],
      8,
    );
    expect(found.map(({ token, step, duration }) => [token, step, duration])).toEqual([
      [0, 0, 2],
      [1, 3, 0],
      [2, 3, 4],
    ]);
    expect(asked).toEqual([
      { step: 0, last: blank, state: 0 },
      { step: 2, last: 0, state: 1 },
      { step: 3, last: 0, state: 1 },
      { step: 3, last: 1, state: 3 },
      { step: 7, last: 2, state: 4 },
    ]);
    expect(found[0]?.probability).toBeCloseTo(Math.exp(5) / (Math.exp(5) + 3), 6);
  });

  it('leaves a step after as many tokens as may begin there', async () => {
    const { found } = await read(
      Array.from({ length: 7 }, () => [1, 0] as const),
      3,
      3,
    );
    expect(found.map(({ step }) => step)).toEqual([0, 0, 0, 1, 1, 1, 2]);
  });
});

describe('words', () => {
  const vocabulary = ['▁no', 'body', '.', '▁«', '▁so', '»', '▁–', '<unk>', '▁', '<|en|>', '▁It', "'", 's'];
  const heard = (
    ...tokens: readonly (readonly [piece: string, step: number, duration: number, probability?: number])[]
  ) =>
    wordsOf(
      tokens.map(([piece, step, duration, probability = 0.5]): TimedToken => ({
        token: vocabulary.indexOf(piece),
        step,
        duration,
        probability,
      })),
      vocabulary,
      0.08,
      2,
    );
  const times = (words: ReturnType<typeof heard>) =>
    words.map(({ text, startSeconds, endSeconds }) => [
      text,
      Math.round(startSeconds * 1000),
      Math.round(endSeconds * 1000),
    ]);

  it('last from the step of their first letters to the end of their last', () => {
    expect(times(heard(['▁no', 2, 1], ['body', 4, 3], ['.', 7, 4]))).toEqual([['nobody.', 160, 560]]);
    expect(times(heard(['▁It', 1, 1], ["'", 2, 0], ['s', 2, 0]))).toEqual([["It's", 80, 240]]);
  });

  it('end where the next begins; those that begin in one step share it', () => {
    expect(times(heard(['▁no', 2, 4], ['▁so', 3, 2]))).toEqual([
      ['no', 160, 240],
      ['so', 240, 400],
    ]);
    expect(times(heard(['▁no', 2, 0], ['▁so', 2, 0], ['▁It', 2, 3]))).toEqual([
      ['no', 160, 187],
      ['so', 187, 213],
      ['It', 213, 400],
    ]);
  });

  it('end with the stretch', () => {
    expect(times(heard(['▁no', 23, 4]))).toEqual([['no', 1840, 2000]]);
  });

  it('take the signs that belong to them, and no marks of the model', () => {
    expect(
      times(heard(['▁«', 0, 1], ['▁no', 1, 1], ['»', 2, 1], ['▁–', 4, 2], ['<|en|>', 5, 1], ['▁so', 6, 1])),
    ).toEqual([
      ['«no»–', 80, 160],
      ['so', 480, 560],
    ]);
    expect(times(heard(['<unk>', 0, 1], ['▁', 1, 1], ['s', 2, 2]))).toEqual([['s', 160, 320]]);
    expect(heard(['.', 0, 1], ['▁–', 1, 1])).toEqual([]);
  });

  it('are as sure as their letters are on average', () => {
    expect(heard(['▁no', 2, 1, 0.9], ['body', 4, 3, 0.7], ['.', 7, 4, 0.1])[0]?.confidence).toBeCloseTo(0.8, 12);
  });
});
