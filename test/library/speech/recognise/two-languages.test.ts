import { expect, it } from 'vitest';
import { partsByLanguage } from '../../../../src/library/speech/recognise/whisper/two-languages.ts';
import { promptOf } from '../../../../src/library/speech/recognise/whisper/read-windows.ts';
import { mayBeInTwo } from '../../../../src/library/speech/recognise/whisper/spoken-in.ts';
import type { WhisperNetwork } from '../../../../src/library/speech/recognise/whisper/network.ts';
import { speechOfSamples } from '../../../fixtures/speech.ts';

const sound = speechOfSamples(new Float32Array(20 * 16_000));
const voices = [0, 4, 8, 12].map((startSeconds) => ({ startSeconds, endSeconds: startSeconds + 3.5 }));
const window = { pieces: [{ startSeconds: 0, endSeconds: 16 }], voices };

/** A network that tells these languages, one at each question; '' where it tells none. */
function telling(told: readonly string[]): { readonly network: WhisperNetwork; readonly asked: () => number } {
  const languages = new Map([
    ['en', 0],
    ['de', 1],
  ]);
  let asked = 0;
  const open = (): object => {
    const opening = new Float32Array(2);
    const token = languages.get(told[asked++] ?? '');
    if (token !== undefined) opening[token] = 9;
    return { opening, release: () => undefined };
  };
  const layout = { bands: 80, frames: 3000, tokens: { languages } };
  const network = { layout, encodesParts: true, encode: () => Promise.resolve(new Float32Array(1)), open };
  return { network: network as unknown as WhisperNetwork, asked: () => asked };
}

/** Which voices are in which part, where words of each voice were read in English with some confidence. */
async function parts(
  told: readonly string[],
  confidences: readonly number[],
  mayBeInTwo = false,
): Promise<{ starts: number[][]; asked: number }> {
  const { network, asked } = telling(told);
  const words = voices.flatMap(({ startSeconds }, voice) =>
    [0, 1, 2].map((word) => ({ startSeconds: startSeconds + word, confidence: confidences[voice] as number })),
  );
  const ear = { network, sound, language: 'en', cancelled: () => false };
  const found = await partsByLanguage(ear, window, words, mayBeInTwo);
  return { starts: found.map((part) => part.voices.map(({ startSeconds }) => startSeconds)), asked: asked() };
}

it('divides a window where a voice in doubt is in another language, and asks nothing of others', async () => {
  // The one in doubt, then the others.
  expect(await parts(['de', 'en', 'en', 'en'], [0.9, 0.9, 0.9, 0.4])).toEqual({ starts: [[0, 4, 8], [12]], asked: 4 });
  expect(await parts(['de', 'en', 'de', 'en'], [0.9, 0.4, 0.9, 0.9])).toEqual({
    starts: [[0], [4, 8], [12]],
    asked: 4,
  });
  expect(await parts([], [0.9, 0.9, 0.9, 0.9])).toEqual({ starts: [], asked: 0 });
  expect(await parts(['en'], [0.9, 0.9, 0.9, 0.4])).toEqual({ starts: [], asked: 1 });
});

it('asks voices without a doubt, too, where the window may be in two languages', async () => {
  // Equally long voices are asked in their order, until one is in another language.
  expect(await parts(['de', 'en', 'en', 'en'], [0.9, 0.9, 0.9, 0.9], true)).toEqual({
    starts: [[0], [4, 8, 12]],
    asked: 4,
  });
  expect(await parts(['en', 'en', 'en'], [0.9, 0.9, 0.9, 0.9], true)).toEqual({ starts: [], asked: 3 });
});

it.each([
  ['English before German', [0.926, 0.07, 0.004], true],
  ['German before English', [0.659, 0.337, 0.004], true],
  ['German', [0.976, 0.015, 0.001], false],
  ['an owl', [0.18, 0.16, 0.14, 0.13, 0.12, 0.1, 0.09, 0.08], false],
])('tells a window in two languages by the second likeliest: %s', (_, weights, isInTwo) => {
  const languages = new Map('en de fr es it pt nl sv'.split(' ').map((code, token) => [code, token]));
  const opening = Float32Array.from(languages.values(), (token) => Math.log(weights[token] ?? 1e-9));
  expect(mayBeInTwo(opening, languages)).toBe(isInTwo);
});

it('leaves what does not tell its language in that of its words, or with what is before it', async () => {
  expect(await parts(['de', '', '', ''], [0.9, 0.9, 0.9, 0.4])).toEqual({ starts: [[0, 4, 8], [12]], asked: 4 });
  expect(await parts(['de', 'en', '', 'en'], [0.9, 0.4, 0.4, 0.9])).toEqual({ starts: [[0], [4, 8], [12]], asked: 4 });
  expect(await parts(['', '', '', 'de'], [0.4, 0.4, 0.4, 0.4])).toEqual({ starts: [], asked: 3 });
});

it('reads Chinese behind a sentence in simplified characters, and nothing else behind one', () => {
  const languages = new Map([
    ['en', 1],
    ['zh', 2],
  ]);
  const tokens = { start: 0, languages, transcribe: 3, translate: 4, previous: 5 };
  const reader = {
    network: { layout: { tokens } } as unknown as WhisperNetwork,
    vocabulary: { encode: (text: string) => Array.from(text, () => 9) } as never,
    translate: false,
  };
  const chinese = promptOf({ ...reader, language: 'zh' });
  expect(chinese.filter((token) => token !== 9)).toEqual([5, 0, 2, 3]);
  expect(chinese.length).toBeGreaterThan(8);
  expect(promptOf({ ...reader, language: 'zh', translate: true })).toEqual([0, 2, 4]);
  expect(promptOf({ ...reader, language: 'en' })).toEqual([0, 1, 3]);
});
