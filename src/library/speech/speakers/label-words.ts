import type { SpokenWord } from '../spoken-word.ts';
import type { SpeakerTurn } from './speaker-turn.ts';

/** A word is said by someone whose turn is at most so far from it, seconds. */
const reachSeconds = 1;

/** A word with who said it: as in `SpeakerTurn`, absent where nobody is near. */
export type LabelledWord<Word extends SpokenWord = SpokenWord> = Word & { readonly speaker?: number };

/**
 * Gives every word the speaker whose turns cover most of it. Where turns cover it alike, who said the word before goes on
 * speaking. A word outside of all turns belongs to the nearest within a second.
 * @param words in order of their starts
 * @param turns in order of their starts; those of one speaker do not overlap
 */
export function labelWords<Word extends SpokenWord>(
  words: readonly Word[],
  turns: readonly SpeakerTurn[],
): LabelledWord<Word>[] {
  let first = 0;
  let before: number | undefined;
  return words.map((word) => {
    const { startSeconds, endSeconds } = word;
    // Turns that ended too long ago for this word did so for every later one.
    while (first < turns.length && (turns[first] as SpeakerTurn).endSeconds < startSeconds - reachSeconds) first += 1;
    const shares = new Map<number, number>();
    for (let index = first; index < turns.length; index += 1) {
      const turn = turns[index] as SpeakerTurn;
      if (turn.startSeconds > endSeconds + reachSeconds) break;
      // Negative: how far away the turn is.
      const overlap = Math.min(endSeconds, turn.endSeconds) - Math.max(startSeconds, turn.startSeconds);
      if (overlap < -reachSeconds) continue;
      const known = shares.get(turn.speaker);
      if (known === undefined || known < 0 || overlap < 0)
        shares.set(turn.speaker, Math.max(known ?? Number.NEGATIVE_INFINITY, overlap));
      else shares.set(turn.speaker, known + overlap);
    }
    let speaker: number | undefined;
    let most = Number.NEGATIVE_INFINITY;
    for (const [one, share] of shares) {
      // A hundredth of a second says nothing.
      if (share > most + 0.01 || (share > most - 0.01 && one === before)) speaker = one;
      most = Math.max(most, share);
    }
    before = speaker ?? before;
    return speaker === undefined ? word : { ...word, speaker };
  });
}
