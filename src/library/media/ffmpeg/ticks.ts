/** FFmpeg's "no timestamp". */
export const noTimestamp = -(2n ** 63n);

/** A timestamp in a stream's ticks as seconds; null for FFmpeg's "none". */
export function ticksToSeconds(ticks: bigint, base: { num: number; den: number }): number | null {
  if (ticks === noTimestamp || base.den === 0) return null;
  return (Number(ticks) * base.num) / base.den;
}
