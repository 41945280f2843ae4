// Whether what was read is said: the network's probabilities are given here.
import { expect, it } from 'vitest';
import type { Reading } from '../../../../src/library/speech/recognise/whisper/decode.ts';
import { isLanguageTold, isOdd } from '../../../../src/library/speech/recognise/whisper/is-said.ts';
import type { WhisperNetwork } from '../../../../src/library/speech/recognise/whisper/network.ts';

const [end, english, korean, noSpeech] = [10, 11, 12, 13];
const network = {
  layout: {
    tokens: {
      end,
      noSpeech,
      languages: new Map([
        ['en', english],
        ['ko', korean],
      ]),
    },
  },
} as unknown as WhisperNetwork;

/** Logits with these probabilities; what is left of one is a token of text. */
function opening(probabilities: { readonly en: number; readonly ko: number; readonly none: number }): Float32Array {
  const logits = new Float32Array(noSpeech + 1).fill(-30);
  const { en, ko, none } = probabilities;
  for (const [token, probability] of [
    [english, en],
    [korean, ko],
    [noSpeech, none],
    [0, 1 - en - ko - none],
  ] as const)
    logits[token] = Math.log(Math.max(1e-12, probability));
  return logits;
}
/** A token of text of this log probability, and a time, which is certain. */
const reading = (logProbability: number, looped: boolean): Reading =>
  ({ tokens: [1, end + 5], logProbabilities: [logProbability, 0], looped }) as unknown as Reading;

it.each([
  ['an owl, in circles', 0.18, 0.16, 0.6, -0.5, true, true],
  ['a tuba', 0.2, 0.2, 0.53, -1.9, false, true],
  ['a Bengali voice, in circles', 0.4, 0.4, 0.07, -1.2, true, false],
  ['a Bengali voice, hardly understood', 0.4, 0.4, 0.01, -2.1, false, false],
  ['a few words in a strange language', 0.4, 0.3, 0.2, -1.5, false, false],
])('of %s: is it no speech?', (_, en, ko, none, logProbability, looped, odd) => {
  const windows = { opening: opening({ en, ko, none }) };
  expect(isLanguageTold({ network }, windows)).toBe(false);
  expect(isOdd({ network }, windows, reading(logProbability, looped))).toBe(odd);
});

it('a language is told from three quarters of the weight of all on', () => {
  expect(isLanguageTold({ network }, { opening: opening({ en: 0.5, ko: 0.1, none: 0.3 }) })).toBe(true);
  expect(isLanguageTold({ network }, { opening: opening({ en: 0.5, ko: 0.2, none: 0.3 }) })).toBe(false);
});
