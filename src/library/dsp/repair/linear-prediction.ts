/** How a signal follows from its last samples: `a[0] = 1`, and the sum of `a[k] * x[n - k]` is its innovation. */
export interface Prediction {
  readonly coefficients: Float64Array;
  /** Of the innovation, for one sample. */
  readonly variance: number;
}

/** Noise is added to the signal, so far below it, as a share: a band without sound would be predicted too surely. */
const noiseShare = 1e-6;

/** By the autocorrelation of Hann-windowed stretches together (Levinson and Durbin). */
export function predict(stretches: readonly Float32Array[], order: number): Prediction {
  const correlation = new Float64Array(order + 1);
  let weight = 1e-12;
  for (const samples of stretches) {
    const windowed = new Float64Array(samples.length);
    for (let i = 0; i < samples.length; i += 1) {
      const window = 0.5 - 0.5 * Math.cos((2 * Math.PI * (i + 0.5)) / samples.length);
      windowed[i] = window * (samples[i] as number);
      weight += window * window;
    }
    for (let lag = 0; lag <= order; lag += 1) {
      let sum = 0;
      for (let i = lag; i < samples.length; i += 1) sum += (windowed[i] as number) * (windowed[i - lag] as number);
      correlation[lag] = (correlation[lag] as number) + sum;
    }
  }
  correlation[0] = (correlation[0] as number) * (1 + noiseShare) + 1e-12;
  const a = new Float64Array(order + 1);
  const last = new Float64Array(order + 1);
  a[0] = 1;
  let error = correlation[0];
  for (let i = 1; i <= order; i += 1) {
    let sum = correlation[i] as number;
    for (let j = 1; j < i; j += 1) sum += (a[j] as number) * (correlation[i - j] as number);
    const reflection = -sum / error;
    last.set(a);
    for (let j = 1; j < i; j += 1) a[j] = (last[j] as number) + reflection * (last[i - j] as number);
    a[i] = reflection;
    error *= 1 - reflection * reflection;
  }
  return { coefficients: a, variance: error / weight };
}
