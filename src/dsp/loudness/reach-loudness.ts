/** What is set: one gain, then (when limited) a true-peak limiter. */
export interface GainSetting {
  readonly gainDb: number;
  readonly ceilingDbtp: number;
  readonly limited: boolean;
}

export interface LevelAndPeak {
  /** In the goal's measure; null for silence. */
  readonly level: number | null;
  readonly truePeakDbtp: number;
}

export interface LoudnessGoal<Written extends LevelAndPeak> {
  /** The signal before gain and limiter. Its level is not null. */
  readonly input: LevelAndPeak;
  /** Level to reach, in the input's measure. */
  readonly level: number;
  readonly ceilingDbtp: number;
  /** How much lower than the ceiling to limit at once, because the encoder overshoots, dB. */
  readonly headroomDb: number;
  /** Measures the signal with a setting, before encoding. */
  tryOut(setting: GainSetting): Promise<LevelAndPeak>;
  /** Encodes with a setting and measures what came out. */
  write(setting: GainSetting): Promise<Written>;
}

/** The promise: output within this of the level, measured after encoding. */
export const loudnessToleranceDb = 0.1;
/** Aim closer than the promise, so that the encoder may take its part. */
const aimDb = 0.03;
/** More limiting than this is heard as distortion; the loudness then stays under the level. */
export const deepestLimitingDb = 15;
/** Lossy codecs overshoot the peaks they are given by a few tenths of a dB at usual rates. */
export const lossyHeadroomDb = 0.4;
const mostSettlingPasses = 5;
const mostEncodes = 3;

/**
 * Finds the gain with which the limited signal has the wanted level: limiting takes loudness away, which a little more
 * gain gives back.
 */
async function settle<Written extends LevelAndPeak>(
  goal: LoudnessGoal<Written>,
  setting: GainSetting,
): Promise<GainSetting> {
  if (!setting.limited) return setting;
  const input = goal.input.level ?? 0;
  const highest = goal.level - input + deepestLimitingDb;
  let current = setting;
  // Secant steps from the unlimited input on, where a decibel of gain is a decibel of level; in the limiter it is less.
  let before = { gainDb: 0, level: input };
  for (let count = 0; count < mostSettlingPasses; count += 1) {
    const level = (await goal.tryOut(current)).level ?? goal.level;
    const missing = goal.level - level;
    if (Math.abs(missing) <= aimDb) break;
    const moved = current.gainDb - before.gainDb;
    const slope = Math.abs(moved) < 0.01 ? 1 : Math.min(1, Math.max(0.15, (level - before.level) / moved));
    before = { gainDb: current.gainDb, level };
    const next = Math.min(highest, current.gainDb + missing / slope);
    if (next === current.gainDb) break;
    current = { ...current, gainDb: next };
  }
  return current;
}

/**
 * Brings a signal to a level with one gain and limited true peaks, measured after encoding: finds the gain under the
 * limiter by secant steps, encodes, measures, and encodes again where the codec moved level or peaks out of tolerance
 * (three times at most).
 */
export async function reachLoudness<Written extends LevelAndPeak>(
  goal: LoudnessGoal<Written>,
): Promise<{ setting: GainSetting; output: Written }> {
  const unlimited = goal.level - (goal.input.level ?? 0);
  const ceilingDbtp = goal.ceilingDbtp - goal.headroomDb;
  let setting = await settle(goal, {
    gainDb: unlimited,
    ceilingDbtp,
    limited: goal.input.truePeakDbtp + unlimited > ceilingDbtp,
  });
  for (let count = 1; ; count += 1) {
    const output = await goal.write(setting);
    if (output.level === null || count === mostEncodes) return { setting, output };
    const missing = goal.level - output.level;
    const over = output.truePeakDbtp - goal.ceilingDbtp;
    const reached = Math.abs(missing) <= loudnessToleranceDb || setting.gainDb >= unlimited + deepestLimitingDb - 0.01;
    if (reached && over <= 0) return { setting, output };
    setting = {
      limited: setting.limited || over > 0,
      ceilingDbtp: over > 0 ? setting.ceilingDbtp - over - 0.1 : setting.ceilingDbtp,
      gainDb: reached ? setting.gainDb : setting.gainDb + missing * 1.1,
    };
  }
}
