// Who speaks in every frame of the recording, as sets of people bit by bit: two megabytes for ten hours.
import { firstFrameOf, frameSeconds, frameStep, localSpeakers, windowFrames } from './segmentation.ts';
import type { SpeakerTurn } from './speaker-turn.ts';
import { nobody, type Voices } from './voices.ts';

/** Pauses up to this in which nobody else speaks belong to the turn around them, seconds. */
const bridgedSeconds = 0.5;
/** Shorter turns are none, seconds. */
const leastTurnSeconds = 0.2;

const bitsOf = (set: number): number => {
  let count = 0;
  for (let left = set; left > 0; left &= left - 1) count += 1;
  return count;
};

export interface WindowVoices {
  /** First samples of the windows. */
  readonly starts: readonly number[];
  /** Of each window: its frames' sets of its own voices. */
  readonly voices: Uint8Array;
  /** Of each window and voice: the person, or `nobody`. */
  readonly people: Uint8Array;
}

/**
 * Adds the windows up, all with equal weight: as many people as the windows hear on average (rounded), and of them
 * those whom most windows hear.
 */
export function addUpWindows({ starts, voices, people }: WindowVoices, { count }: Pick<Voices, 'count'>): Uint8Array {
  const frames = starts.length === 0 ? 0 : firstFrameOf(starts.at(-1) as number) + windowFrames;
  const windows = new Uint8Array(frames);
  const heard = new Uint8Array(frames);
  const votes = new Uint8Array(frames * count);
  for (const [window, start] of starts.entries()) {
    const first = firstFrameOf(start);
    for (let index = 0; index < windowFrames; index += 1) {
      const frame = first + index;
      const set = voices[window * windowFrames + index] as number;
      windows[frame] = (windows[frame] as number) + 1;
      heard[frame] = (heard[frame] as number) + bitsOf(set);
      for (let voice = 0; voice < localSpeakers; voice += 1) {
        if ((set & (1 << voice)) === 0) continue;
        const person = people[window * localSpeakers + voice] as number;
        if (person !== nobody) votes[frame * count + person] = (votes[frame * count + person] as number) + 1;
      }
    }
  }
  const speaking = new Uint8Array(frames);
  for (let frame = 0; frame < frames; frame += 1) {
    const wanted = Math.floor((heard[frame] as number) / (windows[frame] as number) + 0.5);
    for (let chosen = 0; chosen < wanted; chosen += 1) {
      let [best, most] = [-1, 0];
      for (let person = 0; person < count; person += 1) {
        const has = votes[frame * count + person] as number;
        if (has > most && ((speaking[frame] as number) & (1 << person)) === 0) [best, most] = [person, has];
      }
      if (best === -1) break;
      speaking[frame] = (speaking[frame] as number) | (1 << best);
    }
  }
  return speaking;
}

/** Runs of frames in which exactly one person speaks, and the same one. */
export interface LoneStretch {
  readonly person: number;
  readonly firstFrame: number;
  /** The one behind the last. */
  readonly endFrame: number;
}

export function loneStretches(speaking: Uint8Array, leastSeconds: number): LoneStretch[] {
  const least = (leastSeconds * 16_000) / frameStep;
  const found: LoneStretch[] = [];
  for (let first = 0, end = 0; first < speaking.length; first = end) {
    const set = speaking[first] as number;
    for (end = first + 1; end < speaking.length && speaking[end] === set;) end += 1;
    if (bitsOf(set) === 1 && end - first >= least)
      found.push({ person: Math.log2(set), firstFrame: first, endFrame: end });
  }
  return found;
}

/** Turns out of frames, short pauses bridged and shreds dropped; people numbered by who is heard first. */
export function turnsOf(speaking: Uint8Array, people: number, durationSeconds: number): SpeakerTurn[] {
  const bridged = (bridgedSeconds * 16_000) / frameStep;
  const turns: { startSeconds: number; endSeconds: number; person: number }[] = [];
  for (let person = 0; person < people; person += 1) {
    const bit = 1 << person;
    const runs: { first: number; end: number }[] = [];
    for (let frame = 0; frame < speaking.length; frame += 1) {
      if (((speaking[frame] as number) & bit) === 0) continue;
      const last = runs.at(-1);
      const quiet = last && frame - last.end <= bridged && speaking.subarray(last.end, frame).every((set) => set === 0);
      if (last && (last.end === frame || quiet)) last.end = frame + 1;
      else runs.push({ first: frame, end: frame + 1 });
    }
    for (const { first, end } of runs) {
      // The first and the last frame stand for what lies before and behind them, too.
      const startSeconds = first === 0 ? 0 : frameSeconds(first);
      const endSeconds = end === speaking.length ? durationSeconds : Math.min(durationSeconds, frameSeconds(end));
      if (endSeconds - startSeconds >= leastTurnSeconds) turns.push({ startSeconds, endSeconds, person });
    }
  }
  turns.sort((a, b) => a.startSeconds - b.startSeconds || a.endSeconds - b.endSeconds);
  const numbers = new Map<number, number>();
  return turns.map(({ person, startSeconds, endSeconds }) => {
    if (!numbers.has(person)) numbers.set(person, numbers.size + 1);
    return { startSeconds, endSeconds, speaker: numbers.get(person) as number };
  });
}
