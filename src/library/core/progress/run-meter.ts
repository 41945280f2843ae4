// Progress and time left of a run, from the passes that it announces and their weights.
import { createProgressMeter, type Progress } from './progress.ts';

/** What one pass of a stage costs beside one of another stage: only ratios count. */
export type StageWeights = Readonly<Partial<Record<string, number>>>;

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
}

/** An estimate before this is a guess. */
const minimumSeconds = 0.5;
const minimumFraction = 0.01;
/** A running job never shows as complete. */
const mostBeforeTheEnd = 0.99;
/** After this much of a pass, its own pace counts as much as the known cost. */
const ownPaceFraction = 0.1;
/** What a pass that may come counts beside one that is certain. */
const shareOfMaybe = 0.5;

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
 * it advances; later passes from their weights, scaled by how long the earlier ones took compared with theirs. A
 * slower or busy machine only changes the scale.
 * @param weights of the tool's stages; a stage without one counts as the mean of the others
 * @param now a clock in seconds
 */
export function createRunMeter(weights: StageWeights, now: () => number = () => performance.now() / 1000): RunMeter {
  const known = Object.values(weights).filter((weight) => weight !== undefined);
  const meanWeight = known.length === 0 ? 1 : known.reduce((sum, weight) => sum + weight, 0) / known.length;
  const weightOf = (stage: string): number => weights[stage] ?? meanWeight;
  const whole = createProgressMeter(now);
  let endedSeconds = 0;
  let endedWeight = 0;
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
    const weight = weightOf(current.stage);
    const usual = endedWeight === 0 ? null : (endedSeconds / endedWeight) * weight;
    const left = leftOfPass(passed, usual, fraction, moving);
    if (left === null) return null;
    const scale = (endedSeconds + passed + left) / (endedWeight + weight);
    const sum = (stages: readonly string[]): number => stages.reduce((all, stage) => all + weightOf(stage), 0);
    return left + scale * (sum(current.after) + shareOfMaybe * sum(current.maybe));
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
    if (current === null) return;
    endedSeconds += at - current.startedAt;
    endedWeight += weightOf(current.stage);
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
  };
}
