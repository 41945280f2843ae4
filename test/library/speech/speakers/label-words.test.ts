import { describe, expect, it } from 'vitest';
import { labelWords } from '../../../../src/library/speech/speakers/label-words.ts';

const word = (text: string, startSeconds: number, endSeconds: number) => ({ text, startSeconds, endSeconds });
const turn = (speaker: number, startSeconds: number, endSeconds: number) => ({ speaker, startSeconds, endSeconds });
const labels = (...args: Parameters<typeof labelWords>) => labelWords(...args).map(({ speaker }) => speaker);

describe('labelWords', () => {
  it('gives a word to the turn that covers most of it', () => {
    const turns = [turn(1, 0, 2.3), turn(2, 2.3, 5)];
    expect(labels([word('a', 0, 0.5), word('b', 2, 2.5), word('c', 2.2, 2.8), word('d', 4, 4.5)], turns)).toEqual([
      1, 1, 2, 2,
    ]);
  });

  it('keeps the word as it is and adds only the speaker', () => {
    expect(labelWords([{ ...word('a', 0, 1), confidence: 0.5 }], [turn(3, 0, 1)])).toEqual([
      { text: 'a', startSeconds: 0, endSeconds: 1, confidence: 0.5, speaker: 3 },
    ]);
  });

  it('lets who spoke before go on where two speak at once', () => {
    const turns = [turn(1, 0, 10), turn(2, 4, 5), turn(2, 9, 20)];
    const words = Array.from({ length: 19 }, (_, i) => word('w', i, i + 0.9));
    expect(labels(words, turns)).toEqual([...Array<number>(10).fill(1), ...Array<number>(9).fill(2)]);
  });

  it('adds up several turns of one speaker under a word', () => {
    expect(labels([word('long', 0, 2)], [turn(2, 0, 0.9), turn(1, 0, 0.6), turn(1, 0.9, 1.6)])).toEqual([1]);
  });

  it('takes the nearest turn within a second for a word outside of all', () => {
    const turns = [turn(1, 0, 1), turn(2, 3, 4)];
    expect(labels([word('a', 1.1, 1.6), word('b', 2.4, 2.9), word('c', 5.1, 5.4), word('d', 7, 8)], turns)).toEqual([
      1,
      2,
      undefined,
      undefined,
    ]);
    expect(labels([word('a', 0, 1)], [])).toEqual([undefined]);
    expect(labels([], turns)).toEqual([]);
  });

  it('takes a word without length', () => {
    expect(labels([word('a', 2, 2)], [turn(1, 0, 1.5), turn(2, 1.9, 3)])).toEqual([2]);
  });

  it('takes ten hours in seconds', () => {
    const turns = Array.from({ length: 20_000 }, (_, i) => turn(1 + (i % 8), 1.8 * i, 1.8 * i + 1.7));
    const words = Array.from({ length: 90_000 }, (_, i) => word('w', 0.4 * i, 0.4 * i + 0.3));
    const { user: before } = process.cpuUsage();
    const found = labels(words, turns);
    expect((process.cpuUsage().user - before) / 1e6).toBeLessThan(4);
    expect(found.slice(0, 9)).toEqual([1, 1, 1, 1, 1, 2, 2, 2, 2]);
  });
});
