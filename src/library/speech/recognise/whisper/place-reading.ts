// Times of a reading's words, by the decoder's attention.
import { tokenTimes } from '../../../kernels/token-times.ts';
import { placeInRecording, type PlacedWord } from '../windows/place-words.ts';
import type { ListeningWindow } from '../windows/windows.ts';
import type { Reading } from './decode.ts';
import type { Vocabulary } from './vocabulary.ts';

/** Positions of the encoder a second. */
export const positionsPerSecond = 50;

/** The start of each token of a reading, seconds of the window. */
function secondsOfTokens({ attention }: Reading, heads: number, positions: number): number[] {
  const size = heads * positions;
  const whole = new Float32Array(attention.length * size);
  for (const [token, values] of attention.entries()) whole.set(values, token * size);
  const begins = tokenTimes(whole, { tokens: attention.length, heads, positions });
  return Array.from(begins, (position) => position / positionsPerSecond);
}

/**
 * Words of a reading with times of the recording; words without voice are dropped.
 * @param positions encoder positions (0.02 s) with sound
 */
export function placeReading(
  reading: Reading,
  window: ListeningWindow,
  positions: number,
  vocabulary: Vocabulary,
  {
    language,
    heads,
    firstSpecial,
  }: { readonly language: string; readonly heads: number; readonly firstSpecial: number },
): PlacedWord[] {
  const words = vocabulary.words(reading.tokens, language, firstSpecial);
  if (words.length === 0) return [];
  const times = secondsOfTokens(reading, heads, positions);
  return placeInRecording(
    words.map(({ text, from, to }) => {
      const logs = reading.logProbabilities.slice(from, to);
      return {
        text,
        startSeconds: times[from] ?? 0,
        endSeconds: times[to] ?? 0,
        confidence: logs.reduce((sum, one) => sum + Math.exp(one), 0) / Math.max(1, logs.length),
      };
    }),
    window,
  );
}
