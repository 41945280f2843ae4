import type { TimeRange } from '../../core/time-range.ts';

/** Times of words are off by some hundredths of a second, so that a cut's edges may be within its neighbours' times. */
const mostOfCut = 0.6;
const mostOfWord = 0.6;

/**
 * Do words claim the sound of a cut? What sounds like a hesitation may be the vowel of a word.
 * @param words those that stay
 */
export function isClaimed(cut: TimeRange, words: readonly TimeRange[]): boolean {
  let claimed = 0;
  for (const { startSeconds, endSeconds } of words) {
    const common = Math.min(endSeconds, cut.endSeconds) - Math.max(startSeconds, cut.startSeconds);
    if (common > mostOfWord * (endSeconds - startSeconds) && common > 0) return true;
    claimed += Math.max(0, common);
  }
  return claimed > mostOfCut * (cut.endSeconds - cut.startSeconds);
}
