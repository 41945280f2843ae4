// Where in the recording the words of a window are, whose pieces leave out what is between voices.
import { expect, it } from 'vitest';
import { placeInRecording } from '../../../../src/library/speech/recognise/windows/place-words.ts';

/** Speech, half a minute of music that is left out, speech: the seam is at 12 s of the window. */
const window = {
  pieces: [
    { startSeconds: 0, endSeconds: 12 },
    { startSeconds: 41, endSeconds: 48 },
  ],
  voices: [
    { startSeconds: 8, endSeconds: 11.8 },
    { startSeconds: 41.4, endSeconds: 48 },
  ],
};
const startOf = (startSeconds: number, endSeconds: number): number | undefined =>
  placeInRecording([{ text: 'And', startSeconds, endSeconds, confidence: 1 }], window)[0]?.startSeconds;

it('a word over the seam that is heard in neither voice begins the later piece', () => {
  expect(startOf(11.9, 12.3)).toBe(41);
  expect(startOf(12, 12.2)).toBe(41);
});

it('a word in a voice is where the voice is', () => {
  expect(startOf(11.9, 12.6)).toBe(41.4);
  expect(startOf(11.2, 11.7)).toBe(11.2);
  expect(startOf(13, 13.2)).toBe(42);
});

it('a word beside the end of a voice stays with it, one far from any is dropped', () => {
  expect(startOf(11.85, 11.95)).toBe(11.85);
  expect(startOf(2, 3)).toBeUndefined();
});
