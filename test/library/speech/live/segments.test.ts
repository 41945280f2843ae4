import { describe, expect, it } from 'vitest';
import { createSegmenter, type SpeechSegment } from '../../../../src/library/speech/live/segments.ts';
import { seeded } from '../../kernels/signals.ts';
import { slow } from '../../../fixtures/rounds.ts';

const secondsPerStep = 0.032;

/** What a stream gives, with the step at which each is known. */
function segmentsOf(probabilities: readonly number[]): (SpeechSegment & { readonly at: number })[] {
  const segmenter = createSegmenter(secondsPerStep);
  const found: (SpeechSegment & { at: number })[] = [];
  for (const [at, probability] of probabilities.entries()) {
    const segment = segmenter.push(probability);
    if (segment) found.push({ ...segment, at });
    expect(segmenter.neededFrom).toBeLessThanOrEqual(at + 1);
    // Fourteen seconds of sound at most are kept.
    expect((at - segmenter.neededFrom) * secondsPerStep).toBeLessThan(14);
  }
  const last = segmenter.finish();
  return last === null ? found : [...found, { ...last, at: probabilities.length }];
}

const voice = (seconds: number): number[] => Array.from({ length: Math.round(seconds / secondsPerStep) }, () => 0.9);
const pause = (seconds: number): number[] => Array.from({ length: Math.round(seconds / secondsPerStep) }, () => 0.02);
const seconds = (steps: number): number => steps * secondsPerStep;

describe('a stream of voices and pauses', () => {
  it('is divided at a pause, which is known soon, with a margin on both sides', () => {
    const [first, ...more] = segmentsOf([...pause(2), ...voice(2), ...pause(3)]);
    expect(more).toEqual([]);
    expect(first?.ended).toBe(true);
    expect(seconds(first?.fromStep ?? 0)).toBeCloseTo(1.7, 1);
    expect(seconds(first?.toStep ?? 0)).toBeCloseTo(4.3, 1);
    expect(seconds(first?.at ?? 0)).toBeLessThan(5.3);
  });

  it('says so when nobody goes on behind a short pause', () => {
    const found = segmentsOf([...voice(6), ...pause(3)]);
    expect(found.map(({ ended }) => ended)).toEqual([false, true]);
    expect(seconds(found[0]?.at ?? 0)).toBeLessThan(6.6);
    expect(found[1]?.fromStep).toBe(found[1]?.toStep);
    expect(seconds(found[1]?.at ?? 0)).toBeLessThan(7.4);
  });

  it('without pauses is divided where the voice is faintest, after twelve seconds at most', () => {
    const faint = Math.round(9 / secondsPerStep);
    const found = segmentsOf(voice(30).map((one, at) => (at === faint ? 0.4 : one)));
    expect(found[0]?.toStep).toBe(faint);
    for (const { fromStep, at } of found) expect(seconds(at - fromStep)).toBeLessThan(12.1);
    expect(found.at(-1)).toMatchObject({ ended: true, toStep: voice(30).length });
  });

  it('clicks and silence are nothing', () => {
    expect(segmentsOf([...pause(5), 0.9, 0.9, ...pause(60)])).toEqual([]);
    expect(segmentsOf([])).toEqual([]);
  });

  // In the first, a stretch of 12 s ends a step before the pause.
  it.each([1_757_049_795, Math.floor(Math.random() * 2 ** 31)])(
    'loses no voice and reads none twice (seed %d)',
    slow,
    (seed) => {
      const random = seeded(seed);
      const stream = Array.from({ length: 60 }, () => [
        ...voice(random() * 14 + 0.2),
        ...pause(random() * 2 + 0.1),
      ]).flat();
      const read = segmentsOf(stream).filter(({ fromStep, toStep }) => toStep > fromStep);
      let last = 0;
      for (const { fromStep, toStep } of read) {
        expect(fromStep).toBeGreaterThanOrEqual(last);
        last = toStep;
      }
      const covered = new Set(
        read.flatMap(({ fromStep, toStep }) => stream.slice(fromStep, toStep).map((_, at) => fromStep + at)),
      );
      const lost = stream.filter((one, at) => one > 0.5 && !covered.has(at)).length;
      expect(lost).toBe(0);
    },
  );
});

it('tells how far an unfinished stretch goes', () => {
  const segmenter = createSegmenter(secondsPerStep);
  expect(segmenter.current).toBeNull();
  for (const probability of voice(6)) expect(segmenter.push(probability)).toBeNull();
  const { fromStep, toStep, pauseSteps } = segmenter.current ?? { fromStep: -1, toStep: 0, pauseSteps: -1 };
  expect([fromStep, toStep, pauseSteps]).toEqual([0, voice(6).length, 0]);
});
