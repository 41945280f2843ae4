import { describe, expect, it } from 'vitest';
import { chooseVoice, refineWords } from '../../../../src/library/speech/align/refine-words.ts';
import type { SpeechSound } from '../../../../src/library/speech/speech-sound.ts';
import type { SpokenWord } from '../../../../src/library/speech/spoken-word.ts';
import { seeded } from '../../../fixtures/random.ts';
import {
  acousticWords,
  edgeErrors,
  movedWords,
  quantile,
  shareWithin,
  soundOf,
  speechOf,
  spokenSound,
  withNoise,
} from '../../../fixtures/spoken-sounds.ts';
import { slow, slower } from '../../../fixtures/rounds.ts';

const { signal } = new AbortController();
const seed = Date.now() >>> 0;

async function refinedErrors(sound: SpeechSound, truth: readonly SpokenWord[], random: () => number) {
  const given = movedWords(truth, random);
  const refined = await refineWords(sound, given, { language: 'en', signal });
  expect(refined.map(({ text, confidence }) => ({ text, confidence }))).toEqual(
    given.map(({ text, confidence }) => ({ text, confidence })),
  );
  return { before: edgeErrors(given, truth), after: edgeErrors(refined, truth) };
}

describe(`word times of spontaneous speech (seed ${seed})`, () => {
  it('are those that people gave: median 30 ms, 90 % within 150 ms, 85 % within 100 ms', slow, async () => {
    const { before, after } = await refinedErrors(await speechOf('acoustic_corpus.wav'), acousticWords(), seeded(seed));
    expect(quantile(before, 0.5)).toBeGreaterThan(0.05);
    expect(quantile(after, 0.5)).toBeLessThan(0.035);
    expect(quantile(after, 0.9)).toBeLessThan(0.155);
    expect(shareWithin(after, 0.1)).toBeGreaterThanOrEqual(0.85);
  });

  it(
    'are found in noise 10 dB under the speech: median 40 ms, 90 % within 220 ms, 76 % within 100 ms',
    slower,
    async () => {
      const random = seeded(seed);
      const clean = await speechOf('acoustic_corpus.wav');
      const noisy = soundOf(withNoise(clean.read(0, clean.frames), 10, random));
      const { after } = await refinedErrors(noisy, acousticWords(), random);
      expect(quantile(after, 0.5)).toBeLessThan(0.045);
      expect(quantile(after, 0.9)).toBeLessThan(0.225);
      expect(shareWithin(after, 0.1)).toBeGreaterThanOrEqual(0.76);
    },
  );
});

it('a second of digital silence, as where sound is missing, makes no speech of a room’s noise', slow, async () => {
  const clean = await speechOf('jfk.wav');
  const samples = clean.read(0, clean.frames);
  const words = 'And so my fellow Americans ask not what your country can do for you'.split(' ');
  const starts = [0.32, 0.62, 0.79, 1.27, 1.63, 3.28, 4.01, 5.41, 5.61, 5.97, 6.47, 6.67, 6.91, 7.13];
  const rough = words.map((text, n) => {
    const startSeconds = (starts[n] as number) - 0.35;
    return { text, startSeconds, endSeconds: startSeconds + 0.2, confidence: 1 };
  });
  const refined = async (sound: SpeechSound): Promise<number[]> =>
    (await refineWords(sound, rough, { language: 'en', voice: 'gmw/en-US', signal })).map((word) => word.startSeconds);
  const whole = await refined(clean);
  const broken = await refined(soundOf(samples.slice().fill(0, 4.4 * 16_000, 5.35 * 16_000)));
  for (const [n, seconds] of broken.entries())
    expect(Math.abs(seconds - (whole[n] as number)), words[n]).toBeLessThan(0.1);
});

it('tells American from British speech', slower, async () => {
  const text = 'After the dance my mother asked her brother whether the water in the bath was hot.';
  for (const voice of ['gmw/en-US', 'gmw/en']) {
    const { sound, words } = await spokenSound(voice, text, { pitch: 70, wordsPerMinute: 150 });
    expect(await chooseVoice(sound, words, { language: 'en', signal })).toBe(voice);
  }
});

describe('refining', () => {
  it('answers the same for the same words, whatever was refined before', slower, async () => {
    const sound = await speechOf('acoustic_corpus.wav');
    const words = movedWords(acousticWords(), seeded(1));
    const first = await refineWords(sound, words, { language: 'en', signal });
    await refineWords(sound, words.slice(7, 30), { language: 'de', signal });
    expect(await refineWords(sound, words, { language: 'en', signal })).toEqual(first);
  });

  it('leaves times alone in a language that nobody here speaks', async () => {
    const sound = await speechOf('jfk.wav');
    const words = [{ text: 'dorehnga', startSeconds: 0.4, endSeconds: 0.9 }];
    expect(await refineWords(sound, words, { language: 'xyz', signal })).toEqual(words);
    expect(await refineWords(sound, [], { language: 'en', signal })).toEqual([]);
  });

  it('keeps words in order within the recording, also those that nobody says and those at its ends', slow, async () => {
    const sound = await speechOf('jfk.wav');
    const words = '♪ And so, — my fellow Americans: 1,000 🙂'.split(' ').map((text, index) => ({
      text,
      startSeconds: 10.2 + index * 0.1,
      endSeconds: 10.3 + index * 0.1,
    }));
    const refined = await refineWords(sound, words, { language: 'en', signal });
    let last = 0;
    for (const { startSeconds, endSeconds } of refined) {
      expect(startSeconds).toBeGreaterThanOrEqual(last);
      expect(endSeconds).toBeGreaterThanOrEqual(startSeconds);
      last = endSeconds;
    }
    expect(last).toBeLessThanOrEqual(sound.durationSeconds);
  });

  it('stops when it is told to', async () => {
    const sound = await speechOf('jfk.wav');
    const aborted = AbortSignal.abort();
    await expect(refineWords(sound, [], { language: 'en', signal: aborted })).rejects.toThrow('aborted');
  });
});
