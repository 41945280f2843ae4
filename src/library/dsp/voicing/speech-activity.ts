import { runningMean, slidingMean, slidingMin, tidy, visitRuns } from '../series/sliding.ts';
import { loudnessOf, type SpeechLevels } from './speech-levels.ts';

/** Speech in a recording, hop by hop. */
export interface SpeechActivity {
  readonly hopSeconds: number;
  /** 1 where someone speaks. */
  readonly speech: Uint8Array;
  /** 1 where the spectrum has a voice's harmonics; consonants and noise have none. */
  readonly voiced: Uint8Array;
  /** 1 where music plays alone; never together with speech. */
  readonly music: Uint8Array;
}

/** Lower limit of levels, LUFS: the absolute gate of BS.1770. */
const quietestFloorLufs = -70;
/** Speech pauses within this many seconds to either side, which gives the noise floor. */
const floorReachSeconds = 4;
/** Speech starts this far above the floor and extends while it is above the lower threshold, dB. */
const onsetDb = 9;
const edgeDb = 5;
/**
 * Speech further below the recording's loud speech is not meant to be heard (whispers off the microphone, leakage), dB.
 */
const faintestDb = 30;
/**
 * Where nothing louder than `softBelowDb` above that is heard for `softTurnSeconds`, there is an intended soft turn:
 * its speech may be `softTurnDb` further below. Its words may total only `softWordsSeconds`, and its pauses may be as
 * long as `softGapSeconds`.
 */
const softTurnDb = 28;
const softBelowDb = 15;
const softTurnSeconds = 0.8;
const softWordsSeconds = 0.4;
const softGapSeconds = 1.2;
/** There the floor is searched down to this, and speech down to 10 dB above it, LUFS. */
const softFloorLufs = -82;
/** Sound whose 60 ms levels vary less than this within a second is a hum, a fan, a drone. Standard deviation, dB. */
const steadyNoiseDb = 2.2;
/** Share of power in steady tones from which sound is music, averaged over two seconds; speech has 0 to 0.2. */
const musicShare = 0.35;
const musicEdgeShare = 0.25;

/** Spectral ripple from which a hop is voiced, dB: noise is below it 99 times in 100. */
export const voicedRippleDb = 4.2;
/** Least voiced share of real speech (measured: 0.22 to 0.5; noise at most 0.09). */
export const leastVoicedShare = 0.12;

const hops = (seconds: number, hopSeconds: number): number => Math.max(1, Math.round(seconds / hopSeconds));

/** The value below which `share` of the values are, by a histogram in tenths of a decibel from -100 to 30. */
function percentileDb(
  levels: Float32Array,
  share: number,
  counts: (index: number) => boolean = () => true,
): number | null {
  const histogram = new Uint32Array(1301);
  let total = 0;
  for (let index = 0; index < levels.length; index += 1) {
    if (!counts(index)) continue;
    const level = levels[index] as number;
    histogram[Math.min(1300, Math.max(0, Math.round((level + 100) * 10)))]! += 1;
    total += 1;
  }
  if (total === 0) return null;
  let below = 0;
  for (const [tenths, count] of histogram.entries()) {
    below += count;
    if (below >= share * total) return tenths / 10 - 100;
  }
  return null;
}

/** Music alone: mostly steady tones for at least a second and a half. */
function findMusic(levels: SpeechLevels, active: Uint8Array): Uint8Array {
  const { steady, toneHopSeconds, hopSeconds } = levels;
  const music = new Uint8Array(active.length);
  if (steady.length === 0) return music;
  // Averaged over sound only: pauses of a voice and the silence around a jingle say nothing.
  const counted = (index: number): number =>
    active[Math.min(active.length - 1, Math.round(((index + 0.5) * toneHopSeconds) / hopSeconds))] === 0
      ? Math.fround(0.05)
      : 1;
  const reach = hops(1, toneHopSeconds);
  const weight = runningMean(steady.length, reach, counted);
  const mean = runningMean(steady.length, reach, (index) => Math.fround((steady[index] as number) * counted(index)));
  let on = false;
  let at = -1;
  let share = 0;
  for (let hop = 0; hop < music.length; hop += 1) {
    const index = Math.min(steady.length - 1, Math.floor((hop * hopSeconds) / toneHopSeconds));
    for (; at < index; at += 1) share = mean() / weight();
    on = share > (on ? musicEdgeShare : musicShare);
    music[hop] = on ? 1 : 0;
  }
  tidy(music, hops(1, hopSeconds), hops(1.5, hopSeconds));
  return music;
}

function findVoiced({ ripple, toneHopSeconds, hopSeconds, energy }: SpeechLevels): Uint8Array {
  return Uint8Array.from({ length: energy.length }, (_, hop) =>
    (ripple[Math.floor((hop * hopSeconds) / toneHopSeconds)] ?? 0) > voicedRippleDb ? 1 : 0,
  );
}

/** Share of the speech between two hops that is voiced. */
export function voicedShare(
  { speech, voiced }: Pick<SpeechActivity, 'speech' | 'voiced'>,
  start: number,
  end: number,
): number {
  let [count, sum] = [0, 0];
  for (let hop = start; hop < end; hop += 1) {
    if (speech[hop] !== 1) continue;
    count += 1;
    sum += voiced[hop] as number;
  }
  return count === 0 ? 0 : sum / count;
}

