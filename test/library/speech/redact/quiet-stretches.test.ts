// Where only the room is heard: made of noise of two levels, so that each stretch is known.
import { expect, it } from 'vitest';
import { holdSpeech, speechRate } from '../../../../src/library/speech/speech-sound.ts';
import { quietStretches } from '../../../../src/library/speech/redact/quiet-stretches.ts';
import { noise } from '../../../fixtures/media/signals.ts';

/** Speech of so many seconds with a pause of a second in it, 26 dB softer. */
function talk(seconds: number, pauseAt: number): Float32Array {
  const sound = noise(seconds * speechRate, 7, 0.2);
  for (let at = pauseAt * speechRate; at < (pauseAt + 1) * speechRate; at += 1) sound[at]! *= 0.05;
  return sound;
}

it('a recording of some seconds gives its pause alone, however little that is', () => {
  for (const [seconds, pauseAt] of [
    [3, 1],
    [7, 5],
    [20, 12],
  ] as const)
    expect(quietStretches(holdSpeech(talk(seconds, pauseAt)))).toEqual(
      [0, 0.25, 0.5, 0.75].map((from) => ({ startSeconds: pauseAt + from, endSeconds: pauseAt + from + 0.25 })),
    );
});

it('digital silence is no room, and a recording of nothing has none', () => {
  expect(quietStretches(holdSpeech(new Float32Array(2 * speechRate)))).toEqual([]);
  const sound = talk(4, 2);
  sound.fill(0, 0, speechRate);
  expect(quietStretches(holdSpeech(sound)).map(({ startSeconds }) => startSeconds)).toEqual([2, 2.25, 2.5, 2.75]);
});
