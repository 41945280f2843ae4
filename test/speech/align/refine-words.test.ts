import { describe, expect, it } from 'vitest';
import { openEspeak } from '../../../src/speech/align/reference/espeak.ts';
import { chooseVoice, refineWords } from '../../../src/speech/align/refine-words.ts';
import type { SpeechSound } from '../../../src/speech/speech-sound.ts';
import type { SpokenWord } from '../../../src/speech/spoken-word.ts';
import { seeded } from '../../fixtures/random.ts';
import {
  acousticWords,
  edgeErrors,
  quantile,
  resampled,
  shareWithin,
  soundOf,
  speechOf,
  withNoise,
} from '../../fixtures/spoken-sounds.ts';

const { signal } = new AbortController();
const seed = Date.now() >>> 0;

/** As a recogniser gives them: too early, and off by some 75 ms here and 200 there. */
function moved(words: readonly SpokenWord[], random: () => number): SpokenWord[] {
  const error = (): number => (random() + random() + random() - 1.5) * 0.25 - 0.04;
  return words.map((word) => {
    const startSeconds = Math.max(0, word.startSeconds + error());
    return { ...word, startSeconds, endSeconds: Math.max(startSeconds, word.endSeconds + error()), confidence: 0.5 };
  });
}

async function refinedErrors(sound: SpeechSound, truth: readonly SpokenWord[], random: () => number) {
  const given = moved(truth, random);
  const refined = await refineWords(sound, given, { language: 'en', signal });
  expect(refined.map(({ text, confidence }) => ({ text, confidence }))).toEqual(
    given.map(({ text, confidence }) => ({ text, confidence })),
  );
  return { before: edgeErrors(given, truth), after: edgeErrors(refined, truth) };
}

describe(`word times of spontaneous speech (seed ${seed})`, () => {
  it('are those that people gave: median 30 ms, 90 % within 150 ms, 85 % within 100 ms', async () => {
    const { before, after } = await refinedErrors(await speechOf('acoustic_corpus.wav'), acousticWords(), seeded(seed));
    expect(quantile(before, 0.5)).toBeGreaterThan(0.05);
    expect(quantile(after, 0.5)).toBeLessThanOrEqual(0.03);
    expect(quantile(after, 0.9)).toBeLessThanOrEqual(0.15);
    expect(shareWithin(after, 0.1)).toBeGreaterThanOrEqual(0.85);
  });

  it('are found in noise 10 dB under the speech: median 40 ms, 90 % within 220 ms, 76 % within 100 ms', async () => {
    const random = seeded(seed);
    const clean = await speechOf('acoustic_corpus.wav');
    const noisy = soundOf(withNoise(clean.read(0, clean.frames), 10, random));
    const { after } = await refinedErrors(noisy, acousticWords(), random);
    expect(quantile(after, 0.5)).toBeLessThanOrEqual(0.04);
    expect(quantile(after, 0.9)).toBeLessThanOrEqual(0.22);
    expect(shareWithin(after, 0.1)).toBeGreaterThanOrEqual(0.76);
  });
});

it('tells American from British speech', async () => {
  const espeak = await openEspeak();
  const text = 'After the dance my mother asked her brother whether the water in the bath was hot.';
  for (const voice of ['gmw/en-US', 'gmw/en']) {
    const { samples, sampleRate, events } = espeak.speak(voice, text, { pitch: 70, wordsPerMinute: 150 });
    const starts = events.filter(({ type }) => type === 'word').map((event) => event.audio_position / 1000);
    const words = text.split(' ').map((word, index) => ({
      text: word,
      startSeconds: starts[index] ?? 0,
      endSeconds: starts[index + 1] ?? samples.length / sampleRate,
    }));
    const sound = await resampled(samples, sampleRate);
    expect(await chooseVoice(sound, words, { language: 'en', signal })).toBe(voice);
  }
});

describe('refining', () => {
  it('answers the same for the same words, whatever was refined before', async () => {
    const sound = await speechOf('acoustic_corpus.wav');
    const words = moved(acousticWords(), seeded(1));
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

  it('keeps words in order within the recording, also those that nobody says and those at its ends', async () => {
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
