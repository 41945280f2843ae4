// What happens to every picture packet: copied, decoded to be re-encoded, or skipped.
import type { EditClock } from './edit-clock.ts';
import { FrameChooser, type Held } from './frame-chooser.ts';
import { pictureFlag, type PictureIndex } from './picture-index.ts';

/** Bits of `actions`. A packet may be both: the encoded rest of its group needs a copied packet as a reference. */
export const action = { copy: 1, decode: 2, unitStart: 4 } as const;

export interface PicturePlan {
  readonly actions: Uint8Array;
  /** Output seconds of each packet's picture, NaN for a dropped one. Only where picture times are known (`exact`). */
  readonly out: Float64Array;
  /** Seconds that each kept picture lasts at most before its keep ends. */
  readonly shownSeconds: Float64Array;
  /** false: the decoded frames decide which pictures are kept. */
  readonly exact: boolean;
  /** Greatest distance of the copied packets from display order. */
  readonly reorder: number;
  readonly copied: number;
  readonly encoded: number;
}

/** Ticks of the stream to seconds on the keeps' clock. */
export type ToSeconds = (ticks: number) => number;

interface Setting {
  readonly clock: EditClock;
  readonly toSeconds: ToSeconds;
  readonly frameSeconds: number;
  readonly gridSeconds: number | null;
}

/** Packets in display order. Files are nearly sorted, which the engine's sort handles fast. */
function displayOrder(pts: Float64Array): Uint32Array {
  const order = Uint32Array.from(pts, (_, at) => at);
  return order.sort((a, b) => (pts[a] as number) - (pts[b] as number));
}

/** Starts of closed groups: packets at or after them are not shown before them, earlier packets not after them. */
function closedGroups(index: PictureIndex): number[] {
  const { count, pts, flags } = index;
  const starts: number[] = [];
  let earliest = Number.POSITIVE_INFINITY;
  const closedBehind = new Uint8Array(count);
  for (let at = count - 1; at >= 0; at -= 1) {
    const shown = pts[at] as number;
    if (shown < earliest) {
      earliest = shown;
      closedBehind[at] = 1;
    }
  }
  let latest = Number.NEGATIVE_INFINITY;
  for (let at = 0; at < count; at += 1) {
    const shown = pts[at] as number;
    const starting = ((flags[at] as number) & pictureFlag.refresh) !== 0 && closedBehind[at] === 1 && shown > latest;
    if (starting || at === 0) starts.push(at);
    latest = Math.max(latest, shown);
  }
  return starts;
}

/**
 * Length of the longest prefix of a group, in file order, that is kept whole and shown before its other kept pictures.
 */
function copyableHead(index: PictureIndex, out: Float64Array, from: number, to: number): number {
  const kept = (at: number): boolean => !Number.isNaN(out[at]);
  let head = from;
  while (head < to && kept(head)) head += 1;
  const earliestBehind = new Float64Array(head - from + 1);
  let earliest = Number.POSITIVE_INFINITY;
  for (let at = to - 1; at >= from; at -= 1) {
    if (at < head) earliestBehind[at + 1 - from] = earliest;
    if (kept(at)) earliest = Math.min(earliest, index.pts[at] as number);
  }
  let latest = Number.NEGATIVE_INFINITY;
  let best = 0;
  for (let length = 1; length <= head - from; length += 1) {
    latest = Math.max(latest, index.pts[from + length - 1] as number);
    if (latest < (earliestBehind[length] as number)) best = length;
  }
  return best;
}

/**
 * Plans with copying. Groups that are kept whole are copied. Of a group that ends in a cut, the head is copied as far
 * as it is decodable alone. The rest is decoded from the group's start and encoded.
 */
