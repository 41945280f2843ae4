/** Reaches this many zero crossings to either side. */
const lobes = 5;

/** A low-pass of linear phase whose band ends at `edge` of the rate, scaled for `gain`. */
export function lowPass(edge: number, reach: number, gain = 1): Float32Array {
  const taps = new Float32Array(2 * reach + 1);
  let sum = 0;
  for (let n = -reach; n <= reach; n += 1) {
    const x = 2 * edge * n;
    const value =
      (n === 0 ? 1 : Math.sin(Math.PI * x) / (Math.PI * x)) * (0.5 + 0.5 * Math.cos((Math.PI * n) / (reach + 1)));
    taps[n + reach] = value;
    sum += value;
  }
  return taps.map((tap) => (gain * tap) / sum);
}

export interface Decimator {
  readonly factor: number;
  /** Frames of input on either side that an output depends on. */
  readonly reach: number;
  /** Output n belongs to input frame n * factor + reach. Stateless: as many outputs as the input has frames for. */
  run(input: Float32Array): Float32Array<ArrayBuffer>;
}

/** Low-passes below two fifths of the lower rate and keeps every `factor`-th sample. */
export function createDecimator(factor: number): Decimator {
  const reach = lobes * factor;
  const taps = lowPass(0.46 / factor, reach);
  return {
    factor,
    reach,
    run(input) {
      const count = Math.max(0, Math.floor((input.length - 2 * reach - 1) / factor) + 1);
      const out = new Float32Array(count);
      for (let n = 0; n < count; n += 1) {
        const from = n * factor;
        let sum = (taps[reach] as number) * (input[from + reach] as number);
        for (let k = 0; k < reach; k += 1)
          sum += (taps[k] as number) * ((input[from + k] as number) + (input[from + 2 * reach - k] as number));
        out[n] = sum;
      }
      return out;
    },
  };
}
