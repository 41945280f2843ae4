import type { SpokenWord } from '../spoken-word.ts';
import type { SpeakerTurn } from './speaker-turn.ts';

/** Greatest distance of a word from its speaker's turn, seconds. */
const reachSeconds = 1;

/** A word with its speaker, as in `SpeakerTurn`; absent without a turn nearby. */
export type LabelledWord<Word extends SpokenWord = SpokenWord> = Word & { readonly speaker?: number };

/**
 * Gives every word the speaker whose turns cover most of it; on a tie, the previous word's speaker. A word outside all
 * turns belongs to the nearest one within a second.
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
    // Turns that ended too early for this word did so for all later ones.
    while (first < turns.length && (turns[first] as SpeakerTurn).endSeconds < startSeconds - reachSeconds) first += 1;
    const shares = new Map<number, number>();
    for (let index = first; index < turns.length; index += 1) {
      const turn = turns[index] as SpeakerTurn;
      if (turn.startSeconds > endSeconds + reachSeconds) break;
      // Negative: the distance of the turn.
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
      // A difference of a hundredth of a second means nothing.
      if (share > most + 0.01 || (share > most - 0.01 && one === before)) speaker = one;
      most = Math.max(most, share);
    }
    before = speaker ?? before;
    return speaker === undefined ? word : { ...word, speaker };
  });
}
