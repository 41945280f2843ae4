import { tidy } from '../../series/sliding.ts';
import type { Balance } from './balance.ts';
import { hopFrames } from './power-ear.ts';

/** The output at each hop of a stretch: shares of the stand-in and of the original, the rest from the suppressor. */
export interface Shares {
  /** First hop, absolute. */
  readonly from: number;
  readonly standIn: Float32Array;
  readonly original: Float32Array;
  /** Of the original, the part that is music without a voice. */
  readonly music: Float32Array;
}

/** 1 where the mask is 1 and for `margin` hops around it, then falling to 0 within `fade`. */
function faded(mask: Uint8Array, margin: number, fade: number): Float32Array {
  const away = new Int32Array(mask.length).fill(mask.length + margin + fade);
  for (let hop = 0; hop < mask.length; hop += 1)
    away[hop] = mask[hop] === 1 ? 0 : Math.min(away[hop] as number, (away[hop - 1] ?? mask.length + margin + fade) + 1);
  for (let hop = mask.length - 2; hop >= 0; hop -= 1)
    away[hop] = Math.min(away[hop] as number, (away[hop + 1] as number) + 1);
  return Float32Array.from(away, (hops) => Math.min(1, Math.max(0, 1 - (hops - margin) / fade)));
}

/** Marks hops of a stretch that starts at `from`. */
export function mark(mask: Uint8Array, from: number, start: number, end: number): void {
  if (end > from) mask.fill(1, Math.max(0, start - from), Math.max(0, end - from));
}

/** Music fades within a quarter of a second; a voice is followed from sound to sound. */
const musicFadeHops = 25;
const eventMarginHops = 5;
const eventFadeHops = 5;
/** The stand-in stays on between two sounds this close, or the background would come and go. */
const standInGapHops = 60;
/** Possible voices are attenuated by 8 dB at most. */
const doubtfulShare = 0.4;
/** Hops beyond a chapter's ends that its shares depend on. */
export const shareReachHops = standInGapHops + eventMarginHops + eventFadeHops;

const shareAt = ({ from }: Shares, values: Float32Array, hop: number): number =>
  values[Math.min(values.length - 1, Math.max(0, hop - from))] ?? 0;

/** @param masks of one stretch; `standIn` is changed */
export function sharesOf(
  from: number,
  masks: Readonly<Record<'music' | 'standIn' | 'original' | 'doubtful', Uint8Array>>,
): Shares {
  tidy(masks.standIn, standInGapHops, 1);
  const music = faded(masks.music, 0, musicFadeHops);
  const saved = faded(masks.original, eventMarginHops, eventFadeHops);
  const doubtful = faded(masks.doubtful, eventMarginHops, eventFadeHops);
  const original = music.map((x, hop) => Math.max(x, saved[hop] as number, doubtfulShare * (doubtful[hop] as number)));
  const standIn = faded(masks.standIn, eventMarginHops, eventFadeHops).map(
    (x, hop) => x * (1 - (original[hop] as number)),
  );
  return { from, standIn, original, music };
}

/** Invalid samples (NaN, infinite, absurd) become silence, as in every kernel. */
const sane = (x: number): number => (x < 1e6 && x > -1e6 ? x : 0);

/** Frames [start, end) of planes that begin at frame `from`, between the middles of two hops, and the shares there. */
interface HopMix {
  readonly from: number;
  readonly start: number;
  readonly end: number;
  readonly hop: number;
  readonly standIn: readonly [number, number];
  readonly original: readonly [number, number];
}

/** In place. A function of its own, which V8 optimizes once: a long loop in a function that runs rarely each time. */
function mixHop(
  plane: Float32Array,
  other: Float32Array,
  dry: Float32Array,
  { from, start, end, hop, standIn: [s0, s1], original: [o0, o1] }: HopMix,
): void {
  for (let i = start; i < end; i += 1) {
    const place = (from + i) / hopFrames - 0.5 - hop;
    const [s, o] = [s0 + (s1 - s0) * place, o0 + (o1 - o0) * place];
    plane[i] =
      (plane[i] as number) * (1 - s - o) +
      (s > 0 ? s * (other[i] as number) : 0) +
      (o > 0 ? o * sane(dry[i] as number) : 0);
  }
}

/** Mixes frames [from, from + frames) into `planes`, which hold the suppressor's output. Shares apply at mid-hop. */
export function mixShares(
  planes: readonly Float32Array[],
  standIn: readonly Float32Array[] | null,
  original: readonly Float32Array[],
  from: number,
  shares: Shares,
): void {
  for (const [channel, plane] of planes.entries()) {
    for (let start = 0; start < plane.length;) {
      const hop = Math.floor((from + start) / hopFrames - 0.5);
      const end = Math.min(plane.length, (hop + 1.5) * hopFrames - from);
      const [s0, s1] = [shareAt(shares, shares.standIn, hop), shareAt(shares, shares.standIn, hop + 1)];
      const [o0, o1] = [shareAt(shares, shares.original, hop), shareAt(shares, shares.original, hop + 1)];
      if (s0 + s1 + o0 + o1 > 0) {
        const [other, dry] = [standIn?.[channel] ?? plane, original[channel] as Float32Array];
        mixHop(plane, other, dry, { from, start, end, hop, standIn: [s0, s1], original: [o0, o1] });
      }
      start = end;
    }
  }
}

/** In place, of frames [start, end) between the middles of two hops; the share of music at both. */
function weighHop(
  plane: Float32Array,
  dry: Float32Array,
  { from, start, end, hop }: Pick<HopMix, 'from' | 'start' | 'end' | 'hop'>,
  [m0, m1]: readonly [number, number],
  { voice, room, music }: Balance,
): void {
  if (m0 + m1 === 0) {
    for (let i = start; i < end; i += 1) {
      const kept = plane[i] as number;
      plane[i] = voice * kept + room * (sane(dry[i] as number) - kept);
    }
    return;
  }
  for (let i = start; i < end; i += 1) {
    const share = m0 + (m1 - m0) * ((from + i) / hopFrames - 0.5 - hop);
    const [kept, heard] = [plane[i] as number, sane(dry[i] as number)];
    plane[i] = voice * (kept - share * heard) + room * (heard - kept) + music * share * heard;
  }
}

/**
 * Weighs voice, room and music of frames [from, from + frames): what `mixShares` kept, what it took away, and what it
 * kept as music.
 */
export function weigh(
  planes: readonly Float32Array[],
  original: readonly Float32Array[],
  from: number,
  shares: Shares,
  balance: Balance,
): void {
  for (const [channel, plane] of planes.entries())
    for (let start = 0; start < plane.length;) {
      const hop = Math.floor((from + start) / hopFrames - 0.5);
      const end = Math.min(plane.length, (hop + 1.5) * hopFrames - from);
      const music = [shareAt(shares, shares.music, hop), shareAt(shares, shares.music, hop + 1)] as const;
      weighHop(plane, original[channel] as Float32Array, { from, start, end, hop }, music, balance);
      start = end;
    }
}
