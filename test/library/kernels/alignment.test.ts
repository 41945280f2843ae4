import { describe, expect, it } from 'vitest';
import { type AlignmentOptions, type AlignedWords, createAlignment } from '../../../src/library/kernels/alignment.ts';
import { seeded } from './signals.ts';
import { slow } from '../../fixtures/rounds.ts';

const seed = Date.now() >>> 0;
const [stay, skipOne, skipTwo] = [0.12, 0.12, 0.36];

interface Problem extends AlignmentOptions {
  readonly features: Float32Array;
  readonly gapCosts: Float32Array;
}

/** The whole table, written down as the kernel's documentation says, without bands, blocks or back pointers. */
function costOfBestWay({ dimensions, reference, wordStarts, gapEntry, windows, frames, scale, ...sound }: Problem) {
  const words = wordStarts.length - 1;
  const states = wordStarts[words]!;
  const wordOf = Array.from({ length: states }, (_, j) => wordStarts.findLastIndex((start) => start <= j));
  const local = (t: number, j: number): number => {
    let sum = 0;
    for (let d = 0; d < dimensions; d++)
      sum += (sound.features[t * dimensions + d]! - reference[j * dimensions + d]!) ** 2;
    return Number.isNaN(sum) ? 0.8 : Math.sqrt(sum) * scale;
  };
  const mayStart = (w: number, t: number): boolean => windows.earliestStart[w]! <= t && t <= windows.latestStart[w]!;
  const mayEnd = (w: number, t: number): boolean => windows.earliestEnd[w]! <= t && t <= windows.latestEnd[w]!;
  const jump = [stay, 0, skipOne, skipTwo];
  let state = Array.from({ length: states }, () => Infinity);
  let gap = Array.from({ length: words + 1 }, (_, k) => (k === 0 ? 0 : Infinity));
  for (let t = 0; t < frames; t++) {
    const nextState = state.map((_, j) => {
      const w = wordOf[j]!;
      const within = j - wordStarts[w]!;
      let best = t < windows.latestEnd[w]! ? state[j]! + stay : Infinity;
      for (let steps = 1; steps <= 3 && steps <= j; steps++) {
        const from = wordOf[j - steps]!;
        const allowed = from === w || (from === w - 1 && mayStart(w, t) && mayEnd(from, t));
        if (allowed && t < windows.latestEnd[w]!) best = Math.min(best, state[j - steps]! + jump[steps]!);
      }
      if (within < 3 && mayStart(w, t) && t < windows.latestEnd[w]!) best = Math.min(best, gap[w]! + jump[within + 1]!);
      return best + local(t, j);
    });
    const nextGap = gap.map((cost, k) => {
      let best = cost;
      if (k > 0 && mayEnd(k - 1, t))
        for (let left = 0; left < 3; left++) {
          const j = wordStarts[k]! - 1 - left;
          if (j >= wordStarts[k - 1]!) best = Math.min(best, state[j]! + [0, skipOne, skipTwo][left]! + gapEntry[k]!);
        }
      // A pause in front of a word that may not begin any more leads nowhere.
      return k < words && t >= windows.latestStart[k]! ? Infinity : best + sound.gapCosts[t]!;
    });
    [state, gap] = [nextState, nextGap];
  }
  let best = gap[words]!;
  if (words > 0 && mayEnd(words - 1, frames))
    for (let left = 0; left < 3; left++)
      if (states - 1 - left >= wordStarts[words - 1]!)
        best = Math.min(best, state[states - 1 - left]! + [0, skipOne, skipTwo][left]!);
  return best;
}

function solve(problem: Problem, cut: (left: number) => number = (left) => left): AlignedWords | null {
  const alignment = createAlignment(problem);
  for (let at = 0; at < problem.frames;) {
    const count = cut(problem.frames - at);
    alignment.push(
      problem.features.subarray(at * problem.dimensions),
      problem.gapCosts.subarray(at),
      Math.min(count, problem.frames - at),
    );
    at += count;
  }
  let calls = 0;
  while (!alignment.trace()) if ((calls += 1) > 1000) throw new Error('the way back has no end');
  return alignment.result();
}

/** Limits each word to where the answer puts it: the best way then costs the same, if the answer was a best one. */
const pinned = (problem: Problem, { starts, ends }: AlignedWords): Problem => ({
  ...problem,
  windows: { earliestStart: starts, latestStart: starts, earliestEnd: ends, latestEnd: ends },
});

const never = { low: 0, high: 1e6 };

function randomProblem(random: () => number, words: number, frames: number, slack = Infinity): Problem {
  const dimensions = 3;
  const number = (): number => random() * 2 - 1;
  const wordStarts = new Int32Array(words + 1);
  for (let w = 0; w < words; w++) wordStarts[w + 1] = wordStarts[w]! + 1 + Math.floor(random() * 9);
  const reference = Float32Array.from({ length: wordStarts[words]! * dimensions }, number);
  const limit = (shift: number): Int32Array =>
    Int32Array.from({ length: words }, (_, w) =>
      Number.isFinite(slack)
        ? Math.max(0, Math.min(frames, Math.round((frames * (w + 0.5)) / words + shift * slack)))
        : shift < 0
          ? never.low
          : never.high,
    );
  return {
    dimensions,
    reference,
    wordStarts,
    gapEntry: Float32Array.from({ length: words + 1 }, (_, k) => (k === 0 ? 0 : 2 * random())),
    windows: { earliestStart: limit(-1), latestStart: limit(1), earliestEnd: limit(-0.8), latestEnd: limit(1.2) },
    frames,
    scale: 0.8,
    features: Float32Array.from({ length: frames * dimensions }, number),
    gapCosts: Float32Array.from({ length: frames }, () => 0.25 + random()),
  };
}

