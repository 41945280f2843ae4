import { type CurveShape, type GainCurve, smoothUnder, type SteeperSlopes } from './gain-curve.ts';
import { cutIntoLevels, type LevelSegment, speechLoudness } from './level-segments.ts';
import { integratedOfHops } from '../voicing/hop-loudness.ts';
import { visitRuns } from '../series/sliding.ts';
import { heldPauseSeconds, turnGains } from './turn-gains.ts';
import type { Timbre } from '../voicing/timbre.ts';
import type { SpeechActivity } from '../voicing/speech-activity.ts';

/** Greatest compensation for what the slopes at its pauses take from a turn, dB. */
const mostGivenBackDb = 3;
/** Attack 80 dB/s and release 60 dB/s with corners rounded over 80 ms: 12 dB between two speakers take 0.2 s. */
export const levelingShape: CurveShape = { fallDbPerSecond: 80, riseDbPerSecond: 60, roundingSeconds: 0.08 };
/** From this range of gains on the slopes are steeper, so that a soft turn is audible from its first word, dB. */
const gentleRangeDb = 13;
/**
 * Within a turn it is held this long (between turns `heldPauseSeconds`): a short turn would be over before the gain is
 * back.
 */
const heldWithinTurnSeconds = 1.2;
/**
 * Between turns the gain is this far below the lower of both, dB: the limiter reduces speech by up to this and noise
 * not at all, and noise must not become louder relative to the voices.
 */
const restDb = 1.5;
/** Range around a change of speakers without a pause that is searched for quiet moments. */
const changeReachSeconds = 0.3;
/**
 * A turn has its gain from this long before its onset is found to as long after its end: words begin and end softly.
 */
const leadSeconds = 0.04;
/**
 * In short pauses a gain this close to the pause's is left at once: noise beside the loudest voice is to stay below it,
 * and so small a step is not heard, dB.
 */
const closeDb = 3;
/** The slope beside the softer of two turns takes at most this share of a long pause: the rest is for what rings on. */
const softerShare = 0.62;
/** In a pause with room for it the gain moves no faster: a step of 3 dB within 0.2 s is heard in its noise. */
const gentleDbPerSecond = 14;
/** Without a pause the gain changes within this time, at any depth. */
const abruptSeconds = 0.1;

export interface LevelingOptions {
  /**
   * A track of this speaker only: gains stay within 18 dB and are not lowered between turns, because other speakers are
   * attenuated separately (dominance.ts). Default false.
   */
  readonly ownTrack?: boolean;
  /** Energy of the others' voices in each hop of an own track: raised along, as noise is. Default: none known. */
  readonly bleed?: Float32Array | null;
  /** The speaker of each hop (speaker-hops.ts); null, the default, if unknown. */
  readonly speakers?: Uint8Array | null;
  /** Distinguishes voices in addition to `speakers`, as far as possible. Default null. */
  readonly timbre?: Timbre | null;
}

export interface Leveling {
  readonly curve: GainCurve;
  readonly segments: readonly LevelSegment[];
  /** Loudness of all speech before leveling, LUFS; null without speech: the curve is then flat. */
  readonly speechLufs: number | null;
  readonly lowestGainDb: number;
  readonly highestGainDb: number;
}

/**
 * Makes all speech equally loud with a gain that is constant within a level of speech and moves only between levels,
 * without pumping. The stretches of one level are known in advance (level-segments.ts), and so is each one's gain
 * (turn-gains.ts). The gain moves within the pauses, so that a softer turn's first and last words have all of it: noise
 * beside a turn has that turn's gain, and leaves it by 14 dB/s or as fast as 0.62 of the pause needs. Elsewhere between
 * stretches the gain is 1.5 dB below the lower of both, and in pauses over 0.4 s (1.2 s within a stretch) also below
 * that of the loudest speaker, as far as a gentle slope gets: noise must not become louder relative to the voices,
 * whatever the limiter does, nor step. Music gets at most the gain of the loudest speaker, sound without a voice 1.5 dB
 * more. The curve is below all this with bounded slopes (gain-curve.ts), steeper where the gains differ by more than
 * 13 dB or the pause is short; what they take from a turn is compensated.
 */
