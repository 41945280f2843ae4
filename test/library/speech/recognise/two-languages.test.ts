import { expect, it } from 'vitest';
import { partsByLanguage } from '../../../../src/library/speech/recognise/whisper/two-languages.ts';
import type { WhisperNetwork } from '../../../../src/library/speech/recognise/whisper/network.ts';
import { speechOfSamples } from '../../../fixtures/speech.ts';

const sound = speechOfSamples(new Float32Array(20 * 16_000));
const voices = [0, 4, 8, 12].map((startSeconds) => ({ startSeconds, endSeconds: startSeconds + 3.5 }));
const window = { pieces: [{ startSeconds: 0, endSeconds: 16 }], voices };
const words = (confidence: number): { readonly confidence: number }[] =>
  Array.from({ length: 9 }, () => ({ confidence }));

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

/** Which voices are in which part. */
async function parts(told: readonly string[], confidence = 0.5): Promise<{ starts: number[][]; asked: number }> {
  const { network, asked } = telling(told);
  const found = await partsByLanguage(
    { network, sound, language: 'en', cancelled: () => false },
    window,
    words(confidence),
  );
  return { starts: found.map((part) => part.voices.map(({ startSeconds }) => startSeconds)), asked: asked() };
}

it('divides a doubtful window where its language changes, and asks nothing of others', async () => {
  // First, last, and those between.
  expect(await parts(['en', 'de', 'en', 'de'])).toEqual({
    starts: [
      [0, 4],
      [8, 12],
    ],
    asked: 4,
  });
  expect(await parts(['', 'de', '', ''])).toEqual({ starts: [[0, 4, 8], [12]], asked: 4 });
  expect(await parts(['en', ''])).toEqual({ starts: [], asked: 2 });
  expect(await parts(['en', 'de'], 0.8)).toEqual({ starts: [], asked: 0 });
});
