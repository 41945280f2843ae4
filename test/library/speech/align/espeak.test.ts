// @module-tag slow
import { expect, it } from 'vitest';
import { mostCharacters, openEspeak } from '../../../../src/library/speech/align/reference/espeak.ts';

const texts = ['Who cares? Um, just some words.', "Peut-être qu'on ira chez l'été.", 'Wir zählen bis 1994.'];

it('says the same for the same text, whatever it said before', async () => {
  const espeak = await openEspeak();
  const voices = ['gmw/en-US', 'roa/fr', 'gmw/de'];
  const sayAll = (): string[] =>
    texts.map((text, index) => {
      const { samples, events } = espeak.speak(voices[index]!, text);
      return JSON.stringify({ sum: [...samples].reduce((sum, x, at) => sum + x * (at % 97), 0), events });
    });
  const first = sayAll();
  espeak.speak('gmw/en', 'x '.repeat(mostCharacters / 2));
  expect(sayAll()).toEqual(first);
});

it('says a text to its end, and none that is too long', async () => {
  const espeak = await openEspeak();
  for (const characters of [40, 400, 4000, mostCharacters - 6]) {
    const text = `${'été '.repeat(characters / 4)}fin`;
    const words = espeak.speak('roa/fr', text, { wordsPerMinute: 450 }).events.filter(({ type }) => type === 'word');
    expect(words.at(-1)?.text_position).toBe(text.length - 2);
  }
  expect(() => espeak.speak('roa/fr', 'x'.repeat(mostCharacters + 1))).toThrow(RangeError);
  expect(() => espeak.speak('none/such', 'x')).toThrow('no voice');
});
