/** One gain, then (if limited) a true-peak limiter. */
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
  /** Initial headroom below the ceiling for the encoder's overshoot, dB. */
  readonly headroomDb: number;
  /** By how much the encoder changes the level of all sound, as far as that is known before. Default 0. */
  readonly encoderDb?: number;
  /** Measures the signal with a setting, before encoding. */
  tryOut(setting: GainSetting): Promise<LevelAndPeak>;
  /** Level of a part of the signal with a setting, which takes next to no time. Default: there is none. */
  sampled?: ((setting: GainSetting) => Promise<number | null>) | undefined;
  /** Encodes with a setting and measures the result. */
  write(setting: GainSetting): Promise<Written>;
}

/** Tolerance of the output's level, measured after encoding. */
export const loudnessToleranceDb = 0.1;
/** Tolerance before encoding, smaller, to leave some for the encoder. */
const aimDb = 0.03;
/** More limiting is audible as distortion; the loudness then stays below the target. */
export const deepestLimitingDb = 15;
/** Lossy codecs overshoot peaks by a few tenths of a dB at usual rates. */
export const lossyHeadroomDb = 0.4;
/** The limiter ends at its ceiling to some 0.0005 dB: aimed at the goal's, every file would be over. */
const roundingDb = 0.005;
const mostSettlingPasses = 5;
/** The third only where the second one's peaks were still over the ceiling. */
const mostEncodes = 3;
/** A codec's overshoot varies a little with the ceiling: extra headroom for the second encode, dB. */
const overshootSpreadDb = 0.25;

interface Settled {
  readonly setting: GainSetting;
  /** Level of the signal with it, before encoding. */
  readonly level: number;
}

/** A level that the signal is known to have with a gain. */
interface Known {
  readonly gainDb: number;
  readonly level: number;
}

/** By how much a decibel of gain raises the level in the limiter, at least. */
const leastSlope = 0.15;
/** Steps over a sample, and how near they come, dB. */
const mostSampleSteps = 6;
const sampleAimDb = 0.02;
/** So near the wanted level the sample, which is not the whole, does not help, dB. */
const nearDb = 0.3;

/** Where a rising function is zero, by secant steps. */
async function zeroOf(
  valueAt: (gainDb: number) => Promise<number>,
  start: { readonly gainDb: number; readonly slope: number },
  highest: number,
): Promise<number> {
  let { gainDb, slope } = start;
  let value = await valueAt(gainDb);
  for (let step = 0; step < mostSampleSteps && Math.abs(value) > sampleAimDb; step += 1) {
    const next = Math.min(highest, gainDb - value / slope);
    const moved = next - gainDb;
    // So near, rounding counts more than the change.
    if (Math.abs(moved) < sampleAimDb) break;
    const before = value;
    gainDb = next;
    value = await valueAt(gainDb);
    slope = Math.min(1, Math.max(leastSlope, (value - before) / moved));
  }
  return gainDb;
}

/** The limiter takes from the signal with a gain what it takes from its sample with another one. */
interface Sample {
  /** The signal's gain for a result that is louder by so much. @param apartDb see `apartAt` */
  gainFor(risenDb: number, highest: number, apartDb: number): Promise<number>;
  /** By how much more gain the sample loses what the signal was measured to lose, dB. */
  apartAt(setting: GainSetting, level: number): Promise<number>;
}

/** What a limiter takes from a part of the signal: an estimate, instead of a pass over the whole. */
async function sampleOf<Written extends LevelAndPeak>(
  { sampled, input }: LoudnessGoal<Written>,
  setting: GainSetting,
): Promise<Sample | null> {
  const unlimited = (await sampled?.({ ...setting, gainDb: 0, limited: false })) ?? null;
  if (!sampled || unlimited === null) return null;
  const lossAt = async (gainDb: number): Promise<number> => {
    const level = await sampled({ ...setting, gainDb });
    return level === null ? 0 : unlimited + gainDb - level;
  };
  return {
    async gainFor(risenDb, highest, apartDb) {
      const missing = async (gainDb: number): Promise<number> => gainDb - (await lossAt(gainDb + apartDb)) - risenDb;
      return zeroOf(missing, { gainDb: Math.min(highest, setting.gainDb), slope: 1 }, highest);
    },
    async apartAt({ gainDb }, level) {
      const loss = (input.level ?? level) + gainDb - level;
      const over = async (tried: number): Promise<number> => (await lossAt(tried)) - loss;
      return (await zeroOf(over, { gainDb, slope: 0.5 }, gainDb + deepestLimitingDb)) - gainDb;
    },
  };
}

/**
 * Finds the gain for the wanted level of the limited signal: limiting lowers loudness, which more gain compensates.
 * @param known the signal's level without a gain, or with an earlier one
 */