describe('the way through recording and reference', () => {
  it.each([Infinity, 40, 12])(`costs what the best one costs, words within %d frames (seed ${seed})`, (slack) => {
    const random = seeded(seed);
    let found = 0;
    for (let round = 0; round < 60; round++) {
      const problem = randomProblem(random, 1 + Math.floor(random() * 8), 20 + Math.floor(random() * 60), slack);
      const expected = costOfBestWay(problem);
      const answer = solve(problem);
      expect(answer === null, `round ${round}`).toBe(expected === Infinity);
      if (!answer) continue;
      found += 1;
      for (let w = 0; w < answer.starts.length; w++) {
        expect(answer.ends[w]).toBeGreaterThan(answer.starts[w]!);
        if (w > 0) expect(answer.starts[w]).toBeGreaterThanOrEqual(answer.ends[w - 1]!);
      }
      expect(Math.abs(costOfBestWay(pinned(problem, answer)) - expected), `round ${round}`).toBeLessThan(1e-3);
    }
    expect(found).toBeGreaterThan(20);
  });

  it(`stays the best one where blocks are computed a second time (seed ${seed})`, slow, () => {
    const random = seeded(seed);
    const problem = randomProblem(random, 500, 9000);
    const answer = solve(problem)!;
    const expected = costOfBestWay(problem);
    expect(Math.abs(costOfBestWay(pinned(problem, answer)) / expected - 1)).toBeLessThan(1e-4);
  });

  it(`does not depend on how the recording is cut (seed ${seed})`, () => {
    const random = seeded(seed);
    const problem = randomProblem(random, 12, 400);
    const whole = solve(problem);
    expect(solve(problem, () => 1 + Math.floor(random() * 50))).toEqual(whole);
  });

  it('finds words that are in the recording as they are in the reference, and the pauses between them', () => {
    const random = seeded(5);
    const problem = randomProblem(random, 6, 200);
    const features = problem.features.fill(9);
    problem.gapCosts.fill(0.3);
    let at = 7;
    const truth = Array.from({ length: 6 }, (_, w) => {
      const [from, to] = [problem.wordStarts[w]! * 3, problem.wordStarts[w + 1]! * 3];
      features.set(problem.reference.subarray(from, to), at * 3);
      const span = { start: at, end: at + (to - from) / 3 };
      at = span.end + (w % 2) * 11;
      return span;
    });
    const answer = solve(problem)!;
    expect([...answer.starts]).toEqual(truth.map(({ start }) => start));
    expect([...answer.ends]).toEqual(truth.map(({ end }) => end));
    expect(Math.max(...answer.costs)).toBeLessThan(1e-6);
  });

  it('takes a state that may sound like anything for dearer than a likeness and cheaper than a stranger', () => {
    const problem = randomProblem(seeded(6), 3, 60);
    const middle = problem.wordStarts[1]! * 3;
    problem.reference.fill(NaN, middle, problem.wordStarts[2]! * 3);
    const answer = solve(problem)!;
    expect(answer.costs[1]).toBeCloseTo(0.8, 5);
    expect(Math.abs(costOfBestWay(pinned(problem, answer)) - costOfBestWay(problem))).toBeLessThan(1e-3);
  });

  it('answers nothing for windows that nothing fits, no frames and no words', () => {
    const problem = randomProblem(seeded(7), 2, 30);
    const none = { ...problem.windows, latestEnd: Int32Array.of(0, 0) };
    expect(solve({ ...problem, windows: none })).toBeNull();
    expect(solve({ ...problem, frames: 0 })).toBeNull();
    expect(solve(randomProblem(seeded(8), 0, 30))).toEqual({
      starts: new Int32Array(0),
      ends: new Int32Array(0),
      costs: new Float32Array(0),
    });
  });

  it('ends with broken numbers, too', () => {
    const problem = randomProblem(seeded(9), 5, 80);
    problem.features.fill(NaN, 30, 90);
    problem.gapCosts[40] = Infinity;
    const answer = solve(problem);
    if (answer) expect([...answer.ends].every((end) => end >= 0 && end <= 80)).toBe(true);
  });
});

it('refuses lists that do not belong together', () => {
  const good = randomProblem(seeded(1), 3, 20);
  const bad: Partial<AlignmentOptions>[] = [
    { dimensions: 0 },
    { dimensions: 4 },
    { wordStarts: Int32Array.of() },
    { wordStarts: Int32Array.of(0, 4, 4, 9) },
    { wordStarts: Int32Array.of(1, 4, 6, 9) },
    { gapEntry: new Float32Array(3) },
    { frames: -1 },
    { frames: 2 ** 30 },
    { scale: NaN },
    { windows: { ...good.windows, latestEnd: Int32Array.of(1, 2) } },
    { windows: { ...good.windows, earliestStart: Int32Array.of(3, 2, 4) } },
    { windows: { ...good.windows, earliestStart: new Float32Array(3) as unknown as Int32Array } },
  ];
  for (const change of bad)
    expect(() => createAlignment({ ...good, ...change }), JSON.stringify(change)).toThrow(TypeError);
  const alignment = createAlignment(good);
  expect(() => alignment.trace()).toThrow(TypeError);
  expect(() => alignment.push(good.features, good.gapCosts, 21)).toThrow(TypeError);
  expect(() => alignment.push(good.features.subarray(3), good.gapCosts, 20)).toThrow(TypeError);
  expect(() => alignment.push(good.features, good.gapCosts.subarray(1), 20)).toThrow(TypeError);
});
