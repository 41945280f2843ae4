import { afterAll, beforeAll, expect, it } from 'vitest';
import { hasOwnSound } from '../../../../src/library/speech/fillers/held-sound.ts';
import type { SpeechSound } from '../../../../src/library/speech/speech-sound.ts';
import { recording } from '../../../fixtures/recordings.ts';
import { speechOf } from '../../../fixtures/speech.ts';
import { textGridWords } from '../../../fixtures/text-grid.ts';

const words = textGridWords(recording('acoustic_corpus.TextGrid')).filter(({ text }) => text !== 'um');
let sound: SpeechSound;
beforeAll(async () => {
  sound = await speechOf('acoustic_corpus.wav');
});
afterAll(() => sound.close());

it('a hesitation has a sound of its own, whatever its time', () => {
  for (const filler of [
    { startSeconds: 8.02, endSeconds: 8.57 },
    { startSeconds: 8.1, endSeconds: 8.3 },
    { startSeconds: 14.53, endSeconds: 14.86 },
    { startSeconds: 14.52, endSeconds: 14.73 },
    { startSeconds: 22.9, endSeconds: 23.53 },
    { startSeconds: 23.13, endSeconds: 23.37 },
  ]) {
    const before = words.findLast(({ endSeconds }) => endSeconds <= filler.startSeconds + 0.1) ?? null;
    const after = words.find(({ startSeconds }) => startSeconds >= filler.endSeconds - 0.1) ?? null;
    expect(hasOwnSound(sound, filler, before, after), `${filler.startSeconds} s`).toBe(true);
  }
});

it('the begin of a fluent word is none: "acoustic", "and", "else"', () => {
  const own: string[] = [];
  let places = 0;
  for (const [index, word] of words.entries()) {
    const before = words[index - 1];
    if (!before || word.startSeconds - before.endSeconds > 0.005 || word.endSeconds - word.startSeconds < 0.16)
      continue;
    places += 1;
    const endSeconds = word.startSeconds + 0.1;
    const filler = { startSeconds: word.startSeconds, endSeconds };
    if (hasOwnSound(sound, filler, before, { ...word, startSeconds: endSeconds }))
      own.push(`${before.text} ${word.text}`);
  }
  expect(places).toBeGreaterThan(20);
  // Drawn-out words are held as hesitations are.
  expect(own.filter((pair) => pair !== 'going on' && pair !== 'some more')).toEqual([]);
});