/** Removes steady sound: where the levels of active hops within `reach` to either side vary little. */
function dropSteady(level: Float32Array, speech: Uint8Array, reach: number): void {
  const active = speech.slice();
  const levelAt = (index: number): number => (active[index] === 1 ? (level[index] as number) : 0);
  const count = runningMean(level.length, reach, (index) => active[index] as number);
  const mean = runningMean(level.length, reach, levelAt);
  const square = runningMean(level.length, reach, (index) => Math.fround(levelAt(index) * levelAt(index)));
  for (let hop = 0; hop < speech.length; hop += 1) {
    const [n, sum, squares] = [count(), mean(), square()];
    const spread = n === 0 ? 0 : Math.fround(Math.sqrt(Math.max(0, squares / n - (sum / n) ** 2)));
    if (spread < steadyNoiseDb) speech[hop] = 0;
  }
}

/**
 * Of faint sound, keeps only continuous sound with a voice: the turn of a distant speaker, not the room after a word.
 */
function dropFaint(
  level: Float32Array,
  activity: Pick<SpeechActivity, 'speech' | 'voiced'>,
  lowest: number,
  softTurns: boolean,
  hopSeconds: number,
): void {
  const { speech } = activity;
  /** 1 in soft turns. */
  const soft = new Uint8Array(softTurns ? speech.length : 0);
  const isSoft = (hop: number): boolean => speech[hop] === 1 && (level[hop] as number) < lowest + softBelowDb;
  for (let hop = 0; hop < soft.length; hop += 1) soft[hop] = isSoft(hop) ? 1 : 0;
  const said = soft.slice();
  tidy(soft, hops(softGapSeconds, hopSeconds), 1);
  // Loud speech ends a stretch: its own soft sounds are short.
  for (let hop = 0; hop < soft.length; hop += 1) if (speech[hop] === 1 && !isSoft(hop)) soft[hop] = 0;
  visitRuns(soft, (start, end) => {
    const words = said.subarray(start, end).reduce((sum, on) => sum + on, 0);
    const long = end - start >= hops(softTurnSeconds, hopSeconds) && words >= hops(softWordsSeconds, hopSeconds);
    if (!long || voicedShare(activity, start, end) < leastVoicedShare) soft.fill(0, start, end);
  });
  for (let hop = 0; hop < speech.length; hop += 1)
    if ((level[hop] as number) < lowest - (soft[hop] === 1 ? softTurnDb : 0)) speech[hop] = 0;
}

export interface FindSpeechOptions {
  /**
   * Does a stretch of at least a second count as speech if it is 30 to 45 dB below the loud speech? On separate tracks
   * that would be leakage. Default false.
   */
  readonly softTurns?: boolean;
}

/**
 * Finds speech by its energy, without a model: K-weighted level above a noise floor that follows the recording (least
 * level, over 100 ms, within 4 s to either side: Martin's minimum statistics with the future known), onset 9 dB and
 * edge 5 dB above it. Steady sound and music alone are recognised by the variation of their levels and by their steady
 * tones. Gaps under 0.2 s are closed, bursts under 0.12 s (clicks) dropped. Percussion without tones counts as speech.
 */
export function findSpeech(levels: SpeechLevels, { softTurns = false }: FindSpeechOptions = {}): SpeechActivity {
  const { energy, hopSeconds } = levels;
  // Ten hours are 1.8 million hops: intermediate results are computed in place, or hop by hop.
  const inDb = (powers: Float32Array): Float32Array => {
    // A running sum may fall slightly below zero.
    for (let hop = 0; hop < powers.length; hop += 1)
      powers[hop] = Math.max(-100, loudnessOf(Math.max(1e-12, powers[hop] as number)));
    return powers;
  };
  const quietest = softTurns ? softFloorLufs : quietestFloorLufs;
  const level = inDb(slidingMean(energy, 1));
  const smooth = inDb(slidingMean(energy, 2));
  const floor = slidingMin(smooth, hops(floorReachSeconds, hopSeconds), smooth);
  for (let hop = 0; hop < floor.length; hop += 1) floor[hop] = Math.max(quietest, floor[hop] as number);

  const speech = new Uint8Array(level.length);
  const mark = (lowest: number): void => {
    // Forward and back: an edge extends from the onset to both sides.
    for (const [from, step] of [
      [0, 1],
      [level.length - 1, -1],
    ] as const) {
      let on = false;
      for (let hop = from; hop >= 0 && hop < level.length; hop += step) {
        const above = (level[hop] as number) - (floor[hop] as number);
        on = (level[hop] as number) > lowest && above > (on ? edgeDb : onsetDb);
        if (on) speech[hop] = 1;
      }
    }
  };
  mark(quietest + 10);
  dropSteady(level, speech, hops(0.5, hopSeconds));

  const sounding = new Uint8Array(level.length);
  for (let hop = 0; hop < sounding.length; hop += 1)
    sounding[hop] = (level[hop] as number) > Math.max(-60, (floor[hop] as number) - 1) ? 1 : 0;
  const music = findMusic(levels, sounding);
  for (let hop = 0; hop < speech.length; hop += 1) if (music[hop] === 1) speech[hop] = 0;
  const loud = percentileDb(level, 0.9, (hop) => speech[hop] === 1);
  const voiced = findVoiced(levels);
  if (loud !== null) dropFaint(level, { speech, voiced }, loud - faintestDb, softTurns, hopSeconds);
  tidy(speech, hops(0.2, hopSeconds), hops(0.12, hopSeconds));
  for (let hop = 0; hop < speech.length; hop += 1) if (speech[hop] === 1) music[hop] = 0;
  return { hopSeconds, speech, voiced, music };
}
