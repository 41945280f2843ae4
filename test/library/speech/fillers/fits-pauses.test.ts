import { expect, it } from 'vitest';
import type { TimeRange } from '../../../../src/library/core/time-range.ts';
import { fitsPauses } from '../../../../src/library/speech/fillers/fits-pauses.ts';
import { recording } from '../../../fixtures/recordings.ts';
import { seeded } from '../../../fixtures/random.ts';
import { knownSounds, rangesOf } from '../../../fixtures/sounds/known-breaths.ts';
import { soundOf, speechOf } from '../../../fixtures/spoken-sounds.ts';
import { textGridWords } from '../../../fixtures/text-grid.ts';

const corpus = await speechOf('acoustic_corpus.wav');
const sonnet = await speechOf('sonnet001.mp3');
const grid = textGridWords(recording('acoustic_corpus.TextGrid'));
const lines = rangesOf(knownSounds.find(({ name }) => name === 'sonnet001.mp3')!.spoken);

it("a recording's own words fit its pauses, with times that are up to 0.1 s wrong", () => {
  const random = seeded(1);
  const off = (words: readonly TimeRange[]): TimeRange[] =>
    words.map(({ startSeconds, endSeconds }) => {
      const by = 0.2 * random() - 0.1;
      return { startSeconds: startSeconds + by, endSeconds: endSeconds + by };
    });
  expect(fitsPauses(corpus, off(grid))).toBe(true);
  expect(fitsPauses(sonnet, off(lines))).toBe(true);
});

it("another recording's words do not, at its length or stretched to this one's", () => {
  const stretched = (words: readonly TimeRange[], factor: number): TimeRange[] =>
    words.map(({ startSeconds, endSeconds }) => ({
      startSeconds: startSeconds * factor,
      endSeconds: endSeconds * factor,
    }));
  for (const factor of [1, 0.5]) expect(fitsPauses(corpus, stretched(lines, factor))).toBe(false);
  for (const factor of [1, 2]) expect(fitsPauses(sonnet, stretched(grid, factor))).toBe(false);
  // Its own, two seconds late.
  expect(
    fitsPauses(
      corpus,
      grid.map(({ startSeconds, endSeconds }) => ({ startSeconds: startSeconds + 2, endSeconds: endSeconds + 2 })),
    ),
  ).toBe(false);
});

it('nothing is told by few pauses, or without sound', () => {
  expect(fitsPauses(corpus, grid.slice(0, 20))).toBe(false);
  expect(fitsPauses(corpus, [])).toBe(false);
  expect(fitsPauses(soundOf(new Float32Array(400_000)), grid)).toBe(false);
  expect(fitsPauses(soundOf(new Float32Array(0)), grid)).toBe(false);
});
