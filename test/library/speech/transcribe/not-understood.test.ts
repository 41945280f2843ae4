import { expect, it } from 'vitest';
import { notUnderstood } from '../../../../src/library/speech/transcribe/not-understood.ts';
import { speechOf, speechOfSamples } from '../../../fixtures/speech.ts';
import { slow } from '../../../fixtures/rounds.ts';
import { seeded } from '../../kernels/signals.ts';

const second = 16_000;
const options = { modelsDir: undefined, signal: new AbortController().signal };

it('names where somebody speaks and no word is written, not what is written, and not noise', slow, async () => {
  const speech = await speechOf('jfk.wav');
  const voice = speech.read(0, speech.frames);
  const random = seeded(4);
  const bursts = Float32Array.from({ length: 6 * second }, (_, index) =>
    index % second < 3000 ? 0.4 * (random() - 0.5) : 0,
  );
  const sound = speechOfSamples(voice, bursts, voice);
  const word = { text: 'word', speaker: 1, confidence: 1 };
  const said = (from: number, to: number): object[] =>
    Array.from({ length: to - from }, (_, at) => ({ ...word, startSeconds: from + at, endSeconds: from + at + 1 }));
  const sentencesOf = (words: readonly object[]): Parameters<typeof notUnderstood>[1] =>
    ({ sentences: [{ words }] }) as unknown as Parameters<typeof notUnderstood>[1];
  expect(await notUnderstood(sound, sentencesOf([...said(0, 11), ...said(17, 28)]), options)).toEqual([]);
  const found = await notUnderstood(sound, sentencesOf(said(0, 11)), options);
  expect(found.length).toBeGreaterThan(0);
  expect(found[0]?.startSeconds).toBeGreaterThan(15.5);
  expect(found.reduce((sum, one) => sum + one.endSeconds - one.startSeconds, 0)).toBeGreaterThan(7);
  for (const one of [speech, sound]) one.close();
});
