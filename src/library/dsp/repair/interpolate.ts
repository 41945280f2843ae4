import { lowPass } from './decimate.ts';

/** Reach of the interpolation back to the recording's rate, in samples of the lower one. */
export const interpolatorReach = 10;

/** Sound at a higher rate: `factor` samples for one, in step; `reach` samples of input on either side are used up. */
export function createInterpolator(factor: number): (input: Float32Array) => Float32Array {
  const reach = interpolatorReach * factor;
  const taps = lowPass(0.5 / factor, reach - 1, factor);
  return (input) => {
    const count = (input.length - 2 * interpolatorReach) * factor;
    const out = new Float32Array(count);
    for (let n = 0; n < count; n += 1) {
      const place = n + reach;
      // Input samples within reach of this place.
      const first = Math.ceil((place - reach + 1) / factor);
      const last = Math.floor((place + reach - 1) / factor);
      let sum = 0;
      for (let k = first; k <= last; k += 1)
        sum += (input[k] as number) * (taps[place - k * factor + reach - 1] as number);
      out[n] = sum;
    }
    return out;
  };
}
