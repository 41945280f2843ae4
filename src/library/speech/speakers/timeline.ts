// Who speaks in every frame of the recording, as sets of bits: two megabytes for ten hours.
import { type Outline, piecesByFrame } from './pieces.ts';
import {
  firstFrameOf,
  frameSeconds,
  framesIn,
  type HeardWindows,
  localSpeakers,
  windowFrames,
} from './segmentation.ts';
import type { SpeakerTurn } from './speaker-turn.ts';
import type { ToldPieces, WindowPeople } from './window-people.ts';

/** Shorter pauses without another speaker belong to the turn around them, seconds. */
const bridgedSeconds = 0.5;
/** Shorter turns are dropped, seconds. */
const leastTurnSeconds = 0.2;

/**
 * Who speaks in each frame. In a piece it is the piece's speaker. Elsewhere as many speakers as the windows hear on
 * average, those whom most windows hear.
 * @param people number of speakers
 */
export function addUp(
  heard: HeardWindows,
  { counts }: Outline,
  told: ToldPieces,
  { personAt }: Pick<WindowPeople, 'personAt'>,
  people: number,
): Uint8Array {
  const frames = counts.length;
  const pieceAt = piecesByFrame(told.pieces, frames);
  const votes = new Uint8Array(frames * people);
  for (const [window, start] of heard.starts.entries()) {
    const first = firstFrameOf(start);
    for (let index = 0; index < windowFrames; index += 1) {
      const frame = first + index;
      const set = heard.voices[window * windowFrames + index] as number;
      if (set === 0 || pieceAt[frame] !== -1) continue;
      for (let voice = 0; voice < localSpeakers; voice += 1) {
        const person = (set & (1 << voice)) === 0 ? -1 : personAt(window, voice, frame);
        if (person !== -1) votes[frame * people + person] = (votes[frame * people + person] as number) + 1;
      }
    }
  }
  const speaking = new Uint8Array(frames);
  for (let frame = 0; frame < frames; frame += 1) {
    const piece = pieceAt[frame] as number;
    for (let chosen = 0; chosen < (counts[frame] as number); chosen += 1) {
      if (piece !== -1) {
        speaking[frame] = 1 << (told.people[piece] as number);
        continue;
      }
      let [best, most] = [-1, 0];
      for (let person = 0; person < people; person += 1) {
        const has = votes[frame * people + person] as number;
        if (has > most && ((speaking[frame] as number) & (1 << person)) === 0) [best, most] = [person, has];
      }
      if (best === -1) break;
      speaking[frame] = (speaking[frame] as number) | (1 << best);
    }
  }
  return speaking;
}

/** Turns from frames: bridges short pauses and drops very short turns; numbers speakers by first speech. */
export function turnsOf(speaking: Uint8Array, people: number, durationSeconds: number): SpeakerTurn[] {
  const bridged = framesIn(bridgedSeconds);
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
      // The first and the last frame also cover what is before and after them.
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
