import { loudnessOf } from './speech-levels.ts';

/**
 * Integrated loudness of hops of K-weighted energy after a gain per hop: ITU-R BS.1770-5 gating over 400 ms blocks
 * every 100 ms. Within a few hundredths of a decibel of the measurement, because slow gains hardly change within a hop.
 * @param gainsDb one per hop, or null for none
 * @param only hops that are 0 in it count as silence
 * @returns LUFS; null when nothing passes the gate
 */
export function integratedOfHops(
  energy: Float32Array,
  hopSeconds: number,
  gainsDb: Float32Array | null,
  only?: Uint8Array,
): number | null {
  const stepHops = Math.round(0.1 / hopSeconds);
  const steps = Math.floor(energy.length / stepHops);
  const sums = new Float64Array(steps);
  for (let step = 0; step < steps; step += 1) {
    for (let hop = step * stepHops; hop < (step + 1) * stepHops; hop += 1)
      if (only?.[hop] !== 0) sums[step]! += (energy[hop] as number) * 10 ** ((gainsDb?.[hop] ?? 0) / 10);
  }
  const blocks = new Float64Array(Math.max(0, steps - 3));
  for (let step = 3; step < steps; step += 1) {
    blocks[step - 3] =
      ((sums[step - 3] as number) + (sums[step - 2] as number) + (sums[step - 1] as number) + (sums[step] as number)) /
      (4 * stepHops);
  }
  const meanOver = (gate: number): number => {
    let sum = 0;
    let count = 0;
    for (const block of blocks) {
      if (block <= gate) continue;
      sum += block;
      count += 1;
    }
    return count === 0 ? 0 : sum / count;
  };
  const absolute = 10 ** ((-70 + 0.691) / 10);
  const first = meanOver(absolute);
  if (first === 0) return null;
  const second = meanOver(Math.max(absolute, first / 10));
  return second === 0 ? null : loudnessOf(second);
}

/** Greatest sample peak after a gain per hop, dB re full scale; -Infinity for silence. */
export function peakOfHops(peak: Float32Array, gainsDb: Float32Array): number {
  let most = 0;
  for (let hop = 0; hop < peak.length; hop += 1) {
    // Within a hop the gain moves towards the next hop's.
    const gain = Math.max(gainsDb[hop] ?? 0, gainsDb[hop + 1] ?? Number.NEGATIVE_INFINITY);
    most = Math.max(most, (peak[hop] as number) * 10 ** (gain / 20));
  }
  return 20 * Math.log10(most);
}
