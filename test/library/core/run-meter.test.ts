// The arithmetic of progress and time left, with a clock of its own.
import { describe, expect, it } from 'vitest';
import {
  createRunMeter,
  type ExpectedCosts,
  learnedCosts,
  learnedSeconds,
  type StageCosts,
  type TimedPass,
} from '../../../src/library/core/run-meter.ts';
import type { Progress } from '../../../src/library/core/progress.ts';
import { seeded } from '../../fixtures/random.ts';

interface Pass extends TimedPass {
  readonly maybe?: readonly string[];
}

/** Costs of which only the ratios are known. */
const relative = (stages: StageCosts): ExpectedCosts => ({ stages, secondsPerUnit: null });

/** Runs passes on a clock; answers what was said at each tenth of a second, with what was true. */
function play(
  costs: StageCosts,
  passes: readonly Pass[],
  secondsPerUnit: number | null = null,
): { readonly said: Progress; readonly left: number; readonly at: number }[] {
  let now = 1000;
  const meter = createRunMeter({ stages: costs, secondsPerUnit }, () => now);
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

const once = (weights: Readonly<Record<string, number>>): StageCosts =>
  Object.fromEntries(Object.entries(weights).map(([stage, weight]) => [stage, { weight, count: 1 }]));

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

  it('with the costs of its stages knows from the first pass on what is left', () => {
    const said = play(once({ measuring: 1, encoding: 15, checking: 2 }), passes);
    expect(worst(said)).toBeLessThan(0.05);
    // Half of the time is half of the bar.
    for (const { said: each, at } of said) if (at > 0.02) expect(each.progress).toBeCloseTo(at, 1);
  });

  it('costs nothing where all costs are off by the same: a slower machine, a busy one', () => {
    expect(worst(play(once({ measuring: 0.01, encoding: 0.15, checking: 0.02 }), passes))).toBeLessThan(0.05);
  });

  it('is within 30 % from a tenth on where its costs are off by 20 % either way', () => {
    for (const off of [0.8, 1.2])
      expect(worst(play(once({ measuring: 1, encoding: 15 * off, checking: 2 }), passes))).toBeLessThan(0.3);
  });

  it('with the seconds of runs alike is not misled by a start that is slower than the rest', () => {
    const loading: Pass[] = [
      { stage: 'reading', seconds: 0.1 },
      { stage: 'comparing', seconds: 3 },
      { stage: 'encoding', seconds: 6 },
    ];
    // This one's reading took eight times as long as usual: a cold disk.
    const costs = once({ reading: 0.1 / 8, comparing: 3, encoding: 6 });
    const early = (unit: number | null): number =>
      Math.max(
        ...play(costs, loading, unit)
          .filter(({ at }) => at >= 0.1 && at < 0.3)
          .map(({ said: { estimatedSecondsLeft }, left }) => Math.abs((estimatedSecondsLeft ?? Infinity) / left - 1)),
      );
    expect(early(1)).toBeLessThan(0.3);
    expect(early(null)).toBeGreaterThan(early(1));
    // A machine that is three times slower shows within the run.
    const slow = play(once({ reading: 0.1 / 3, comparing: 1, encoding: 2 }), loading, 1);
    expect(worst(slow.filter(({ at }) => at > 0.5))).toBeLessThan(0.3);
  });

  it('never falls, never says 1 before the end, and takes what is no number', () => {
    const random = seeded(20_240_823);
    for (let run = 0; run < 50; run++) {
      let now = 0;
      const meter = createRunMeter(relative(once({ a: random(), b: random() })), () => (now += random()));
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

  it('counts passes that may come as often as usual, and a second encode where there usually is one', () => {
    const weights = {
      measuring: { weight: 2, count: 1 },
      encoding: { weight: 10, count: 2 },
      fitting: { weight: 3, count: 3 },
    };
    const meter = (costs: StageCosts): number | null => {
      let now = 0;
      const made = createRunMeter(relative(costs), () => now);
      made.begin({ stage: 'measuring', after: ['encoding'], maybe: ['fitting'] });
      now = 2;
      return made.report(1, 'measuring').estimatedSecondsLeft;
    };
    expect(meter(weights)).toBeCloseTo(2 * 10 + 3 * 3, 5);
    expect(meter({ ...weights, encoding: { weight: 10, count: 1.4 }, fitting: { weight: 3, count: 0.2 } })).toBeCloseTo(
      10,
      5,
    );
    // Without experience it is what was announced.
    expect(meter({ measuring: { weight: 2, count: 1 } })).toBeCloseTo(2 + 2, 5);
  });

  it('between two encodes of which the second is usual counts on it', () => {
    const costs = { encoding: { weight: 10, count: 2 }, checking: { weight: 1, count: 2 } };
    let now = 0;
    const meter = createRunMeter(relative(costs), () => now);
    meter.begin({ stage: 'encoding', after: ['checking'], maybe: [] });
    now = 10;
    meter.begin({ stage: 'checking', after: [], maybe: [] });
    now = 10.5;
    expect(meter.report(0.5, 'checking').estimatedSecondsLeft).toBeCloseTo(0.5 + 10 + 1, 5);
    now = 11;
    meter.begin({ stage: 'encoding', after: ['checking'], maybe: [] });
    now = 21;
    expect(meter.report(1, 'encoding').estimatedSecondsLeft).toBeCloseTo(1, 5);
    meter.begin({ stage: 'checking', after: [], maybe: [] });
    now = 21.5;
    expect(meter.report(0.5, 'checking').estimatedSecondsLeft).toBeCloseTo(0.5, 5);
  });

  it('of a run without passes judges by its pace, as before', () => {
    let now = 0;
    const meter = createRunMeter(relative({}), () => now);
    meter.report(0, 'converting');
    now = 2;
    expect(meter.report(0.2, 'converting')).toEqual({ progress: 0.2, stage: 'converting', estimatedSecondsLeft: 8 });
    expect(meter.report(1, 'converting').progress).toBeLessThan(1);
  });
});

describe('what is learned', () => {
  const run = (scale: number): TimedPass[] => [
    { stage: 'measuring', seconds: 1 * scale },
    { stage: 'encoding', seconds: 12 * scale },
    { stage: 'encoding', seconds: 12 * scale },
    { stage: 'checking', seconds: 3 * scale },
  ];

  it('are ratios: runs of any length, on a machine of any speed, lead to the same', () => {
    let costs: StageCosts = once({ measuring: 1, encoding: 1, checking: 1 });
    for (const scale of [1, 30, 0.2, 5, 100, 2, 8, 8, 8]) costs = learnedCosts(costs, run(scale));
    const [measuring, encoding, checking] = ['measuring', 'encoding', 'checking'].map((stage) => costs[stage]);
    expect((encoding?.weight ?? 0) / (measuring?.weight ?? 1)).toBeCloseTo(12, 0);
    expect((encoding?.weight ?? 0) / (checking?.weight ?? 1)).toBeCloseTo(4, 1);
    expect(encoding?.count).toBeCloseTo(2, 1);
    expect(measuring?.count).toBe(1);
    expect(worst(play(costs, run(3)))).toBeLessThan(0.1);
  });

  it('of runs alike are seconds for each size of input', () => {
    let costs: StageCosts = {};
    for (const scale of [1, 2, 2, 2]) costs = learnedSeconds(costs, run(scale), 10 * scale);
    expect(costs['encoding']?.weight).toBeCloseTo(1.2, 5);
    expect(costs['checking']?.weight).toBeCloseTo(0.3, 5);
    expect(costs['encoding']?.count).toBe(2);
    const said = play(costs, run(3), 30);
    expect(worst(said)).toBeLessThan(0.05);
    // A second encode that the last two runs did not need is no longer counted on.
    const [measuring, encoding, , checking] = run(1) as [TimedPass, TimedPass, TimedPass, TimedPass];
    for (let count = 0; count < 2; count++) costs = learnedSeconds(costs, [measuring, encoding, checking], 10);
    expect(Math.round(costs['encoding']?.count ?? 0)).toBe(1);
  });

  it('a stage that no longer comes is no longer counted on', () => {
    let costs: StageCosts = { ...once({ encoding: 5 }), fitting: { weight: 2, count: 3 } };
    for (let count = 0; count < 5; count++) costs = learnedCosts(costs, [{ stage: 'encoding', seconds: 40 }]);
    expect(costs['fitting']?.count).toBeLessThan(0.5);
    expect(learnedCosts(costs, [])).toBe(costs);
  });
});
