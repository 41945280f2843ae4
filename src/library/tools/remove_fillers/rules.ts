import type { TimeRange } from '../../core/time-range.ts';
import type { RemoveFillersResult } from './result.ts';

/** Gaps between cuts without a word in them go with the cuts; longer ones have words. */
const longestWordlessGapSeconds = 1;

/** What a run cut out. Cuts without a word between them are made as one, which only the length tells. */
export function madeCuts({ cuts, removedSeconds }: RemoveFillersResult): TimeRange[] {
  if (removedSeconds === undefined) return [];
  const sorted = cuts.toSorted((a, b) => a.startSeconds - b.startSeconds);
  const gaps = sorted.flatMap(({ endSeconds }, index) => {
    const seconds = (sorted[index + 1]?.startSeconds ?? Infinity) - endSeconds;
    return seconds > 0 && seconds < longestWordlessGapSeconds ? [{ index, seconds }] : [];
  });
  let missing =
    removedSeconds - sorted.reduce((sum, { startSeconds, endSeconds }) => sum + endSeconds - startSeconds, 0);
  const joined = new Set<number>();
  for (const { index, seconds } of gaps.toSorted((a, b) => a.seconds - b.seconds)) {
    if (missing < seconds / 2) break;
    joined.add(index);
    missing -= seconds;
  }
  return sorted.map(({ startSeconds, endSeconds }, index) => ({
    startSeconds,
    endSeconds: joined.has(index) ? (sorted[index + 1]?.startSeconds ?? endSeconds) : endSeconds,
  }));
}
