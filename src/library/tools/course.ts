// Which stretches of a recording a run kept, by its result: the time line that input and output share.
import type { JsonObject } from '../core/json.ts';
import type { TimeRange } from '../core/time-range.ts';
import { requireTool } from './registry.ts';

/** How the times of an output follow those of its input. */
export interface Course {
  /** Kept stretches of the input in the order of the output. */
  readonly kept: readonly TimeRange[];
  /** What was cut out of the input, in its order. */
  readonly cuts: readonly TimeRange[];
  /** The output time of a time of the input; one that was cut is at its seam. */
  toOutput(inputSeconds: number): number;
}

/** What lies between ranges, which ascend. */
function between(ranges: readonly TimeRange[], inputSeconds: number): TimeRange[] {
  const found: TimeRange[] = [];
  let at = 0;
  for (const { startSeconds, endSeconds } of ranges) {
    if (startSeconds > at) found.push({ startSeconds: at, endSeconds: startSeconds });
    at = Math.max(at, endSeconds);
  }
  if (inputSeconds > at) found.push({ startSeconds: at, endSeconds: inputSeconds });
  return found;
}

/** null where the times of the output say nothing about those of the input. */
export function courseOf(tool: string, result: JsonObject, inputSeconds: number): Course | null {
  const { timeLine } = requireTool(tool);
  if (timeLine === 'own' || timeLine === 'mixed') return null;
  if (timeLine === 'same') return course([], between([], inputSeconds));
  if ('cutOut' in timeLine) {
    const cuts = timeLine.cutOut(result);
    return course(cuts, between(cuts, inputSeconds));
  }
  const kept = timeLine.kept(result);
  const ascending = kept.toSorted((a, b) => a.startSeconds - b.startSeconds);
  return course(between(ascending, inputSeconds), kept);
}

function course(cuts: readonly TimeRange[], kept: readonly TimeRange[]): Course {
  return {
    cuts,
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
