// Progress and time left of a run, from the passes it announces and their usual costs.
import { createProgressMeter, type Progress } from './progress.ts';

/** The known cost of one stage of a kind of run. */
export interface StageCost {
  /** Of one pass, in units shared by all stages of the kind of run: only ratios count. */
  readonly weight: number;
  /** Passes in a run, on average. */
  readonly count: number;
}

export type StageCosts = Readonly<Record<string, StageCost>>;

/** What a run is expected to take. */
export interface ExpectedCosts {
  readonly stages: StageCosts;
  /** Seconds of a unit of weight in this run, from earlier runs like it; null: unknown. */
  readonly secondsPerUnit: number | null;
}

/** The time of one pass of a run. */
export interface TimedPass {
  readonly stage: string;
  readonly seconds: number;
}

/** A pass that starts, and the stages that will follow, certainly or perhaps. */
export interface BegunPass {
  readonly stage: string;
  readonly after: readonly string[];
  readonly maybe: readonly string[];
}

export interface RunMeter {
  begin(pass: BegunPass): Progress;
  /** @param fraction of the current pass; of the whole run if none was begun. 0 to 1 */
  report(fraction: number, stage: string): Progress;
  /** The run has succeeded: progress 1, no time left. */
  finish(stage: string): Progress;
  /** The passes so far with their times, for `learnedCosts`. */
  passes(): readonly TimedPass[];
}

/** An estimate before this is a guess. */
const minimumSeconds = 0.5;
const minimumFraction = 0.01;
/** A running job never shows as complete. */
const mostBeforeTheEnd = 0.99;
/** After this much of a pass, its own pace counts as much as the known cost. */
const ownPaceFraction = 0.1;
/** What earlier runs took counts as much as this share of the run itself: a slow disk or a busy machine soon shows. */
const earlierRunsShare = 0.15;

/** Passes still to come, by stage. */
function passesToCome(
  { stage, after, maybe }: BegunPass,
  ended: readonly TimedPass[],
  costs: StageCosts,
): ReadonlyMap<string, number> {
  const counts = new Map<string, number>();
  for (const each of after) counts.set(each, (counts.get(each) ?? 0) + 1);
  const usual = (each: string): number | null => {
    const count = costs[each]?.count;
    if (count === undefined) return null;
    return Math.round(count) - ended.filter((pass) => pass.stage === each).length - (each === stage ? 1 : 0);
  };
  // Where all that is certain is known, so is what usually comes: an unknown stage does not.
  const knowsTheRun = [stage, ...after].every((each) => costs[each] !== undefined);
  const uncertain = new Map<string, number>();
  for (const each of maybe) uncertain.set(each, (uncertain.get(each) ?? 0) + 1);
  for (const [each, count] of uncertain)
    counts.set(each, Math.max(counts.get(each) ?? 0, usual(each) ?? (knowsTheRun ? 0 : count)));
  // Stages that usually occur more often than announced: a second encode.
  const seen = new Set([...ended.map((pass) => pass.stage), stage, ...after]);
  for (const each of seen) counts.set(each, Math.max(counts.get(each) ?? 0, usual(each) ?? 0));
  return counts;
}

/**
 * Seconds left of the current pass; null when nothing is known yet.
 * @param passed seconds since its start
 * @param usual seconds that it is expected to take; null: not known
 * @param fraction of the pass that is done
 * @param moving seconds and fraction when it first reported one
 */
function leftOfPass(
  passed: number,
  usual: number | null,
  fraction: number,
  moving: { readonly passed: number; readonly fraction: number } | null,
): number | null {
  if (moving === null) return usual === null ? null : Math.max(0, usual - passed);
  const moved = fraction - moving.fraction;
  const [seconds, share] = moved > 0 ? [passed - moving.passed, moved] : [passed, fraction];
  const own = (1 - fraction) * (seconds / share);
  if (usual === null) return own;
  const trust = moved / (moved + ownPaceFraction);
  // Late, the time that is usually left says less than the fraction.
  const expected = fraction * usual * (1 - fraction) + (1 - fraction) * Math.max(0, usual - passed);
  return trust * own + (1 - trust) * expected;
}

/**
 * Progress is elapsed time divided by the estimated total. The current pass is estimated from its own pace, more so as
 * it advances; later passes from their known costs, scaled by how long the earlier ones took compared with theirs. A
 * slower or busy machine only changes the scale.
 * @param expected of such a run; a stage without a cost counts as the mean of the others
 * @param now a clock in seconds
 */
