// What captions measure, as the limits for writing them have it (speech/transcript/write/limits.ts).
import { cellsOf, gapSeconds } from '../../speech/transcript/write/limits.ts';
import type { Cue } from '../../speech/transcript/read/script.ts';
import type { Place } from './result.ts';

type Judged = readonly (Place & { readonly value: number })[];

/** Of all captions; null where there are none. */
export interface CaptionFacts {
  readonly count: number;
  readonly mostLines: number;
  readonly mostCells: number;
  readonly mostCellsPerSecond: number;
  readonly shortestSeconds: number | null;
  readonly longestSeconds: number | null;
  /** Between two captions; captions that touch have none. null: there is no gap. */
  readonly shortestGapSeconds: number | null;
  /** How long the last one is shown behind the end of the recording. */
  readonly afterEndSeconds: number;
  readonly lines: Judged;
  readonly cells: Judged;
  readonly pace: Judged;
  readonly durations: Judged;
  readonly gaps: Judged;
  readonly overlaps: Judged;
}

const rounded = (value: number): number => Math.round(1000 * value) / 1000;
const most = (judged: Judged): number => judged.reduce((found, { value }) => Math.max(found, value), 0);
const least = (judged: Judged): number | null =>
  judged.length === 0 ? null : judged.reduce((found, { value }) => Math.min(found, value), Number.POSITIVE_INFINITY);
/** One cell per letter, two per ideograph. */
const cells = (line: string): number => cellsOf(line, { halfCells: false });

export function captionFacts(cues: readonly Cue[], durationSeconds: number): CaptionFacts {
  const inOrder = cues.toSorted((one, other) => one.startSeconds - other.startSeconds);
  const judge = (value: (cue: Cue) => number): Judged =>
    inOrder.map((cue) => ({ startSeconds: cue.startSeconds, endSeconds: cue.endSeconds, value: rounded(value(cue)) }));
  const next = inOrder.slice(1).map((cue, at) => {
    const before = inOrder[at] as Cue;
    return { startSeconds: before.endSeconds, endSeconds: cue.startSeconds, gap: cue.startSeconds - before.endSeconds };
  });
  const gaps = next.filter(({ gap }) => gap > 0).map(({ gap, ...place }) => ({ ...place, value: rounded(gap) }));
  const overlaps = next
    .filter(({ gap }) => gap < -0.0005)
    .map(({ startSeconds, endSeconds, gap }) => ({
      startSeconds: endSeconds,
      endSeconds: startSeconds,
      value: rounded(-gap),
    }));
  const lines = judge((cue) => cue.lines.length);
  const lengths = judge((cue) => cue.lines.reduce((widest, line) => Math.max(widest, cells(line)), 0));
  const durations = judge((cue) => cue.endSeconds - cue.startSeconds);
  const pace = judge(
    (cue) =>
      cue.lines.reduce((sum, line) => sum + cells(line), 0) / Math.max(cue.endSeconds - cue.startSeconds, gapSeconds),
  );
  const end = inOrder.reduce((latest, { endSeconds }) => Math.max(latest, endSeconds), 0);
  return {
    count: inOrder.length,
    mostLines: most(lines),
    mostCells: most(lengths),
    mostCellsPerSecond: most(pace),
    shortestSeconds: least(durations),
    longestSeconds: durations.length === 0 ? null : most(durations),
    shortestGapSeconds: least(gaps),
    afterEndSeconds: rounded(Math.max(0, end - durationSeconds)),
    lines,
    cells: lengths,
    pace,
    durations,
    gaps,
    overlaps,
  };
}