async function settle<Written extends LevelAndPeak>(
  goal: LoudnessGoal<Written>,
  setting: GainSetting,
  wanted: number,
  known: Known,
): Promise<Settled> {
  const input = goal.input.level ?? 0;
  if (!setting.limited) return { setting, level: known.level + setting.gainDb - known.gainDb };
  const highest = goal.level - input + deepestLimitingDb;
  const sample = await sampleOf(goal, setting);
  const guess = sample && (await sample.gainFor(wanted - input, highest, 0));
  let current = guess === null ? setting : { ...setting, gainDb: guess };
  // Secant steps from the known level: without a limiter a decibel of gain is a decibel of level; in it, it is less.
  let before = known;
  let { level } = known;
  for (let count = 0; count < mostSettlingPasses; count += 1) {
    level = (await goal.tryOut(current)).level ?? wanted;
    const missing = wanted - level;
    if (Math.abs(missing) <= aimDb) break;
    const moved = current.gainDb - before.gainDb;
    // A limiter never makes louder: a result louder than the gain explains means that the first estimate was too low
    // (the sum of identical tracks), and says nothing about the limiter.
    const isMisjudged = count === 0 && level > before.level + moved + aimDb;
    let rise = isMisjudged || Math.abs(moved) < 0.01 ? 1 : (level - before.level) / moved;
    if (count === 0 && sample !== null && !isMisjudged && Math.abs(missing) > nearDb) {
      const apart = await sample.apartAt(current, level);
      rise = missing / ((await sample.gainFor(wanted - input, highest, apart)) - current.gainDb);
    }
    // Whatever a sample says that is not like the whole.
    const slope = Math.min(1, Math.max(leastSlope, rise));
    before = { gainDb: current.gainDb, level };
    const next = Math.min(highest, current.gainDb + missing / slope);
    if (next === current.gainDb) break;
    level += slope * (next - current.gainDb);
    current = { ...current, gainDb: next };
  }
  return { setting: current, level };
}

/**
 * Brings a signal to a level with one gain and limited true peaks, measured after encoding. Finds the gain with limiter
 * by secant steps, encodes and measures. If the codec moved level or peaks out of tolerance, encodes again with a
 * ceiling lowered by the codec's overshoot, and with the gain recomputed for that ceiling and the codec's loss of
 * level.
 */
export async function reachLoudness<Written extends LevelAndPeak>(
  goal: LoudnessGoal<Written>,
): Promise<{ setting: GainSetting; output: Written }> {
  const { encoderDb = 0 } = goal;
  const unlimited = goal.level - (goal.input.level ?? 0);
  // Before the encoder, level and peaks are higher by what it takes away.
  const first = unlimited - encoderDb;
  const ceilingDbtp = goal.ceilingDbtp - Math.max(goal.headroomDb, roundingDb) - encoderDb;
  const limited = goal.input.truePeakDbtp + first > ceilingDbtp;
  const input = { gainDb: 0, level: goal.input.level ?? 0 };
  let tried = await settle(goal, { gainDb: first, ceilingDbtp, limited }, goal.level - encoderDb, input);
  for (let encodes = 1; ; encodes += 1) {
    const { setting, level } = tried;
    const output = await goal.write(setting);
    if (output.level === null || encodes === mostEncodes) return { setting, output };
    const over = output.truePeakDbtp - goal.ceilingDbtp;
    const missing = Math.abs(goal.level - output.level);
    const deepest = setting.gainDb >= unlimited + deepestLimitingDb - 0.01;
    // A second encode has taken away what a codec does to the level: what is left then is not worth a third one.
    if (over <= 0 && (missing <= loudnessToleranceDb || deepest || encodes > 1)) return { setting, output };
    // Quiet sound may be below the meter's gate before the gain and above it after: its level is not the input's plus
    // the gain.
    const before = setting.limited ? level : ((await goal.tryOut(setting)).level ?? level);
    const wanted = goal.level + before - output.level;
    const gainDb = setting.gainDb + wanted - before;
    // Without a limiter so far the gain alone determined the peaks.
    const ceiling = over > 0 ? loweredCeiling(goal, setting, over) : setting.ceilingDbtp;
    const isOver = goal.input.truePeakDbtp + gainDb > ceiling;
    tried = await settle(
      goal,
      { limited: setting.limited || over > 0 || isOver, ceilingDbtp: ceiling, gainDb },
      wanted,
      setting.limited ? input : { gainDb: setting.gainDb, level: before },
    );
  }
}

/** The ceiling that corrects a codec's overshoot of `over` above the goal's, dBTP. */
function loweredCeiling<Written extends LevelAndPeak>(
  goal: LoudnessGoal<Written>,
  { limited, ceilingDbtp, gainDb }: GainSetting,
  over: number,
): number {
  const given = limited ? ceilingDbtp : Math.min(ceilingDbtp, goal.input.truePeakDbtp + gainDb);
  return given - over - overshootSpreadDb;
}
