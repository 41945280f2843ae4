// Which stretches of a recording a run kept, by its result: the time line that input and output share.
import type { JsonObject } from '../core/json.ts';
import type { TimeRange } from '../core/time-range.ts';

type Pair = readonly [startSeconds: number, endSeconds: number];

/** How the times of an output follow those of its input. */
export interface Course {
  /** Kept stretches of the input in the order of the output. */
  readonly kept: readonly TimeRange[];
  /** The output time of a time of the input; one that was cut is at its seam. */
  toOutput(inputSeconds: number): number;
}

/** Gaps between cuts without a word in them go with the cuts; longer ones have words. */
const longestWordlessGapSeconds = 1;

const asRange = ([startSeconds, endSeconds]: Pair): TimeRange => ({ startSeconds, endSeconds });

/** What lies between ranges, which ascend. */
function between(ranges: readonly TimeRange[], inputSeconds: number): TimeRange[] {
  const kept: TimeRange[] = [];
  let at = 0;
  for (const { startSeconds, endSeconds } of ranges) {
    if (startSeconds > at) kept.push({ startSeconds: at, endSeconds: startSeconds });
    at = Math.max(at, endSeconds);
  }
  if (inputSeconds > at) kept.push({ startSeconds: at, endSeconds: inputSeconds });
  return kept;
}

/** Cuts of fillers; those without a word between them were made as one, which only the length tells. */
function fillerCuts(cuts: readonly TimeRange[], removedSeconds: number): TimeRange[] {
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

/** The stretches that a run cut out of its only recording, seconds of the input; none where it keeps all. */
export function cutStretches(tool: string, result: JsonObject, inputSeconds: number): TimeRange[] {
  if (tool === 'remove_silence') return (result['cuts'] as unknown as readonly Pair[]).map(asRange);
  if (tool === 'remove_fillers' && typeof result['removedSeconds'] === 'number')
    return fillerCuts(result['cuts'] as unknown as readonly TimeRange[], result['removedSeconds']);
  if (tool === 'cut_audio') {
    const kept = (result['keptRanges'] as unknown as readonly Pair[]).map(asRange);
    return between(
      kept.toSorted((a, b) => a.startSeconds - b.startSeconds),
      inputSeconds,
    );
  }
  return [];
}

/** Tools whose output is another recording than their input, or none. */
const ofTheirOwn = new Set([
  'align_script',
  'analyze_audio',
  'join_audio',
  'mix_tracks',
  'replace_audio',
  'transcribe_audio',
]);

/** null where the output has a time line of its own. */
export function courseOf(tool: string, result: JsonObject, inputSeconds: number): Course | null {
  if (ofTheirOwn.has(tool)) return null;
  const kept =
    tool === 'cut_audio'
      ? (result['keptRanges'] as unknown as readonly Pair[]).map(asRange)
      : between(cutStretches(tool, result, inputSeconds), inputSeconds);
  return {
    kept,
    toOutput(inputSeconds) {
      let [at, nearest, seam] = [0, 0, -Infinity];
      for (const { startSeconds, endSeconds } of kept) {
        if (inputSeconds >= startSeconds && inputSeconds <= endSeconds) return at + inputSeconds - startSeconds;
        at += endSeconds - startSeconds;
        if (endSeconds <= inputSeconds && endSeconds > seam) [nearest, seam] = [at, endSeconds];
      }
      return nearest;
    },
  };
}
