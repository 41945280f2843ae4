// Speech without pauses is read again while it goes on, so that a sentence is known soon after its end.
import type { TranscriptWord } from '../../contract/transcript.ts';

/** A shorter stretch rarely holds a complete sentence. */
export const leastDraftSeconds = 3;
/** Stream time between two readings. */
export const draftEverySeconds = 1;
/** Pause after a reading, as a share of the time it took: a fifth of a core stays free. */
export const draftRest = 0.25;
/** In a pause the stretch may end soon. */
export const mostPauseSeconds = 0.25;
/**
 * A sentence is final when this much speech and this many words follow it: near the end of the sound Whisper guesses.
 */
const leastBehindSeconds = 1.2;
const leastWordsBehind = 2;

const sentenceEnd = /[.!?。？！…]["'”’)»]*$/u;

/** Does the text end with a sentence mark? */
export const hasSentenceMark = (text: string): boolean => sentenceEnd.test(text);

/**
 * The final part of the transcript of an unfinished stretch.
 * @param sentences with a word each at least, but for those that were told before
 * @param soundSeconds end of the stretch so far
 * @returns the number of words, and the time between the last of them and the next word; null when nothing is final
 */
export function finalWords(
  sentences: readonly (readonly TranscriptWord[])[],
  soundSeconds: number,
): { readonly count: number; readonly endSeconds: number } | null {
  const words = sentences.flat();
  let count = 0;
  let found: ReturnType<typeof finalWords> = null;
  for (const sentence of sentences) {
    count += sentence.length;
    const last = sentence.at(-1);
    const next = words[count];
    if (last === undefined) continue;
    if (next === undefined || words.length - count < leastWordsBehind) break;
    if (soundSeconds - last.endSeconds < leastBehindSeconds) break;
    if (hasSentenceMark(last.text)) found = { count, endSeconds: (last.endSeconds + next.startSeconds) / 2 };
  }
  return found;
}
