import { addDips, deeperThan, type Dips } from './reductions.ts';

/** One gain, then (if limited) a true-peak limiter, then what an encoder with losses needs where it overshoots. */
export interface GainSetting {
  readonly gainDb: number;
  readonly ceilingDbtp: number;
  readonly limited: boolean;
  /** By file, where an encoder with losses raised peaks over the ceiling: it gets them softer. Default: as they are. */
  readonly dips?: readonly Dips[];
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
  /** Encodes with a setting and measures the result. @param encodes which one it is, from 1: all files are kept */
  write(setting: GainSetting, encodes: number): Promise<Written>;
  /**
   * As `write`, where only what gets softer has changed since an encode: the rest stays as it was encoded then. null:
   * the codec cannot. Default: none can.
   */
  rewrite?:
    | ((setting: GainSetting, encodes: number, since: SinceEncode<Written>) => Promise<Written | null>)
    | undefined;
  /** What a limiter with this ceiling would take from each of the files just written. */
  reductions(written: Written, ceilingDbtp: number): Promise<readonly Dips[]>;
}

/** An encode, and what of each of its files gets softer. */
export interface SinceEncode<Written> {
  readonly written: Written;
  readonly softer: readonly Dips[];
}

/** Tolerance of the output's level, measured after encoding. */
export const loudnessToleranceDb = 0.1;
/** Tolerance before encoding, smaller, to leave some for the encoder. */
const aimDb = 0.03;
/** Encoded again, passages that stay as they are overshoot as they did: a gain that is near enough stays, too. */
const aimAgainDb = 0.04;
/** A limiter that takes more from the level is audible as distortion; the loudness then stays below the target. */
const deepestLimitingDb = 15;
/**
 * From here on limiting is said: of 16 recordings of speech and music at -16 and -14 LUFS only one, with a click, has
 * peaks that far over the ceiling, dB.
 */
export const deepLimitingDb = 14;
/** Lossy codecs overshoot peaks by up to 0.8 dB at usual rates: with half of it every third file is encoded again. */
export const lossyHeadroomDb = 0.8;
/** Where the limiter takes all it may, and where sound is not limited, the level counts more. */
export const leastHeadroomDb = 0.4;
/** The limiter ends at its ceiling to some 0.0005 dB: aimed at the goal's, every file would be over. */
const roundingDb = 0.005;
const mostSettlingPasses = 5;
/** The third only where the second one's peaks were still over the ceiling. */
const mostEncodes = 3;
/**
 * Then the whole gets softer by what is left over the ceiling, and a little: an encoder overshoots otherwise each time,
 * so no more than this at once, and so often at most, dB.
 */
const trimDb = { besides: 0.1, most: 0.5 };
const mostTrims = 3;
/** Encoded again, a passage overshoots a little otherwise: extra headroom for the second encode, dB. */
const overshootSpreadDb = 0.5;

interface Settled {
  readonly setting: GainSetting;
  /** Level of the signal before encoding: as it should be, and as it is with the setting. */
  readonly wanted: number;
  readonly level: number;
  /** The limiter takes all it may, and the level is below the wanted one. */
  readonly isLoudest?: boolean;
}

