import { describe, expect, it } from 'vitest';
import type { FanOut } from '../../../../src/library/core/machine/fan-out.ts';
import { speechRegions, type SpeechRegion } from '../../../../src/library/speech/activity/find-speech.ts';
import { findSpeech, speechOf, speechOfSamples, speechRun } from '../../../fixtures/speech.ts';
import { pieces } from '../../../fixtures/sounds/music.ts';
import { seeded } from '../../kernels/signals.ts';
import { slow, slower } from '../../../fixtures/rounds.ts';

const second = 16_000;
const musicSeconds = 30;

describe('speechRegions', () => {
  const regions = (probabilities: readonly number[]): SpeechRegion[] =>
    speechRegions({ secondsPerStep: 0.1, probabilities: Float32Array.from(probabilities) }, probabilities.length / 10);

  it('begins over 0.5, goes on over 0.35, and stands short pauses', () => {
    const found = regions([0, 0, 0.4, 0.6, 0.4, 0.1, 0.1, 0.4, 0.9, 0, 0, 0, 0, 0, 0.4, 0.4, 0, 0, 0, 0]);
    expect(found).toEqual([{ startSeconds: expect.closeTo(0.24), endSeconds: expect.closeTo(0.96) }]);
  });

  it('margins of neighbours do not touch, nor leave the recording', () => {
    const found = regions([1, 1, 0, 0, 0, 1, 1]);
    expect(found[0]?.startSeconds).toBe(0);
    expect(found[1]?.endSeconds).toBeCloseTo(0.7);
    expect(found[0]?.endSeconds).toBeLessThan(found[1]?.startSeconds ?? 0);
  });
});

describe('findSpeech', () => {
  it('finds the sentences of a speech', slow, async () => {
    const sound = await speechOf('jfk.wav');
    const found = await findSpeech(sound, speechRun());
    // Read off the waveform: four phrases with pauses of 0.4 s and more between them.
    const phrases = [
      [0.3, 2.2],
      [3.3, 4.4],
      [5.4, 7.6],
      [8.2, 10.6],
    ] as const;
    expect(found).toHaveLength(phrases.length);
    for (const [index, [start, end]] of phrases.entries()) {
      expect(Math.abs((found[index]?.startSeconds ?? 0) - start)).toBeLessThan(0.15);
      expect((found[index]?.endSeconds ?? 0) - end).toBeGreaterThan(-0.15);
    }
  });

  it('hears the first word after loud music', slower, async () => {
    const speech = await speechOf('jfk.wav');
    const voice = speech.read(0, speech.frames);
    // Three samples for one: 16 kHz.
    const pop = pieces['pop']?.(musicSeconds) ?? expect.fail('no piece');
    const music = Float32Array.from({ length: musicSeconds * second }, (_, index) => {
      const [a, b, c] = [pop[3 * index] as number, pop[3 * index + 1] as number, pop[3 * index + 2] as number];
      return (a + b + c) / 3;
    });
    const [alone] = await findSpeech(speech, speechRun());
    const found = await findSpeech(speechOfSamples(music, voice), speechRun());
    expect(Math.abs((found[0]?.startSeconds ?? 0) - musicSeconds - (alone?.startSeconds ?? 0))).toBeLessThan(0.2);
  });

  it('takes no more threads than memory holds, also to hear late voices again', slow, async () => {
    const speech = await speechOf('jfk.wav');
    const random = seeded(8);
    const parts = Array.from({ length: 6 }, () => [
      Float32Array.from({ length: 5 * second }, () => 0.2 * (random() - 0.5)),
      speech.read(0, 2.2 * second),
    ]);
    const run = speechRun();
    let [pieces, now, most] = [0, 0, 0];
    const fanOut: FanOut = {
      ...run.fanOut,
      // Memory for one thread on four cores.
      lanes: (bytes) => (bytes > 0 ? 1 : 4),
      async map(url, name, items, options) {
        pieces += items.length;
        now += items.length;
        most = Math.max(most, now);
        try {
          return await run.fanOut.map(url, name, items, options);
        } finally {
          now -= items.length;
        }
      },
    };
    await findSpeech(speechOfSamples(...parts.flat()), { ...run, fanOut });
    expect(most).toBe(1);
    // Of 43 s one for the whole, and one for each late voice.
    expect(pieces).toBeGreaterThan(4);
  });

  it('hears nobody in noise, hum and silence', slow, async () => {
    const random = seeded(5);
    const noise = Float32Array.from({ length: 20 * second }, () => (random() - 0.5) * 0.2);
    const hum = Float32Array.from({ length: 20 * second }, (_, i) => 0.1 * Math.sin((2 * Math.PI * 50 * i) / second));
    const sound = speechOfSamples(noise, hum, new Float32Array(20 * second));
    expect(await findSpeech(sound, speechRun())).toEqual([]);
    expect(await findSpeech(speechOfSamples(new Float32Array(0)), speechRun())).toEqual([]);
  });

  it('hears soft voices as it hears others, and nobody in what is as soft', slow, async () => {
    const speech = await speechOf('jfk.wav');
    const found = await findSpeech(speech, speechRun());
    const random = seeded(6);
    for (const gain of [0.1, 0.01, 0.003]) {
      const soft = speech.read(0, speech.frames).map((x) => x * gain);
      const heard = await findSpeech(speechOfSamples(soft), speechRun());
      expect(heard).toHaveLength(found.length);
      for (const [index, { startSeconds, endSeconds }] of heard.entries()) {
        expect(Math.abs(startSeconds - (found[index]?.startSeconds ?? 0))).toBeLessThan(0.1);
        expect(Math.abs(endSeconds - (found[index]?.endSeconds ?? 0))).toBeLessThan(0.1);
      }
      const hiss = Float32Array.from({ length: 20 * second }, () => (random() - 0.5) * 0.2 * gain);
      expect(await findSpeech(speechOfSamples(hiss), speechRun())).toEqual([]);
    }
  });

  it('hears the same in the middle of a long recording, on any number of cores', slower, async () => {
    const speech = await speechOf('jfk.wav');
    const voice = speech.read(0, speech.frames);
    // Borders of two rows (60 s) and of two stretches (240 s) lie in the speech.
    const starts = [55, 235];
    const silence = new Float32Array(169 * second);
    const sound = speechOfSamples(silence.subarray(114 * second), voice, silence, voice);
    const one = await findSpeech(sound, speechRun(1));
    expect(await findSpeech(sound, speechRun(2))).toEqual(one);
    const alone = await findSpeech(speech, speechRun());
    expect(one).toHaveLength(2 * alone.length);
    for (const [index, region] of one.entries()) {
      const start = starts[Math.floor(index / alone.length)] ?? 0;
      const expected = alone[index % alone.length];
      expect(Math.abs(region.startSeconds - start - (expected?.startSeconds ?? 0))).toBeLessThan(0.1);
      // The last one is cut off in the recording itself.
      if (index % alone.length < 3)
        expect(Math.abs(region.endSeconds - start - (expected?.endSeconds ?? 0))).toBeLessThan(0.1);
    }
  });
});
