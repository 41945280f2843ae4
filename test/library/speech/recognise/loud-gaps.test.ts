// Where a voice may have been passed over, by level alone.
import { expect, it } from 'vitest';
import { loudGaps } from '../../../../src/library/speech/recognise/windows/loud-gaps.ts';
import { speechRate } from '../../../../src/library/speech/speech-sound.ts';
import { speechOfSamples } from '../../../fixtures/speech.ts';
import { seeded } from '../../kernels/signals.ts';

/** Syllables of noise, four a second; or noise without them. */
function noisy(seconds: number, level: number, isEven = false): Float32Array {
  const random = seeded(5);
  return Float32Array.from({ length: seconds * speechRate }, (_, index) => {
    const swell = isEven ? 1 : Math.max(0.01, Math.sin((8 * Math.PI * index) / speechRate));
    return 2 * level * swell * (random() - 0.5);
  });
}

it('names what is as loud as the voices beside it, not soft pauses, steady noise and short pauses', () => {
  const [loud, soft, steady] = [noisy(3, 0.2), noisy(3, 0.01), noisy(4, 0.1, true)];
  const sound = speechOfSamples(noisy(4, 0.2), loud, soft, loud, steady, noisy(2, 0.2));
  const voices = [
    { startSeconds: 4, endSeconds: 7 },
    { startSeconds: 10, endSeconds: 13 },
    { startSeconds: 17, endSeconds: 17.5 },
  ];
  expect(loudGaps(sound, voices)).toEqual([{ startSeconds: 0, endSeconds: 4 }]);
  expect(loudGaps(sound, [])).toEqual([{ startSeconds: 0, endSeconds: 19 }]);
  expect(loudGaps(speechOfSamples(new Float32Array(5 * speechRate)), [])).toEqual([]);
  sound.close();
});
