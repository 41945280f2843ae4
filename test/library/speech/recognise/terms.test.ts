// @module-tag slower
// Names that the caller knows: one is said in a recording, in another spelling, and others are not.
import { expect, it } from 'vitest';
import { likenessOfSounds } from '../../../../src/library/speech/recognise/whisper/likeness.ts';
import { recognise } from '../../../../src/library/speech/recognise/recognise.ts';
import type { SpeechSound } from '../../../../src/library/speech/speech-sound.ts';
import { speechOf, speechRun } from '../../../fixtures/speech.ts';
import { spokenSound } from '../../../fixtures/spoken-sounds.ts';
import { slow } from '../../../fixtures/rounds.ts';

async function wordsOf(sound: SpeechSound, language: string, vocabulary?: readonly string[]) {
  const { regions } = await recognise(sound, { ...speechRun(), verbatim: false, language, vocabulary });
  const words = [];
  for await (const region of regions) words.push(...region.words);
  return words;
}

it('a name of the vocabulary is written where it is said, at its time, and no other word changes', slow, async () => {
  const sound = await speechOf('austen-0870.wav');
  const usual = await wordsOf(sound, 'en');
  const names = ['Tilney', 'Zorvex', 'Jon Dashwoode', 'Brandenburg', 'Przewalski', 'Deshawn'];
  const named = await wordsOf(sound, 'en', names);
  const spelled = new Map([
    ['John', 'Jon'],
    ['Dashwood', 'Dashwoode'],
  ]);
  expect(named.map(({ text }) => text)).toEqual(usual.map(({ text }) => spelled.get(text) ?? text));
  expect(usual.filter(({ text }) => spelled.has(text))).toHaveLength(2);
  for (const [index, word] of named.entries()) {
    const before = usual[index] as (typeof usual)[number];
    if (!spelled.has(before.text)) expect(word).toEqual(before);
    else expect(Math.abs(word.startSeconds - before.startSeconds)).toBeLessThan(0.1);
  }
});

it('a name is written where other words were read that neither look nor sound like it', async () => {
  const names = ['Quantelix', 'Lumivara', 'Zorvex', 'metoprolol', 'Okonkwo', 'Achterberg', 'Ouagadougou', 'Tilney'];
  const text = 'My sister told me that loomeevara would be ready on Monday morning.';
  const { sound } = await spokenSound('en-us', text, { wordsPerMinute: 150 });
  const isName = ({ text: word }: { readonly text: string }): boolean => names.includes(word);
  expect((await wordsOf(sound, 'en')).filter(isName)).toEqual([]);
  expect((await wordsOf(sound, 'en', names)).filter(isName).map(({ text: word }) => word)).toEqual(['Lumivara']);
});

it('a name is not written where the sound does not speak for it, however well it fits to the text', async () => {
  const said = [
    { name: 'Tindall', text: 'We asked atorvastatin about the price, but there was no answer at all.' },
    { name: 'Castellano', text: 'In the end everybody agreed that ishiggooro was the right choice.' },
  ];
  for (const { name, text } of said) {
    const { sound } = await spokenSound('en-us', text, { wordsPerMinute: 150 });
    const words = await wordsOf(sound, 'en', [name, 'Ouagadougou']);
    expect(words.length, text).toBeGreaterThan(8);
    expect(words.map(({ text: word }) => word).filter((word) => word.includes(name))).toEqual([]);
  }
});

it('sounds are as alike as their edits are light', () => {
  expect(likenessOfSounds('tbilisi', 'tbilisi')).toBe(1);
  expect(likenessOfSounds('abc', '')).toBe(0);
  expect(likenessOfSounds('', '')).toBe(0);
  // A vowel for another costs less than a consonant for another.
  expect(likenessOfSounds('tbilisi', 'tbalisi')).toBeGreaterThan(likenessOfSounds('tbilisi', 'tbinisi'));
  expect(likenessOfSounds('tbilisi', 'vanka')).toBeLessThan(0.5);
});
