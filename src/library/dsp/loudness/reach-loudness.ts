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
/** A codec's overshoot changes a little with the ceiling: the second encode is given so much room for it, dB. */
const overshootSpreadDb = 0.25;

interface Settled {
  readonly setting: GainSetting;
  /** Of the signal with it, before encoding. */
  readonly level: number;
}

/**
 * Finds the gain with which the limited signal has the wanted level: limiting takes loudness away, which a little more
 * gain gives back.
 */
async function settle<Written extends LevelAndPeak>(
  goal: LoudnessGoal<Written>,
  setting: GainSetting,
  wanted: number,
): Promise<Settled> {
  const input = goal.input.level ?? 0;
  if (!setting.limited) return { setting, level: input + setting.gainDb };
  const highest = goal.level - input + deepestLimitingDb;
  let current = setting;
  // Secant steps from the unlimited input on, where a decibel of gain is a decibel of level; in the limiter it is less.
  let before = { gainDb: 0, level: input };
  let level = input;
  for (let count = 0; count < mostSettlingPasses; count += 1) {
    level = (await goal.tryOut(current)).level ?? wanted;
    const missing = wanted - level;
    if (Math.abs(missing) <= aimDb) break;
    const moved = current.gainDb - before.gainDb;
    // No limiter makes louder: what came out louder than the gain accounts for was estimated too low at first (the sum of
    // tracks that hold the same), and tells nothing of the limiter.
    const isMisjudged = count === 0 && level > before.level + moved + aimDb;
    const slope =
      isMisjudged || Math.abs(moved) < 0.01 ? 1 : Math.min(1, Math.max(0.15, (level - before.level) / moved));
    before = { gainDb: current.gainDb, level };
    const next = Math.min(highest, current.gainDb + missing / slope);
    if (next === current.gainDb) break;
    level += slope * (next - current.gainDb);
    current = { ...current, gainDb: next };
  }
  return { setting: current, level };
}

/**
 * Brings a signal to a level with one gain and limited true peaks, measured after encoding: finds the gain under the
 * limiter by secant steps, encodes, measures, and where the codec moved level or peaks out of tolerance encodes once
 * more: under a ceiling lowered by what the codec was seen to overshoot, with the gain found anew for that ceiling and
 * for what the codec was seen to take from the level.
 */
export async function reachLoudness<Written extends LevelAndPeak>(
  goal: LoudnessGoal<Written>,
): Promise<{ setting: GainSetting; output: Written }> {
  const unlimited = goal.level - (goal.input.level ?? 0);
  const ceilingDbtp = goal.ceilingDbtp - goal.headroomDb;
  const limited = goal.input.truePeakDbtp + unlimited > ceilingDbtp;
  const first = await settle(goal, { gainDb: unlimited, ceilingDbtp, limited }, goal.level);
  const output = await goal.write(first.setting);
  if (output.level === null) return { setting: first.setting, output };
  const missing = goal.level - output.level;
  const over = output.truePeakDbtp - goal.ceilingDbtp;
  const deepest = first.setting.gainDb >= unlimited + deepestLimitingDb - 0.01;
  if ((Math.abs(missing) <= loudnessToleranceDb || deepest) && over <= 0) return { setting: first.setting, output };
  const wanted = goal.level + first.level - output.level;
  const again = {
    limited: first.setting.limited || over > 0,
    // Without a limiter so far the peaks stood where the gain put them.
    ceilingDbtp: over > 0 ? loweredCeiling(goal, first.setting, over) : first.setting.ceilingDbtp,
    gainDb: first.setting.gainDb + wanted - first.level,
  };
  const { setting } = await settle(goal, again, wanted);
  return { setting, output: await goal.write(setting) };
}

/** The ceiling under which a codec stays that came out `over` the goal's, dBTP. */
function loweredCeiling<Written extends LevelAndPeak>(
  goal: LoudnessGoal<Written>,
  { limited, ceilingDbtp, gainDb }: GainSetting,
  over: number,
): number {
  const given = limited ? ceilingDbtp : Math.min(ceilingDbtp, goal.input.truePeakDbtp + gainDb);
  return given - over - overshootSpreadDb;
}
