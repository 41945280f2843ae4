import type { TimeRange } from '../../core/time-range.ts';
import { type LevelHistogram, levelHistogram } from '../series/level-histogram.ts';
import { smoothInPlace } from '../series/sliding.ts';

export interface PauseFinding {
  /** Stretches without speech or other sound, ascending. */
  readonly pauses: readonly TimeRange[];
  /** Measured levels of background and foreground, dBFS. */
  readonly noiseDbfs: number;
  readonly speechDbfs: number;
  /** Sound begins where the level exceeds this, dBFS. */
  readonly onsetDbfs: number;
  /** and extends to both sides as far as the level exceeds this. */
  readonly edgeDbfs: number;
  /** false: sound and background are too alike to tell pauses. */
  readonly isContrasted: boolean;
}

/** Levels are averaged over this to either side: longer than a pitch period, short enough to place an edge. */
const smoothingSeconds = 0.01;
/** With less contrast between background and foreground, pauses cannot be found by level. */
export const smallestContrastDb = 9;
/** Background in edited recordings may be digital silence between takes; it is limited to this far below the speech. */
const deepestBackgroundDb = 65;
/** The share of a recording whose level is the foreground's. */
const loudShare = 0.1;
/** Rarer or shorter sound is a click or a knock in a recording of a room. */
const rarestShare = 0.003;
const rarestSeconds = 0.3;
/** A room is even: in music that is mostly soft, levels are spread more. */
const roomDb = 5;
const leastRoomShare = 0.7;
/** Shorter dips inside a sound belong to it: the closure of a plosive. */
const closureSeconds = 0.06;
/** Weak sound this close to speech is its start or end: a fricative, a released consonant, a trailing vowel. */
const attachSeconds = 0.15;
/** Shorter weak sound is noise. */
const weakestSeconds = 0.02;

/** Smoothed levels in dB, in place of the mean squares. */
function toSmoothedDb(meanSquare: Float32Array, hopSeconds: number): Float32Array {
  const levels = smoothInPlace(meanSquare, Math.max(1, Math.round(smoothingSeconds / hopSeconds)));
  for (let index = 0; index < levels.length; index += 1)
    levels[index] = 10 * Math.log10((levels[index] as number) + 1e-15);
  return levels;
}

interface Contrast {
  readonly noise: number;
  readonly spread: number;
  readonly speech: number;
}

/** The background below a foreground. */
function backgroundOf(all: LevelHistogram, speech: number): Contrast {
  const floor = Math.max(all.percentile(0.05), speech - deepestBackgroundDb);
  // The median near the floor is more stable than the floor itself; its lower half gives the spread without speech.
  const median = all.percentile(0.5, floor - 6, floor + 4);
  if (!Number.isFinite(median)) return { noise: floor, spread: 0, speech };
  return { noise: median, spread: Math.max(0, median - all.percentile(0.05, floor - 6, floor + 4)) / 1.645, speech };
}

/**
 * Background, its spread, and foreground of the levels. Usually the foreground is the loudest tenth. Where sound is
 * rare, that is the room; then it is the louder half of what is over the room.
 */
function contrast(levels: Float32Array, hopSeconds: number): Contrast {
  const all = levelHistogram(levels);
  const usual = backgroundOf(all, all.percentile(1 - loudShare));
  const share = all.shareOver(usual.noise + smallestContrastDb);
  const isRoom = all.shareOver(usual.noise + roomDb) <= 1 - leastRoomShare;
  if (share >= 2 * loudShare || !isRoom) return usual;
  if (share < rarestShare || share * levels.length * hopSeconds < rarestSeconds) return usual;
  return backgroundOf(all, all.percentile(1 - share / 2));
}

/** Runs of hops above the threshold, with dips shorter than `bridge` hops closed. */
function runsOver(levels: Float32Array, threshold: number, bridge: number): { start: number; end: number }[] {
  const runs: { start: number; end: number }[] = [];
  for (let index = 0; index < levels.length; index += 1) {
    if ((levels[index] as number) <= threshold) continue;
    const last = runs.at(-1);
    if (last && index - last.end <= bridge) last.end = index + 1;
    else runs.push({ start: index, end: index + 1 });
  }
  return runs;
}

/**
 * Finds pauses by level, with two thresholds between the recording's own background N and foreground S: a sound must
 * exceed N + 0.4 (S - N) (at least N + 6 dB) somewhere, and extends to both sides as far as the level exceeds N by 3 dB
 * or four times the background's spread. Weak sound within 150 ms belongs to it. Where S and N differ by less than 9
 * dB, there are no pauses. Sound may be rare: 0.3 % of an even room, and 0.3 s.
 * @param meanSquare level envelope without rumble, `hopSeconds` apart (5 ms places edges to about 10 ms); converted to
 *   smoothed levels in place, since ten hours of it are 29 MB
 */
export function findPauses(meanSquare: Float32Array, hopSeconds: number, durationSeconds: number): PauseFinding {
  if (meanSquare.length === 0)
    return { pauses: [], noiseDbfs: -150, speechDbfs: -150, onsetDbfs: -144, edgeDbfs: -147, isContrasted: false };
  const levels = toSmoothedDb(meanSquare, hopSeconds);
  const { noise, spread, speech } = contrast(levels, hopSeconds);
  const gap = speech - noise;
  const edgeDbfs = noise + Math.max(3, Math.min(4 * spread, 0.3 * gap));
  const onsetDbfs = Math.max(noise + 6, edgeDbfs + 1, noise + 0.4 * gap);
  const facts = { noiseDbfs: noise, speechDbfs: speech, onsetDbfs, edgeDbfs };
  if (gap < smallestContrastDb) return { pauses: [], ...facts, isContrasted: false };

  const runs = runsOver(levels, edgeDbfs, Math.round(closureSeconds / hopSeconds));
  const strong = runs.map((run) => {
    for (let index = run.start; index < run.end; index += 1) if ((levels[index] as number) > onsetDbfs) return true;
    return false;
  });
  const attach = Math.round(attachSeconds / hopSeconds);
  const weakest = Math.round(weakestSeconds / hopSeconds);
  const sounds: { start: number; end: number }[] = [];
  for (const [index, run] of runs.entries()) {
    const before = runs[index - 1];
    const after = runs[index + 1];
    const touches =
      (strong[index - 1] === true && before !== undefined && run.start - before.end <= attach) ||
      (strong[index + 1] === true && after !== undefined && after.start - run.end <= attach);
    if (strong[index] || (touches && run.end - run.start >= weakest)) sounds.push(run);
  }
  const pauses: TimeRange[] = [];
  let at = 0;
  for (const sound of [...sounds, { start: levels.length, end: levels.length }]) {
    if (sound.start > at)
      pauses.push({ startSeconds: at * hopSeconds, endSeconds: Math.min(sound.start * hopSeconds, durationSeconds) });
    at = sound.end;
  }
  return { pauses, ...facts, isContrasted: true };
}
