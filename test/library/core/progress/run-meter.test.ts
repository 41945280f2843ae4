// The arithmetic of progress and time left, with a clock of its own.
import { describe, expect, it } from 'vitest';
import { createRunMeter, type StageWeights } from '../../../../src/library/core/progress/run-meter.ts';
import type { Progress } from '../../../../src/library/core/progress/progress.ts';
import { seeded } from '../../../fixtures/random.ts';

interface Pass {
  readonly stage: string;
  readonly seconds: number;
  readonly maybe?: readonly string[];
}

/** Runs passes on a clock; answers what was said at each tenth of a second, with what was true. */
function play(
  weights: StageWeights,
  passes: readonly Pass[],
): { readonly said: Progress; readonly left: number; readonly at: number }[] {
  let now = 1000;
  const meter = createRunMeter(weights, () => now);
  const total = passes.reduce((sum, { seconds }) => sum + seconds, 0);
  const said: { said: Progress; left: number; at: number }[] = [];
  const startedAt = now;
  for (const [index, { stage, seconds, maybe = [] }] of passes.entries()) {
    const after = passes
      .slice(index + 1)
      .map((pass) => pass.stage)
      .filter((one) => !maybe.includes(one));
    meter.begin({ stage, after, maybe });
    const from = now;
    for (let passed = 0.1; passed < seconds; passed += 0.1) {
      now = from + passed;
      said.push({
        said: meter.report(passed / seconds, stage),
        left: total - (now - startedAt),
        at: (now - startedAt) / total,
      });
    }
    now = from + seconds;
  }
  expect(meter.finish('done')).toEqual({ progress: 1, stage: 'done', estimatedSecondsLeft: 0 });
  return said;
}

/** The worst ratio of estimate and truth from a tenth of the run on, where more than a second is left. */
const worst = (said: ReturnType<typeof play>): number =>
  Math.max(
    ...said
      .filter(({ at, left }) => at >= 0.1 && left > 1)
      .map(({ said: { estimatedSecondsLeft }, left }) => Math.abs((estimatedSecondsLeft ?? Infinity) / left - 1)),
  );

describe('the meter of a run', () => {
  const passes = [
    { stage: 'measuring', seconds: 2 },
    { stage: 'encoding', seconds: 30 },
    { stage: 'checking', seconds: 4 },
  ];

  it('with the weights of its stages knows from the first pass on what is left', () => {
    const said = play({ measuring: 1, encoding: 15, checking: 2 }, passes);
    expect(worst(said)).toBeLessThan(0.05);
    // Half of the time is half of the bar.
    for (const { said: each, at } of said) if (at > 0.02) expect(each.progress).toBeCloseTo(at, 1);
  });

  it('says the same where all weights are off by the same: a slower machine, a busy one', () => {
    expect(worst(play({ measuring: 0.01, encoding: 0.15, checking: 0.02 }, passes))).toBeLessThan(0.05);
  });

  it('is within 30 % from a tenth on where its weights are off by 20 % either way', () => {
    for (const off of [0.8, 1.2])
      expect(worst(play({ measuring: 1, encoding: 15 * off, checking: 2 }, passes))).toBeLessThan(0.3);
  });

  it('never falls, never says 1 before the end, and takes what is no number', () => {
    const random = seeded(20_240_823);
    for (let run = 0; run < 50; run++) {
      let now = 0;
      const meter = createRunMeter({ a: random(), b: random() }, () => (now += random()));
      let before = 0;
      for (let step = 0; step < 60; step++) {
        const value = random() < 0.05 ? Number.NaN : random() * 1.4 - 0.2;
        const { progress, estimatedSecondsLeft } =
          random() < 0.1
            ? meter.begin({ stage: 'ab'[step % 2] as string, after: ['a', 'b', 'c'], maybe: ['d'] })
            : meter.report(value, 'a');
        expect(progress).toBeGreaterThanOrEqual(before);
        expect(progress).toBeLessThan(1);
        if (estimatedSecondsLeft !== null) expect(estimatedSecondsLeft).toBeGreaterThanOrEqual(0);
        before = progress;
      }
    }
  });

  it('counts a pass that may come as half of one, and none that was not announced', () => {
    let now = 0;
    const meter = createRunMeter({ measuring: 2, encoding: 10, fitting: 3 }, () => now);
    meter.begin({ stage: 'measuring', after: ['encoding'], maybe: ['fitting', 'fitting'] });
    now = 2;
    expect(meter.report(1, 'measuring').estimatedSecondsLeft).toBeCloseTo(10 + 3, 5);
    meter.begin({ stage: 'encoding', after: [], maybe: ['encoding'] });
    now = 12;
    expect(meter.report(1, 'encoding').estimatedSecondsLeft).toBeCloseTo(5, 5);
    meter.begin({ stage: 'encoding', after: [], maybe: [] });
    now = 22;
    expect(meter.report(1, 'encoding').estimatedSecondsLeft).toBeCloseTo(0, 5);
  });

  it('of a run without passes judges by its pace, as before', () => {
    let now = 0;
    const meter = createRunMeter({}, () => now);
    meter.report(0, 'converting');
    now = 2;
    expect(meter.report(0.2, 'converting')).toEqual({ progress: 0.2, stage: 'converting', estimatedSecondsLeft: 8 });
    expect(meter.report(1, 'converting').progress).toBeLessThan(1);
  });
});