export function planCopying(index: PictureIndex, setting: Setting): PicturePlan {
  const { count, pts, flags } = index;
  const { clock, toSeconds } = setting;
  const out = new Float64Array(count).fill(Number.NaN);
  const shownSeconds = new Float64Array(count);
  const actions = new Uint8Array(count);
  const chooser = new FrameChooser(clock, setting.frameSeconds, setting.gridSeconds);
  const settle = (at: number, standing: number | null, held: Held | null): void => {
    if (standing !== null) shownSeconds[at] = standing;
    if (held === null) return;
    out[at] = held.out;
    shownSeconds[at] = held.shownSeconds;
  };
  let previous = -1;
  for (const at of displayOrder(pts)) {
    if (((flags[at] as number) & pictureFlag.hidden) !== 0) continue;
    const seconds = toSeconds(pts[at] as number);
    const choice = chooser.next(seconds);
    settle(previous, choice.previousShownSeconds, choice.holdPrevious);
    if (choice.out !== null) {
      out[at] = choice.out;
      shownSeconds[at] = choice.keepEnd - seconds;
    }
    previous = at;
  }
  const last = chooser.end();
  settle(previous, last.previousShownSeconds, last.held);

  const starts = closedGroups(index);
  let copied = 0;
  let encoded = 0;
  let reorder = 0;
  for (const [group, from] of starts.entries()) {
    const to = starts[group + 1] ?? count;
    actions[from] = (actions[from] as number) | action.unitStart;
    const startable = ((flags[from] as number) & pictureFlag.refresh) !== 0;
    const head = startable ? copyableHead(index, out, from, to) : 0;
    for (let at = from; at < from + head; at += 1) actions[at] = (actions[at] as number) | action.copy;
    copied += head;
    const ranks = pts.slice(from, from + head).sort();
    const rankOf = new Map(Array.from(ranks, (ticks, rank) => [ticks, rank]));
    for (let at = 0; at < head; at += 1)
      reorder = Math.max(reorder, at - (rankOf.get(pts[from + at] as number) as number));
    let last = -1;
    for (let at = from + head; at < to; at += 1) {
      if (Number.isNaN(out[at])) continue;
      last = at;
      encoded += 1;
    }
    for (let at = from; at <= last; at += 1) actions[at] = (actions[at] as number) | action.decode;
  }
  return { actions, out, shownSeconds, exact: true, reorder, copied, encoded };
}

/** Decoding starts and ends this much outside the wanted range, since packet times may be off by some pictures. */
const slackSeconds = 0.5;

/** Plans without copying: groups around the keeps are decoded, and the frames decide which are kept. */
export function planEncoding(index: PictureIndex, setting: Setting): PicturePlan {
  const { count, pts, dts, flags } = index;
  const { clock, toSeconds } = setting;
  const actions = new Uint8Array(count);
  const timeOf = (at: number): number => (Number.isNaN(pts[at]) ? (dts[at] as number) : (pts[at] as number));
  const starts: number[] = [];
  let timeless = false;
  for (let at = 0; at < count; at += 1) {
    if (at === 0 || ((flags[at] as number) & pictureFlag.key) !== 0) starts.push(at);
    timeless ||= Number.isNaN(timeOf(at));
  }
  const earliest = starts.map((from, group) => {
    let first = Number.POSITIVE_INFINITY;
    for (let at = from; at < (starts[group + 1] ?? count); at += 1) first = Math.min(first, timeOf(at));
    return toSeconds(first);
  });
  // A group also shows pictures that last until the next group begins.
  const wanted = starts.map(
    (_, group) =>
      timeless ||
      clock.touches(
        (earliest[group] as number) - slackSeconds,
        (earliest[group + 1] ?? Number.POSITIVE_INFINITY) + slackSeconds,
      ),
  );
  for (const [group, from] of starts.entries()) {
    // An open group depends on the previous one.
    const next = starts[group + 1];
    const leaned =
      next !== undefined &&
      wanted[group + 1] === true &&
      (!index.timed || toSeconds(timeOf(next)) > (earliest[group + 1] as number));
    if (!(wanted[group] as boolean) && !leaned) continue;
    for (let at = from; at < (next ?? count); at += 1) actions[at] = action.decode;
    // The decoder restarts only after a gap.
    if (group > 0 && ((actions[from - 1] as number) & action.decode) === 0)
      actions[from] = action.decode | action.unitStart;
  }
  return {
    actions,
    out: new Float64Array(0),
    shownSeconds: new Float64Array(0),
    exact: false,
    reorder: 0,
    copied: 0,
    encoded: count,
  };
}