export interface Reached<Written extends LevelAndPeak> {
  readonly setting: GainSetting;
  readonly output: Written;
  /** How far the input's peaks are raised over the limiter's ceiling, dB; 0 where they are not, or are not known. */
  readonly deepDb?: number;
  /** Only where an encoder with losses fell short: the level of a file without losses. */
  readonly losslessLevel?: number | null;
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

/** So near the deepest limiting is near enough, dB: who asks for more gets the very same gain anyway. */
const deepestWithinDb = 0.25;

/**
 * The gain with which the limiter takes all it may. It hangs on the signal and the limiter alone: all who ask for more
 * than can be reached get the same sound, whatever they ask for.
 */
async function loudest<Written extends LevelAndPeak>(
  { tryOut, input }: LoudnessGoal<Written>,
  setting: GainSetting,
): Promise<{ readonly setting: GainSetting; readonly level: number }> {
  const unlimited = input.level ?? 0;
  let before = { gainDb: setting.ceilingDbtp - input.truePeakDbtp, loss: 0 };
  let gainDb = before.gainDb + 2 * deepestLimitingDb;
  // Until one is tried that is louder: no sound loses more than the highest peak does.
  const safe = before.gainDb + deepestLimitingDb;
  let found = { setting: { ...setting, gainDb: safe }, level: unlimited + safe - deepestLimitingDb };
  for (let count = 0; count < mostSettlingPasses; count += 1) {
    const current = { ...setting, gainDb };
    const level = (await tryOut(current)).level ?? unlimited + gainDb;
    const loss = unlimited + gainDb - level;
    // Past the loudest a decibel of gain costs more than a decibel.
    if (loss <= deepestLimitingDb + deepestWithinDb && level > found.level) found = { setting: current, level };
    if (Math.abs(loss - deepestLimitingDb) <= deepestWithinDb) break;
    const slope = Math.max(leastSlope, (loss - before.loss) / (gainDb - before.gainDb));
    before = { gainDb, loss };
    gainDb += (deepestLimitingDb - loss) / slope;
  }
  return found;
}

/**
 * Finds the gain for the wanted level of the limited signal: limiting lowers loudness, which more gain compensates.
 * Where the limiter would have to take more than it may, the gain is the one for the loudest.
 * @param known the signal's level without a gain, or with an earlier one
 */
async function settle<Written extends LevelAndPeak>(
  goal: LoudnessGoal<Written>,
  setting: GainSetting,
  wanted: number,
  known: Known,
): Promise<Settled> {
  const input = goal.input.level ?? 0;
  if (!setting.limited) return { setting, wanted, level: known.level + setting.gainDb - known.gainDb };
  const highest = goal.level - input + deepestLimitingDb;
  const isFirst = known.gainDb === 0;
  const sample = isFirst ? await sampleOf(goal, setting) : null;
  const guess = sample && (await sample.gainFor(wanted - input, highest, 0));
  let current = { ...setting, gainDb: guess ?? Math.min(highest, setting.gainDb) };
  // Secant steps from the known level: without a limiter a decibel of gain is a decibel of level; in it, it is less.
  let before = known;
  let nearest: Settled | null = null;
  let edge: Awaited<ReturnType<typeof loudest>> | null = null;
  for (let count = 0; count < mostSettlingPasses; count += 1) {
    const level = (await goal.tryOut(current)).level ?? wanted;
    const missing = wanted - level;
    if (!nearest || Math.abs(missing) < Math.abs(wanted - nearest.level)) nearest = { setting: current, wanted, level };
    if (Math.abs(missing) <= (isFirst ? aimDb : aimAgainDb)) break;
    const moved = current.gainDb - before.gainDb;
    // A limiter never makes louder: a result louder than the gain explains means that the first estimate was too low
    // (the sum of identical tracks), and says nothing about the limiter.
    const isMisjudged = count === 0 && level > before.level + moved + aimDb;
    let rise = isMisjudged || Math.abs(moved) < 0.01 ? 1 : (level - before.level) / moved;
    // What the limiter would take beyond what it takes already; more gain only makes that worse than the last steps
    // say.
    const costs = missing * (1 / Math.min(1, Math.max(leastSlope, rise)) - 1);
    if (missing > 0 && edge === null && costs > deepestLimitingDb - (input + current.gainDb - level)) {
      edge = await loudest(goal, setting);
      if (edge.level <= wanted) return { ...edge, wanted, isLoudest: true };
      // Reached between here and there.
      rise = (edge.level - level) / (edge.setting.gainDb - current.gainDb);
    } else if (count === 0 && sample !== null && !isMisjudged && Math.abs(missing) > nearDb) {
      const apart = await sample.apartAt(current, level);
      rise = missing / ((await sample.gainFor(wanted - input, highest, apart)) - current.gainDb);
    }
    // Whatever a sample says that is not like the whole.
    const slope = Math.min(1, Math.max(leastSlope, rise));
    before = { gainDb: current.gainDb, level };
    const next = Math.min(highest, current.gainDb + missing / slope);
    if (next === current.gainDb) break;
    current = { ...current, gainDb: next };
  }
  return nearest ?? { setting: current, wanted, level: known.level };
}

/**
 * Brings a signal to a level with one gain and limited true peaks, measured after encoding. Finds the gain with limiter
 * by secant steps, encodes and measures. If the codec moved level or peaks out of tolerance, encodes again: the
 * passages whose peaks it raised over the ceiling are given to it softer, all others as before, and the gain is
 * corrected for what the codec and that take from the level. Returns the encode that comes nearest.
 */
export async function reachLoudness<Written extends LevelAndPeak>(
  goal: LoudnessGoal<Written>,
): Promise<Reached<Written>> {
  const reached = await nearestEncode(goal);
  const { setting, output } = reached;
  const deepDb = goal.input.truePeakDbtp + setting.gainDb - setting.ceilingDbtp;
  const said = { ...reached, deepDb: setting.limited && Number.isFinite(deepDb) ? Math.max(0, deepDb) : 0 };
  const isShort = output.level !== null && output.level < goal.level - loudnessToleranceDb;
  if (!isShort || goal.headroomDb === 0) return said;
  const lossless = { ...setting, dips: [], ceilingDbtp: goal.ceilingDbtp - roundingDb };
  return { ...said, losslessLevel: (await goal.tryOut(lossless)).level };
}

async function nearestEncode<Written extends LevelAndPeak>(goal: LoudnessGoal<Written>): Promise<Reached<Written>> {
  const { encoderDb = 0 } = goal;
  // Before the encoder, level and peaks are higher by what it takes away.
  const first = goal.level - (goal.input.level ?? 0) - encoderDb;
  const input = { gainDb: 0, level: goal.input.level ?? 0 };
  const settleWith = (headroomDb: number): Promise<Settled> => {
    const ceilingDbtp = goal.ceilingDbtp - Math.max(headroomDb, roundingDb) - encoderDb;
    const limited = goal.input.truePeakDbtp + first > ceilingDbtp;
    return settle(goal, { gainDb: first, ceilingDbtp, limited }, goal.level - encoderDb, input);
  };
  let tried = await settleWith(goal.headroomDb);
  if (tried.wanted - tried.level > loudnessToleranceDb && goal.headroomDb > leastHeadroomDb)
    tried = await settleWith(leastHeadroomDb);
  let best: { readonly setting: GainSetting; readonly output: Written; readonly off: number; over: number } | null =
    null;
  let rewritten: Written | null = null;
  for (let encodes = 1; ; encodes += 1) {
    const { setting, level } = tried;
    const output: Written = rewritten ?? (await goal.write(setting, encodes));
    rewritten = null;
    if (output.level === null) return { setting, output };
    const over = output.truePeakDbtp - goal.ceilingDbtp;
    // What no gain reaches before the encoder is not what the encoder takes away.
    const short = tried.wanted - level;
    const missing = Math.abs(goal.level - output.level - (short > loudnessToleranceDb ? short : 0));
    const off = Math.max(0, over) + Math.max(0, missing - loudnessToleranceDb);
    // The ceiling is a promise; a level that is off is said.
    const isBetter = best === null || (over <= 0 && best.over > 0) || (off < best.off && (over <= 0 || best.over > 0));
    if (best === null || isBetter) best = { setting, output, off, over };
    // A second encode has taken away what a codec does to the level: what is left then is not worth a third one.
    const isDone = over <= 0 && (missing <= loudnessToleranceDb || encodes > 1 || tried.isLoudest);
    if (isDone || (encodes >= mostEncodes && over <= 0) || encodes === mostEncodes + mostTrims) return best;
    // Of the loudest there is, passages get softer for longer: all of it would else, for all who ask for more.
    if (encodes >= mostEncodes + (tried.isLoudest ? mostTrims - 1 : 0)) {
      const lower = Math.min(trimDb.most, over + trimDb.besides);
      const softer = { ...setting, gainDb: setting.gainDb - lower, ceilingDbtp: setting.ceilingDbtp - lower };
      tried = { ...tried, setting: softer, level: level - lower };
      continue;
    }
    const spreadDb = overshootSpreadDb * Math.max(1, encodes + 1 - mostEncodes);
    const softer = over > 0 ? await goal.reductions(output, goal.ceilingDbtp - spreadDb) : null;
    const withSofter = (found: readonly Dips[]): readonly Dips[] =>
      found.map((own, file) => (setting.dips?.[file] ? addDips(setting.dips[file], own) : own));
    if (softer && (missing <= loudnessToleranceDb || tried.isLoudest)) {
      // What stays under the ceiling stays as it was encoded.
      const raised = softer.map((own) => deeperThan(own, 0.9 * spreadDb));
      const same = { ...setting, dips: withSofter(raised) };
      rewritten = (await goal.rewrite?.(same, encodes + 1, { written: output, softer: raised })) ?? null;
      if (rewritten) tried = { ...tried, setting: same };
      if (rewritten) continue;
    }
    const dips = softer ? withSofter(softer) : setting.dips;
    // Quiet sound may be below the meter's gate before the gain and above it after: its level is not the input's plus
    // the gain.
    const before = setting.limited ? level : ((await goal.tryOut(setting)).level ?? level);
    const wanted = goal.level + before - output.level;
    const gainDb = setting.gainDb + (missing > loudnessToleranceDb ? wanted - before : 0);
    const isLimited = setting.limited || over > 0 || goal.input.truePeakDbtp + gainDb > setting.ceilingDbtp;
    const next = {
      ...setting,
      limited: isLimited,
      ceilingDbtp: setting.ceilingDbtp - (over > 0 ? overshootSpreadDb / 2 : 0),
      gainDb,
      ...(dips ? { dips } : {}),
    };
    if (tried.isLoudest) tried = { ...tried, setting: { ...next, gainDb: setting.gainDb } };
    else tried = await settle(goal, next, wanted, { gainDb: setting.gainDb, level: before });
  }
}