export function levelSpeech(
  energy: Float32Array,
  activity: Pick<SpeechActivity, 'speech' | 'voiced' | 'music' | 'hopSeconds'>,
  { ownTrack = false, bleed = null, speakers = null, timbre = null }: LevelingOptions = {},
): Leveling {
  const { speech, hopSeconds } = activity;
  const speechLufs = speechLoudness(energy, speech);
  const demand = new Float32Array(energy.length);
  if (speechLufs === null)
    return { curve: { hopSeconds, gainsDb: demand }, segments: [], speechLufs, lowestGainDb: 0, highestGainDb: 0 };
  const segments = cutIntoLevels(energy, speech, speakers, timbre);
  const { gains, reference } = turnGains(energy, activity, segments, { speechLufs, ownTrack, bleed });

  let [lowestGainDb, highestGainDb] = [Number.POSITIVE_INFINITY, Number.NEGATIVE_INFINITY];
  for (const gain of gains) {
    lowestGainDb = Math.min(lowestGainDb, gain);
    highestGainDb = Math.max(highestGainDb, gain);
  }
  const steepness = Math.max(1, (highestGainDb - lowestGainDb) / gentleRangeDb);
  const shape: CurveShape = {
    ...levelingShape,
    fallDbPerSecond: levelingShape.fallDbPerSecond * steepness,
    riseDbPerSecond: levelingShape.riseDbPerSecond * steepness,
  };
  const below = ownTrack ? 0 : restDb;
  const steeper = { rises: new Float32Array(demand.length), falls: new Float32Array(demand.length) };
  const limits = { reference, below, shape, steeper };
  demandGains(demand, energy, activity, segments, gains, limits);
  smoothUnder(demand, hopSeconds, shape, demand, steeper);
  for (const [index, { start, end, lufs }] of segments.entries()) {
    const after = integratedOfHops(energy.subarray(start, end), hopSeconds, demand.subarray(start, end));
    const lost = after === null ? 0 : lufs + (gains[index] as number) - after;
    gains[index] = (gains[index] as number) + Math.min(mostGivenBackDb, Math.max(0, lost));
  }
  demandGains(demand, energy, activity, segments, gains, limits);
  const curve = smoothUnder(demand, hopSeconds, shape, demand, steeper);
  return { curve, segments, speechLufs, lowestGainDb, highestGainDb };
}

interface Limits {
  /** Gain of the loudest speech, dB. */
  readonly reference: number;
  /** How far between turns the gain is below the lower of both, dB. */
  readonly below: number;
  readonly shape: CurveShape;
  /** Receives the slopes that are steeper than the shape's. */
  readonly steeper: SteeperSlopes;
}

/**
 * Writes the wanted gain of every hop into `demand`: for speech its segment's, for pauses and music their limit. The
 * gain changes within the pauses, so that a softer turn's first and last words have all of it.
 */
