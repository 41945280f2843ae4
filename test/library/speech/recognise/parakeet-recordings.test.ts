// A recording through `recognise` with a tiny Parakeet that was added: its words mean nothing, where they stand does.
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it, vi } from 'vitest';
import { createFanOut } from '../../../../src/library/runtime/job/fan-out.ts';
import { parakeetLanes } from '../../../../src/library/speech/recognise/parakeet/parakeet-reader.ts';
import { recognise } from '../../../../src/library/speech/recognise/recognise.ts';
import type { RecognisedRegion } from '../../../../src/library/speech/recognise/windows/recognition.ts';
import type { SpeechSound } from '../../../../src/library/speech/speech-sound.ts';
import { addParakeet, tinyParakeets, type TinyParakeet } from '../../../fixtures/networks/parakeet.ts';
import { findSpeech, speechOf, speechOfSamples, speechRun } from '../../../fixtures/speech.ts';
import { slow, slower } from '../../../fixtures/rounds.ts';

let modelsDir = '';
beforeAll(() => {
  modelsDir = mkdtempSync(join(tmpdir(), 'earshot-parakeet-'));
  addParakeet(modelsDir, tinyParakeets['patient'] as TinyParakeet);
  addParakeet(modelsDir, tinyParakeets['patient'] as TinyParakeet, 'owner/damaged');
  writeFileSync(join(modelsDir, 'hf--owner--damaged', 'vocab.txt'), 'nothing');
});
afterAll(() => rmSync(modelsDir, { recursive: true, force: true }));
beforeEach(() => void vi.stubEnv('EARSHOT_RECOGNISER', 'hf:owner/parakeet'));
afterEach(() => void vi.unstubAllEnvs());

async function listen(sound: SpeechSound, parallelism = 1, language?: string) {
  const told: number[] = [];
  const { regions, ...about } = await recognise(sound, {
    ...speechRun(parallelism),
    modelsDir,
    language,
    verbatim: false,
    onProgress: (fraction) => void told.push(fraction),
  });
  const found: RecognisedRegion[] = [];
  for await (const region of regions) found.push(region);
  return { ...about, regions: found, words: found.flatMap(({ words }) => words), told };
}

describe('recognise with a Parakeet', () => {
  it('does not translate, and says what does', async () => {
    const sound = speechOfSamples(new Float32Array(16_000));
    const asked = recognise(sound, { ...speechRun(), modelsDir, verbatim: false, translate: true });
    await expect(asked).rejects.toMatchObject({
      code: 'bad_request',
      nextAction: expect.stringContaining('multilingual Whisper') as string,
    });
  });

  it('takes no vocabulary, and says what does', async () => {
    const sound = speechOfSamples(new Float32Array(16_000));
    const asked = recognise(sound, { ...speechRun(), modelsDir, verbatim: false, vocabulary: ['Tbilisi'] });
    await expect(asked).rejects.toMatchObject({
      code: 'bad_request',
      details: { field: 'vocabulary' },
      nextAction: expect.stringContaining('Use a Whisper') as string,
    });
  });

  it('writes words in order and where voices are, the same on two cores, and says who listened', slower, async () => {
    const sound = await speechOf('sonnet001.mp3');
    const one = await listen(sound);
    expect(one.recogniser).toEqual({ id: 'hf:owner/parakeet', title: 'owner/parakeet' });
    expect(one.language).toBe('en');
    expect(one.words.length).toBeGreaterThan(20);
    expect(one.told.at(-1)).toBe(1);
    const voices = await findSpeech(sound, speechRun());
    for (const [index, { text, startSeconds, endSeconds, confidence }] of one.words.entries()) {
      expect(text).toMatch(/^\S+$/);
      expect(startSeconds).toBeGreaterThanOrEqual(one.words[index - 1]?.endSeconds ?? 0);
      expect(endSeconds).toBeGreaterThanOrEqual(startSeconds);
      // Speech begins and ends up to a third of a second from where it is noticed.
      expect(voices.some((v) => startSeconds >= v.startSeconds - 0.3 && endSeconds <= v.endSeconds + 0.3)).toBe(true);
      expect(confidence).toBeGreaterThan(0);
    }
    expect((await listen(sound, 2)).regions).toEqual(one.regions);
    const begun = speechOfSamples(sound.read(0, 4 * 16_000));
    expect((await listen(begun, 1, 'de')).language).toBe('de');
  });

  it('writes nothing where nobody speaks', slow, async () => {
    expect((await listen(speechOfSamples(new Float32Array(160_000)))).words).toEqual([]);
    expect((await listen(speechOfSamples(new Float32Array(0)))).words).toEqual([]);
  });

  it('is not used when it is damaged', async () => {
    vi.stubEnv('EARSHOT_RECOGNISER', 'hf:owner/damaged');
    await expect(listen(speechOfSamples(new Float32Array(16_000)))).rejects.toMatchObject({
      code: 'tool_unavailable',
      message: expect.stringContaining('vocab.txt') as string,
    });
  });

  it('takes as many threads as there is memory for, one at least', () => {
    const [megabyte, gibibyte] = [1e6, 1024 ** 3];
    const { signal } = new AbortController();
    const threads = (shared: boolean, weightBytes: number, memoryBytes?: number): number =>
      parakeetLanes(
        { bytes: weightBytes },
        createFanOut(16, signal, memoryBytes === undefined ? {} : { memoryBytes }),
        shared,
      );
    // Parakeet 0.6B in 8 bits, as runs are limited by default and otherwise.
    expect(threads(true, 670 * megabyte)).toBe(8);
    expect(threads(true, 670 * megabyte, 4 * gibibyte)).toBe(16);
    expect(threads(true, 2500 * megabyte, 2 * gibibyte)).toBe(1);
    expect(threads(true, 2500 * megabyte, 4 * gibibyte)).toBe(3);
    expect(threads(false, 670 * megabyte)).toBe(1);
    expect(threads(false, 670 * megabyte, 64 * gibibyte)).toBe(16);
  });
});
