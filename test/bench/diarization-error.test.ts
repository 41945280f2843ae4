// The bench's scorer against cases that are computed by hand.
import { describe, expect, it } from 'vitest';
import { bestMapping, diarizationError, type NamedTurn } from '../../bench/speech/diarization-error.ts';

const turn = (name: string, startSeconds: number, endSeconds: number): NamedTurn => ({
  name,
  startSeconds,
  endSeconds,
});

describe('diarizationError', () => {
  const reference = [turn('a', 0, 10), turn('b', 10, 20)];

  it('is nothing for the reference itself under other names', () => {
    const found = [turn('x', 0, 10), turn('y', 10, 20)];
    expect(diarizationError(reference, found, 0)).toEqual({
      rate: 0,
      speechSeconds: 20,
      missedSeconds: 0,
      falseAlarmSeconds: 0,
      confusionSeconds: 0,
    });
  });

  it('counts what is missed, what nobody said and who was taken for another', () => {
    // x is a for 8 s; 2 s of a go to y; y has b for 7 s, 3 s are missed, and 1 s behind the end is nobody's.
    const found = [turn('x', 0, 8), turn('y', 8, 17), turn('y', 20, 21)];
    expect(diarizationError(reference, found, 0)).toEqual({
      rate: (2 + 3 + 1) / 20,
      speechSeconds: 20,
      missedSeconds: 3,
      falseAlarmSeconds: 1,
      confusionSeconds: 2,
    });
  });

  it('maps so that the error is least, and no two to one', () => {
    // x has 6 s of a and 7 of b, y has 4 of a and 3 of b: x-b and y-a (11) beat x-a and y-b (9).
    const found = [turn('x', 0, 6), turn('y', 6, 10), turn('x', 10, 17), turn('y', 17, 20)];
    expect(diarizationError(reference, found, 0).confusionSeconds).toBeCloseTo(9, 9);
    expect(diarizationError(reference, [turn('x', 0, 20)], 0).confusionSeconds).toBeCloseTo(10, 9);
  });

  it('counts overlapping speech for each', () => {
    const both = [turn('a', 0, 10), turn('b', 5, 10)];
    const { rate, speechSeconds, missedSeconds } = diarizationError(both, [turn('x', 0, 10)], 0);
    expect([speechSeconds, missedSeconds, rate]).toEqual([15, 5, 5 / 15]);
    expect(diarizationError([turn('a', 0, 10)], [turn('x', 0, 10), turn('y', 0, 4)], 0).falseAlarmSeconds).toBe(4);
  });

  it('leaves out a collar around the boundaries of the reference only', () => {
    // Late by 0.2 s at each boundary: nothing counts. Of 20 s, 4 times 0.25 s are not looked at.
    const late = [turn('x', 0.2, 10.2), turn('y', 10.2, 20.2)];
    const within = diarizationError(reference, late, 0.25);
    expect(within.rate).toBe(0);
    expect(within.speechSeconds).toBeCloseTo(19, 9);
    // Late by 0.45 s: 0.2 s at each of three boundaries count: missed at the start, confused, nobody's at the end.
    const later = [turn('x', 0.45, 10.45), turn('y', 10.45, 20.45)];
    const beyond = diarizationError(reference, later, 0.25);
    expect(beyond.missedSeconds).toBeCloseTo(0.2, 9);
    expect(beyond.confusionSeconds).toBeCloseTo(0.2, 9);
    expect(beyond.falseAlarmSeconds).toBeCloseTo(0.2, 9);
  });

  it('knows silence', () => {
    expect(diarizationError([], [], 0.25).rate).toBe(0);
    expect(diarizationError([], [turn('x', 0, 1)], 0.25).rate).toBe(Number.POSITIVE_INFINITY);
    expect(diarizationError(reference, [], 0.25).rate).toBe(1);
  });

  it('finds the best mapping of tables of any shape', () => {
    expect(
      bestMapping([
        [6, 7],
        [4, 3],
      ]),
    ).toBe(11);
    expect(bestMapping([[1, 9, 3]])).toBe(9);
    expect(bestMapping([[5], [6], [2]])).toBe(6);
    expect(bestMapping([])).toBe(0);
  });
});
