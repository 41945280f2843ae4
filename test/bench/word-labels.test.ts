import { expect, it } from 'vitest';
import { wordLabels } from '../../bench/speech/word-labels.ts';

const turn = (startSeconds: number, endSeconds: number, who: number | string) =>
  typeof who === 'number' ? { startSeconds, endSeconds, speaker: who } : { startSeconds, endSeconds, name: who };
const word = (at: number, speaker?: number) => ({
  text: 'w',
  startSeconds: at,
  endSeconds: at + 0.5,
  ...(speaker === undefined ? {} : { speaker }),
});

it('counts words with the wrong label where one voice speaks, and the same by the turns', () => {
  const reference = [turn(0, 4, 'a'), turn(3, 6, 'b'), turn(6, 8, 'a')] as Parameters<typeof wordLabels>[0];
  // The second word is in nobody's turn, the third one in both; at 3.2 and 8.5 the reference has two voices and none.
  const words = [word(0, 2), word(1, 1), word(2, 2), word(3.2, 1), word(4, 1), word(5), word(6, 2), word(8.5, 1)];
  const turns = [turn(0, 1.1, 2), turn(2, 3, 2), turn(2, 6, 1), turn(6, 8, 2)];
  const sentence = { startSeconds: 0, endSeconds: 9, text: '', speaker: null, words };
  const transcript = { format: 'earshot-transcript', version: 1, language: 'en', durationSeconds: 9, speakerCount: 2 };
  expect(wordLabels(reference, { ...transcript, sentences: [sentence], turns } as never)).toEqual({
    words: 6,
    wrong: 2,
    wrongByTurns: 1.5,
  });
});
