// Which line holds where: the stretches of a recorder that was stopped, or lost samples.
import { activeShare, activitySums, leastActive } from './find-segments.ts';
import { type AgreedLine, type ClockLine, lagAt } from './clock-lines.ts';
import { bandCount, type Marks, marksPerSecond } from './marks.ts';

interface LinePiece {
  readonly startSeconds: number;
  /** Infinity: to the end. */
  readonly endSeconds: number;
  /** Index of the line. */
  readonly line: number;
}

export interface LinePieces {
  readonly pieces: readonly LinePiece[];
  /** Of the windows with activity where the other has sound, those that match. */
  readonly share: number;
}

const windowRows = 10 * marksPerSecond;
const hopRows = 5 * marksPerSecond;
const hopSeconds = hopRows / marksPerSecond;
/** Rows to either side of the line that are looked at. */
const reach = 8;
/** What "none of the lines" counts; less where the segments that agree are little alike. */
const mostNone = 0.18;
const noneShare = 0.45;
/** A change of line costs so many windows of none. */
const changeCost = 6;

/** How alike a window is at its place in the other recording, within `reachRows` to either side. */
export function alikeNear(
  [one, other]: readonly [Marks, Marks],
  from: number,
  rows: number,
  place: { readonly row: number; readonly reachRows: number },
): Float64Array {
  const curve = new Float64Array(2 * place.reachRows + 1);
  let own = 0;
  for (let band = 0; band < bandCount; band += 1)
    for (let row = from; row < from + rows; row += 1) own += (one.bands[band * one.count + row] as number) ** 2;
  for (let at = 0; at < curve.length; at += 1) {
    const shift = place.row - place.reachRows + at - from;
    const [first, last] = [Math.max(from, -shift), Math.min(from + rows, other.count - shift)];
    if (last - first < rows >> 1) {
      curve[at] = -1;
      continue;
    }
    let [sum, energy] = [0, 1];
    for (let band = 0; band < bandCount; band += 1) {
      const [a, b] = [band * one.count, band * other.count + shift];
      for (let row = first; row < last; row += 1) {
        const value = other.bands[b + row] as number;
        sum += (one.bands[a + row] as number) * value;
        energy += value * value;
      }
    }
    curve[at] = sum / Math.sqrt((own + 1) * energy);
  }
  return curve;
}

interface Window {
  readonly from: number;
  readonly quiet: boolean;
  /** Has the other recording sound at a line's place? */
  readonly met: boolean;
  /** By line, and at last of none. */
  readonly scores: readonly number[];
}

/** The cheapest way through the windows: a line, or none, for each. */
function wayThrough(windows: readonly Window[], cost: number): number[] {
  let sums = [...(windows[0]?.scores ?? [])];
  const from: number[][] = [];
  for (const { scores } of windows.slice(1)) {
    const best = sums.indexOf(Math.max(...sums));
    const stays = sums.map((sum) => sum >= (sums[best] as number) - cost);
    from.push(stays.map((stay, state) => (stay ? state : best)));
    const before = sums;
    sums = scores.map((score, state) => score + (stays[state] ? before[state]! : (before[best] as number) - cost));
  }
  let state = sums.indexOf(Math.max(...sums));
  const way = [state];
  for (const step of from.toReversed()) {
    state = step[state] as number;
    way.push(state);
  }
  return way.toReversed();
}

/** Silence says nothing: it has its neighbour's line. */
function overSilence(way: number[], windows: readonly Window[], none: number): void {
  const take = (index: number, neighbour: number): void => {
    if (way[index] === none && windows[index]?.quiet && (way[neighbour] ?? none) !== none)
      way[index] = way[neighbour] as number;
  };
  for (let index = 1; index < way.length; index += 1) take(index, index - 1);
  for (let index = way.length - 2; index >= 0; index -= 1) take(index, index + 1);
}

function piecesOf(way: readonly number[], windows: readonly Window[], none: number): LinePiece[] {
  const middle = (index: number): number => ((windows[index]?.from ?? 0) + windowRows / 2) / marksPerSecond;
  const pieces: LinePiece[] = [];
  let start = 0;
  for (let index = 1; index <= way.length; index += 1) {
    if (way[index] === way[start]) continue;
    const line = way[start] as number;
    if (line !== none)
      pieces.push({
        startSeconds: start === 0 ? 0 : middle(start) - hopSeconds / 2,
        endSeconds: index === way.length ? Number.POSITIVE_INFINITY : middle(index - 1) + hopSeconds / 2,
        line,
      });
    start = index;
  }
  return pieces;
}

/** Windows of 10 s of `one`, each given to the line on which it is like `other`, or to none. */
export function piecesOfLines(one: Marks, other: Marks, lines: readonly AgreedLine[]): LinePieces {
  const alike = lines.flatMap(({ places }) => places.map((place) => place.alike)).sort((a, b) => a - b);
  const none = Math.min(mostNone, noneShare * (alike[alike.length >> 1] ?? 0));
  const sums = activitySums(one);
  const rows = Math.min(windowRows, one.count);
  const rowOf = (line: ClockLine, from: number): number => {
    const seconds = from / marksPerSecond;
    return Math.round((seconds + lagAt(line, seconds)) * marksPerSecond);
  };
  const windows: Window[] = [];
  for (let from = 0; from <= Math.max(0, one.count - windowRows); from += hopRows) {
    const quiet = activeShare(sums, from, rows) < leastActive;
    const places = lines.map((line) => rowOf(line, from));
    const met = places.map((row) => row > -rows / 2 && row < other.count - rows / 2);
    const scores = places.map((row, line) =>
      quiet ? none : met[line] ? Math.max(...alikeNear([one, other], from, rows, { row, reachRows: reach })) : 0,
    );
    windows.push({ from, quiet, met: met.includes(true), scores: [...scores, none] });
  }
  const way = wayThrough(windows, changeCost * none);
  overSilence(way, windows, lines.length);
  const told = windows.flatMap(({ quiet, met, scores }, index) =>
    quiet || !met ? [] : [way[index] !== lines.length && (scores[way[index] as number] as number) > none],
  );
  return {
    pieces: piecesOf(way, windows, lines.length),
    share: told.length === 0 ? 0 : told.filter(Boolean).length / told.length,
  };
}
