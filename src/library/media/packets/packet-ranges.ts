// Which packets hold what is kept of a recording.
import type { PacketIndex } from './packet-index.ts';

/** Packets of a recording, and the frames of it that are heard. */
export interface PacketRange {
  readonly from: number;
  /** Exclusive. */
  readonly to: number;
  readonly startFrame: number;
  readonly endFrame: number;
}

/** Frames to keep, exclusive of `end`. */
interface Frames {
  readonly start: number;
  readonly end: number;
}

/** The last packet that begins at a frame or before it. */
export function packetAt({ starts, count }: PacketIndex, frame: number): number {
  let [low, high] = [0, count - 1];
  while (low < high) {
    const middle = (low + high + 1) >> 1;
    if ((starts[middle] as number) <= frame) low = middle;
    else high = middle - 1;
  }
  return low;
}

/** The border between packets that is nearest to a frame; the end of the last one is one. */
function nearestBorder(index: PacketIndex, frame: number): number {
  const { starts, count } = index;
  const at = packetAt(index, frame);
  let best = -1;
  const away = (border: number): number => Math.abs((starts[border] as number) - frame);
  for (let [low, high] = [at, at + 1]; low >= 0 || high < count + 1; low -= 1, high += 1) {
    for (const border of [low, high])
      if (border >= 0 && border <= count && index.canMeet(border))
        if (best < 0 || away(border) < away(best)) best = border;
    if (best >= 0) break;
  }
  return best < 0 ? count : best;
}

/** The packet that begins nearest to a frame. Any can: those before it decode as they did. */
function nearestStart(index: PacketIndex, frame: number): number {
  const at = packetAt(index, frame);
  const away = (border: number): number => Math.abs((index.starts[border] as number) - frame);
  return at + 1 < index.count && away(at + 1) < away(at) ? at + 1 : at;
}

/**
 * The packets of what is kept: where the copy begins and ends exact to the frame, where two stretches meet at the
 * nearest border of packets.
 * @param isFirst does the copy begin with these?
 * @param isLast does it end with them?
 * @returns `given`: each stretch as it is kept; those that nothing is left between are one range
 */
export function packetRanges(
  index: PacketIndex,
  keeps: readonly Frames[],
  { isFirst, isLast }: { readonly isFirst: boolean; readonly isLast: boolean },
): { readonly ranges: readonly PacketRange[]; readonly given: readonly Frames[] } {
  const { starts, endFrame, codec } = index;
  const ranges: { from: number; to: number; startFrame: number; endFrame: number }[] = [];
  const given: Frames[] = [];
  for (const [at, { start, end }] of keeps.entries()) {
    const begins = isFirst && at === 0;
    const ends = isLast && at === keeps.length - 1;
    // A container of Vorbis cannot say that a copy begins within a packet.
    const exact = begins && codec !== 'vorbis';
    const from = exact ? packetAt(index, start) : begins ? nearestStart(index, start) : nearestBorder(index, start);
    const last = Math.min(end, endFrame);
    const border = ends ? packetAt(index, last - 1) + 1 : nearestBorder(index, last);
    const to = Math.max(from + 1, border);
    const range = {
      from,
      to,
      startFrame: Math.max(exact ? start : begins ? 0 : -Infinity, starts[from] as number),
      endFrame: ends ? Math.max(last, (starts[from] as number) + 1) : (starts[to] as number),
    };
    given.push({ start: range.startFrame, end: range.endFrame });
    const before = ranges.at(-1);
    if (before && range.from <= before.to) {
      before.to = Math.max(before.to, range.to);
      before.endFrame = range.endFrame;
    } else ranges.push(range);
  }
  return { ranges, given };
}