export function createRunMeter(
  { stages: costs, secondsPerUnit }: ExpectedCosts,
  now: () => number = () => performance.now() / 1000,
): RunMeter {
  const known = Object.values(costs).map(({ weight }) => weight);
  const meanWeight = known.length === 0 ? 1 : known.reduce((sum, weight) => sum + weight, 0) / known.length;
  const weightOf = (stage: string): number => Math.max(costs[stage]?.weight ?? meanWeight, 1e-9);
  /** In units: as if this much had been done, at the pace of earlier runs. */
  const earlier =
    secondsPerUnit === null
      ? 0
      : earlierRunsShare * Object.values(costs).reduce((sum, { weight, count }) => sum + weight * count, 0);
  const earlierSeconds = earlier * (secondsPerUnit ?? 0);
  const whole = createProgressMeter(now);
  const ended: TimedPass[] = [];
  let current: (BegunPass & { readonly startedAt: number }) | null = null;
  let fraction = 0;
  /** Where the pass was when it first said so: before that, networks may have been read. */
  let moving: { readonly passed: number; readonly fraction: number } | null = null;
  let startedAt = 0;
  let shown = 0;

  /** Seconds left of the run; null when nothing is known yet. */
  const secondsLeft = (at: number): number | null => {
    if (current === null) return null;
    const passed = at - current.startedAt;
    const doneSeconds = earlierSeconds + ended.reduce((sum, { seconds }) => sum + seconds, 0);
    const doneWeight = earlier + ended.reduce((sum, { stage }) => sum + weightOf(stage), 0);
    const weight = weightOf(current.stage);
    const before = doneWeight === 0 ? null : (doneSeconds / doneWeight) * weight;
    let left = leftOfPass(passed, before, fraction, moving);
    if (left === null) return null;
    const scale = (doneSeconds + passed + left) / (doneWeight + weight);
    for (const [stage, count] of passesToCome(current, ended, costs))
      left += Math.max(0, count) * weightOf(stage) * scale;
    return left;
  };

  const say = (stage: string): Progress => {
    const at = now();
    const elapsed = at - startedAt;
    const left = secondsLeft(at);
    if (left !== null && elapsed > 0) shown = Math.max(shown, Math.min(mostBeforeTheEnd, elapsed / (elapsed + left)));
    const isKnown = left !== null && elapsed >= minimumSeconds && shown >= minimumFraction;
    return { progress: shown, stage, estimatedSecondsLeft: isKnown ? left : null };
  };

  const endCurrent = (at: number): void => {
    if (current !== null) ended.push({ stage: current.stage, seconds: at - current.startedAt });
    current = null;
  };

  return {
    begin(pass) {
      const at = now();
      if (current === null) startedAt = at;
      endCurrent(at);
      current = { ...pass, startedAt: at };
      fraction = 0;
      moving = null;
      return say(pass.stage);
    },
    report(reported, stage) {
      if (current === null) {
        const { progress, ...rest } = whole(reported, stage);
        shown = Math.max(shown, Math.min(mostBeforeTheEnd, progress));
        return { ...rest, progress: shown };
      }
      if (Number.isFinite(reported)) fraction = Math.max(fraction, Math.min(1, reported));
      if (fraction > 0) moving ??= { passed: now() - current.startedAt, fraction };
      return say(current.stage);
    },
    finish(stage) {
      endCurrent(now());
      return { progress: 1, stage, estimatedSecondsLeft: 0 };
    },
    passes: () => ended,
  };
}

/** A run of this length weighs as much as all runs before it. */
const tellingSeconds = 20;
/** Of a run that is like the ones before in size and options. */
const shareOfAlike = 0.6;

/**
 * Costs updated with one more run. Only ratios between its passes are used, so runs of any length and machines of any
 * speed can be combined. Start-up costs of models and processes matter less in a long run, so a longer one has more
 * weight.
 */
export function learnedCosts(costs: StageCosts, run: readonly TimedPass[]): StageCosts {
  const seconds = run.reduce((sum, pass) => sum + pass.seconds, 0);
  if (seconds <= 0) return costs;
  const known = run.filter(({ stage }) => costs[stage] !== undefined);
  const knownWeight = known.reduce((sum, { stage }) => sum + (costs[stage]?.weight ?? 0), 0);
  const knownSeconds = known.reduce((sum, pass) => sum + pass.seconds, 0);
  const unitSeconds = knownWeight > 0 && knownSeconds > 0 ? knownSeconds / knownWeight : seconds;
  const share = Math.min(0.7, Math.max(0.1, seconds / (seconds + tellingSeconds)));
  return blended(costs, run, unitSeconds, share);
}

/**
 * The same for runs alike in size, options and machine: units are seconds for each `size` of input.
 * @param size of the run's input, in any unit
 */
export const learnedSeconds = (costs: StageCosts, run: readonly TimedPass[], size: number): StageCosts =>
  blended(costs, run, size, shareOfAlike);

/** @param share what the run counts beside all before it, 0 to 1 */
function blended(costs: StageCosts, run: readonly TimedPass[], unitSeconds: number, share: number): StageCosts {
  const stages = [...new Set(run.map(({ stage }) => stage))];
  const learned: Record<string, StageCost> = {};
  for (const [stage, { weight, count }] of Object.entries(costs))
    if (!stages.includes(stage)) learned[stage] = { weight, count: count * (1 - share) };
  for (const stage of stages) {
    const passes = run.filter((pass) => pass.stage === stage);
    const mean = passes.reduce((sum, pass) => sum + pass.seconds, 0) / passes.length / unitSeconds;
    const old = costs[stage];
    learned[stage] =
      old === undefined
        ? { weight: mean, count: passes.length }
        : { weight: old.weight + share * (mean - old.weight), count: old.count + share * (passes.length - old.count) };
  }
  return learned;
}
