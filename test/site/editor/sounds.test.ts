// Sounds that the editor offers to cut: only where no word is.
import { expect, it } from 'vitest';
import { docOf } from '../../../src/site/editor/doc.ts';
import { soundSuggestions } from '../../../src/site/editor/suggestions.ts';

const word = (startSeconds: number, endSeconds: number) => ({ text: 'word', startSeconds, endSeconds });
const ring = (startSeconds: number, endSeconds: number) => ({ startSeconds, endSeconds, sound: 'ringing', score: 0.9 });
const docWith = (...events: ReturnType<typeof ring>[]) =>
  docOf({
    language: 'de',
    durationSeconds: 20,
    sentences: [{ startSeconds: 1, speaker: null, words: [word(1, 2), word(2.1, 3), word(10, 11), word(11.1, 12)] }],
    events,
  });

it('a sound between words is cut whole, with its name in the language of the page', () => {
  expect(soundSuggestions(docWith(ring(5, 7)), 'en')).toEqual([
    { id: 's0', kind: 'sound', text: 'ringing', startSeconds: 5, endSeconds: 7, cut: [5, 7] },
  ]);
  expect(soundSuggestions(docWith(ring(5, 7)), 'de')[0]?.text).toBe('Klingeln');
});

it('of a sound that words overlap the longest free stretch is cut, beside them', () => {
  const [over] = soundSuggestions(docWith(ring(2.5, 10.5)), 'en');
  expect(over?.cut[0]).toBeCloseTo(3.05, 9);
  expect(over?.cut[1]).toBeCloseTo(9.95, 9);
});

it('a sound under words is not offered', () => {
  expect(soundSuggestions(docWith(ring(1.1, 2.9)), 'en')).toEqual([]);
});

it('a transcript that tells no sounds has none', () => {
  expect(soundSuggestions(docWith(), 'en')).toEqual([]);
  expect(docOf({ language: 'en', durationSeconds: 1, sentences: [] }).events).toEqual([]);
});
