import type { TimeRange } from '../../core/time-range.ts';
/** A stretch with one speaker; 1 and up. */
interface SpokenTurn extends TimeRange {
  readonly speaker: number;
}

/** The speaker of each hop: 0 for none and for several. */
export function speakersOfHops(turns: readonly SpokenTurn[], hops: number, hopSeconds: number): Uint8Array {
  const alone = new Uint8Array(hops);
  const heard = new Uint8Array(hops);
  for (const { startSeconds, endSeconds, speaker } of turns) {
    const end = Math.min(hops, Math.round(endSeconds / hopSeconds));
    for (let hop = Math.max(0, Math.round(startSeconds / hopSeconds)); hop < end; hop += 1) {
      alone[hop] = heard[hop] === 0 ? speaker : 0;
      heard[hop] = 1;
    }
  }
  return alone;
}