function demandGains(
  demand: Float32Array,
  energy: Float32Array,
  { speech, music, hopSeconds }: Pick<SpeechActivity, 'speech' | 'music' | 'hopSeconds'>,
  segments: readonly LevelSegment[],
  gains: readonly number[],
  { reference, below, shape, steeper }: Limits,
): void {
  // The wanted gain of every hop with speech, NaN elsewhere.
  demand.fill(Number.NaN);
  steeper.rises.fill(0);
  steeper.falls.fill(0);
  for (const [index, { start, end }] of segments.entries()) {
    for (let hop = start; hop < end; hop += 1) if (speech[hop] === 1) demand[hop] = gains[index] as number;
  }
  // Speakers may follow each other without a pause: quiet hops around the change get the lower gain.
  const around = Math.round(changeReachSeconds / hopSeconds);
  const abrupt = Math.round(abruptSeconds / hopSeconds);
  for (const [index, { start, end, energy: after }] of segments.entries()) {
    const previous = segments[index - 1];
    if (!previous || previous.end !== start) continue;
    const quiet = Math.min(previous.energy, after) * 0.1;
    const [from, to] = [gains[index - 1] as number, gains[index] as number];
    // The quiet beginning and end of the softer turn have its gain.
    const [first, last] = to > from ? [previous.start, start] : [start, end];
    for (let hop = Math.max(first, start - around); hop < Math.min(last, start + around); hop += 1)
      if ((energy[hop] as number) < quiet) demand[hop] = Math.min(from, to);
    const slope = Math.abs(to - from) / abrupt;
    if (to > from) steeper.rises.fill(slope, start, Math.min(end, start + 2 * abrupt));
    else steeper.falls.fill(slope, Math.max(previous.start, start - 2 * abrupt), start);
  }
  // Rounding the curve's corners takes its window from either side.
  const lead = Math.round((leadSeconds + shape.roundingSeconds) / hopSeconds);
  const closeLead = Math.round(leadSeconds / hopSeconds);
  const heldPause = Math.round(heldPauseSeconds / hopSeconds);
  const heldWithinTurn = Math.round(heldWithinTurnSeconds / hopSeconds);
  const turnOf = turnsByHop(segments);
  const silent = new Uint8Array(demand.length);
  for (let hop = 0; hop < silent.length; hop += 1) silent[hop] = Number.isNaN(demand[hop]) ? 1 : 0;
  visitRuns(silent, (start, end) => {
    const before = start > 0 ? (demand[start - 1] as number) : Number.POSITIVE_INFINITY;
    const after = end < demand.length ? (demand[end] as number) : Number.POSITIVE_INFINITY;
    const lower = Math.min(before, after);
    const most = turnOf(start - 1) === turnOf(end) ? heldWithinTurn : heldPause;
    const long = end - start > most || !Number.isFinite(before) || !Number.isFinite(after);
    const gentle = (long ? gentleDbPerSecond : shape.riseDbPerSecond) * hopSeconds;
    const deepest = long ? Math.min(lower, reference) - below : before === after ? lower : lower - below;
    /** How many hops of the pause the slope beside a turn may take, of which the turn's gain is kept for some. */
    const roomBeside = (gain: number, held: number): number => {
      const share =
        before === after || !long || !Number.isFinite(lower) ? 0.5 : gain > lower ? softerShare : 1 - softerShare;
      return Math.max(1, Math.floor(share * (end - start)) - held);
    };
    // A pause that is too short for it is not worth a dip that is heard.
    const resting = Math.max(deepest, Number.isFinite(lower) ? lower - gentle * roomBeside(lower, lead) : deepest);
    /** How many hops of the pause have a turn's gain, and the slope beside them: as gentle as there is room for. */
    const besideTurn = (gain: number): readonly [held: number, slope: number] => {
      if (!Number.isFinite(gain) || gain <= resting) return [0, Number.POSITIVE_INFINITY];
      const isClose = gain - resting <= closeDb && end - start <= heldWithinTurn;
      const held = Math.min(end - start, isClose ? closeLead : lead);
      return [held, Math.max(isClose ? gain - resting : gentle, (gain - resting) / roomBeside(gain, held))];
    };
    const [heldAfter, fall] = besideTurn(before);
    const [heldBefore, rise] = besideTurn(after);
    if (Number.isFinite(fall)) steeper.falls.fill(fall, start, end);
    if (Number.isFinite(rise)) steeper.rises.fill(rise, start, end);
    for (let hop = start; hop < end; hop += 1) {
      const [since, until] = [hop - start - heldAfter, end - 1 - hop - heldBefore];
      const falling = since <= 0 ? before : before - fall * since;
      const rising = until <= 0 ? after : after - rise * until;
      // Where a short pause belongs to both turns, the louder one's gain counts.
      const [nearer, other] = [heldAfter > 0 ? falling : resting, heldBefore > 0 ? rising : resting];
      const gain = nearer > resting && other > resting ? Math.min(nearer, other) : Math.max(nearer, other, resting);
      demand[hop] = Math.min(gain, music[hop] === 1 ? reference : Number.POSITIVE_INFINITY);
    }
  });
}

/** The segment of a hop, for ascending hops; -1 for none. */
function turnsByHop(segments: readonly LevelSegment[]): (hop: number) => number {
  let index = 0;
  return (hop) => {
    while (index < segments.length && hop >= (segments[index] as LevelSegment).end) index += 1;
    return index < segments.length && hop >= (segments[index] as LevelSegment).start ? index : -1;
  };
}
