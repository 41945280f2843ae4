// What happens to every picture packet: copied, decoded to be re-encoded, or skipped.
import type { EditClock } from './edit-clock.ts';
import { FrameChooser, type Held } from './frame-chooser.ts';
import { pictureFlag, type PictureIndex } from './picture-index.ts';

/**
 * Bits of `actions`. A packet may be copied and decoded: the encoded rest of its group needs it as a reference.
 * Pictures that are shown before the one at which their group starts, although they are stored after it, may reference
 * the group before (RASL pictures of HEVC, open groups of MPEG-2). Where that group is not copied, they are encoded
 * (`leading`): the first packet of their own group is decoded for them and held back (`wait`) until they are written.
 * It then begins a new piece (`restart`).
 */
export const action = { copy: 1, decode: 2, unitStart: 4, wait: 8, leading: 16, restart: 32 } as const;

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
  /** Do other pictures come before, from another file? Default false. */
  readonly behindOthers?: boolean;
}

/** Packets in display order. Files are nearly sorted, which the engine's sort handles fast. */
function displayOrder(pts: Float64Array): Uint32Array {
  const order = Uint32Array.from(pts, (_, at) => at);
  return order.sort((a, b) => (pts[a] as number) - (pts[b] as number));
}

interface Group {
  /** The packet at which a decoder can start. */
  readonly from: number;
  /** The first later packet that is shown after it. */
  readonly leadEnd: number;
  readonly to: number;
  readonly startable: boolean;
}

/**
 * Groups of pictures: packets of a group are shown neither before those of an earlier one nor after those of a later
 * one. A group begins with a packet at which a decoder can start; the packets right behind it may be shown before it.
 */
function groupsOf(index: PictureIndex): Group[] {
  const { count, pts, flags } = index;
  /** The earliest picture at or behind each packet. */
  const earliestFrom = new Float64Array(count + 1).fill(Number.POSITIVE_INFINITY);
  for (let at = count - 1; at >= 0; at -= 1)
    earliestFrom[at] = Math.min(pts[at] as number, earliestFrom[at + 1] as number);
  const starts: Omit<Group, 'to'>[] = [];
  let latest = Number.NEGATIVE_INFINITY;
  for (let at = 0; at < count; at += 1) {
    const shown = pts[at] as number;
    let leadEnd = at + 1;
    while (leadEnd < count && (pts[leadEnd] as number) < shown) leadEnd += 1;
    const startable =
      ((flags[at] as number) & pictureFlag.refresh) !== 0 &&
      (earliestFrom[at] as number) > latest &&
      (earliestFrom[leadEnd] as number) > shown;
    if (startable) starts.push({ from: at, leadEnd, startable });
    else if (at === 0) starts.push({ from: 0, leadEnd: 1, startable });
    latest = Math.max(latest, shown);
  }
  return starts.map((start, at) => ({ ...start, to: starts[at + 1]?.from ?? count }));
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

/** Which pictures stay, and when they are shown; by packet. */
function choosePictures(
  { count, pts, flags }: PictureIndex,
  setting: Setting,
): { out: Float64Array; shownSeconds: Float64Array } {
  const out = new Float64Array(count).fill(Number.NaN);
  const shownSeconds = new Float64Array(count);
  const chooser = new FrameChooser(setting.clock, setting.frameSeconds, setting.gridSeconds);
  const settle = (at: number, standing: number | null, held: Held | null): void => {
    if (standing !== null) shownSeconds[at] = standing;
    if (held === null) return;
    out[at] = held.out;
    shownSeconds[at] = held.shownSeconds;
  };
  let previous = -1;
  for (const at of displayOrder(pts)) {
    if (((flags[at] as number) & pictureFlag.hidden) !== 0) continue;
    const seconds = setting.toSeconds(pts[at] as number);
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
  return { out, shownSeconds };
}

/** Largest distance from display order among packets copied in this order. */
function distance(pts: Float64Array): number {
  const rankOf = new Map(Array.from(pts.toSorted(), (ticks, rank) => [ticks, rank]));
  return pts.reduce((most, ticks, at) => Math.max(most, at - (rankOf.get(ticks) as number)), 0);
}

/**
 * Plans with copying. Groups that are kept whole are copied. Of a group that ends in a cut, the head is copied as far
 * as it is decodable alone. The rest is decoded from the group's start and encoded.
 */
export function planCopying(index: PictureIndex, setting: Setting): PicturePlan {
  const { count, pts } = index;
  const { out, shownSeconds } = choosePictures(index, setting);
  const actions = new Uint8Array(count);
  const kept = (at: number): boolean => !Number.isNaN(out[at]);
  const mark = (at: number, bits: number): void => {
    actions[at] = (actions[at] as number) | bits;
  };
  let copied = 0;
  let encoded = 0;
  let reorder = 0;
  const copy = (packets: readonly number[]): void => {
    for (const at of packets) mark(at, action.copy);
    copied += packets.length;
    reorder = Math.max(reorder, distance(Float64Array.from(packets, (at) => pts[at] as number)));
  };
  /** Packets from one on, up to another. */
  const range = (from: number, to: number): number[] =>
    Array.from({ length: Math.max(0, to - from) }, (_, n) => from + n);
  /** Of the group before: its reference packets, and whether it was copied whole up to this group. */
  let before: readonly number[] = [];
  let chained = setting.behindOthers !== true;
  for (const { from, leadEnd, to, startable } of groupsOf(index)) {
    const lead = range(from + 1, leadEnd);
    const trail = range(leadEnd, to);
    const whole = chained && startable ? copyableHead(index, out, from, to) : 0;
    const goesOn = whole >= leadEnd - from;
    const keptLead = goesOn ? [] : lead.filter(kept);
    const first = startable && kept(from);
    const head = goesOn ? whole - lead.length - 1 : first ? copyableHead(index, out, leadEnd, to) : 0;
    if (keptLead.length > 0) {
      // No new piece begins before they are decoded.
      for (const at of [...before, ...range(from, (keptLead.at(-1) as number) + 1)]) mark(at, action.decode);
      encoded += keptLead.length;
    }
    if (!goesOn && first) for (const at of lead) mark(at, action.leading);
    if (keptLead.length === 0 || first || before.length === 0) mark(from, action.unitStart);
    if (keptLead.length > 0 && first) mark(from, action.wait);
    if (goesOn) copy(range(from, leadEnd + head));
    else if (first) {
      mark(from, action.restart);
      copy([from, ...trail.slice(0, head)]);
    }
    const rest = [...(first || goesOn ? [] : [from]), ...trail.slice(head)].filter(kept);
    encoded += rest.length;
    const last = rest.at(-1);
    if (last !== undefined) for (const at of [from, ...trail]) if (at <= last) mark(at, action.decode);
    before = [from, ...trail];
    chained = startable && (goesOn || first) && head === trail.length;
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
