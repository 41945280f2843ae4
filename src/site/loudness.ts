// Loudness and levels of decoded sound, for the comparison of before and after. The service measures its own outputs;
// this measures what is heard in the browser, both sides in the same way.

export interface Measured {
  readonly seconds: number;
  /** ITU-R BS.1770-4 with both gates; null for silence and for less than 0.4 s. */
  readonly integratedLufs: number | null;
  /** Largest sample of all channels; null for silence. */
  readonly samplePeakDbfs: number | null;
  /** Root mean square of the quietest tenth of all 50 ms that are not digital silence; null: none. */
  readonly noiseFloorDbfs: number | null;
}

type Coefficients = readonly [b0: number, b1: number, b2: number, a1: number, a2: number];

/** The two filters of K-weighting for any rate, from the analogue prototypes behind the standard's tables. */
function kWeighting(rate: number): readonly [Coefficients, Coefficients] {
  const shelf = (): Coefficients => {
    const [f0, gain, q] = [1681.974450955533, 3.999843853973347, 0.7071752369554196];
    const k = Math.tan((Math.PI * f0) / rate);
    const vh = 10 ** (gain / 20);
    const vb = vh ** 0.4996667741545416;
    const a0 = 1 + k / q + k * k;
    return [
      (vh + (vb * k) / q + k * k) / a0,
      (2 * (k * k - vh)) / a0,
      (vh - (vb * k) / q + k * k) / a0,
      (2 * (k * k - 1)) / a0,
      (1 - k / q + k * k) / a0,
    ];
  };
  const highPass = (): Coefficients => {
    const [f0, q] = [38.13547087602444, 0.5003270373238773];
    const k = Math.tan((Math.PI * f0) / rate);
    const a0 = 1 + k / q + k * k;
    return [1, -2, 1, (2 * (k * k - 1)) / a0, (1 - k / q + k * k) / a0];
  };
  return [shelf(), highPass()];
}

/** Mean squares of one channel over steps of 0.1 s, K-weighted. */
function createWeighting(rate: number) {
  const [first, second] = kWeighting(rate);
  const length = Math.round(rate / 10);
  const steps: number[] = [];
  let [x1, x2, y1, y2, z1, z2] = [0, 0, 0, 0, 0, 0];
  let [sum, count] = [0, 0];
  const push = (samples: Float32Array): void => {
    for (const x of samples) {
      const y = first[0] * x + first[1] * x1 + first[2] * x2 - first[3] * y1 - first[4] * y2;
      const z = second[0] * y + second[1] * y1 + second[2] * y2 - second[3] * z1 - second[4] * z2;
      [x2, x1, y2, y1, z2, z1] = [x1, x, y1, y, z1, z];
      sum += z * z;
      count += 1;
      if (count < length) continue;
      steps.push(sum / length);
      [sum, count] = [0, 0];
    }
  };
  return { push, steps };
}

const toLufs = (power: number): number => -0.691 + 10 * Math.log10(power);
const mean = (values: readonly number[]): number => values.reduce((sum, value) => sum + value, 0) / values.length;

/** Integrated loudness of channels with equal weights: mono and stereo. @param weighted steps of each channel */
function integrated(weighted: readonly (readonly number[])[]): number | null {
  const steps = weighted[0]?.length ?? 0;
  const blocks: number[] = [];
  for (let start = 0; start + 4 <= steps; start++) {
    let power = 0;
    for (const channel of weighted) for (let step = 0; step < 4; step++) power += (channel[start + step] ?? 0) / 4;
    blocks.push(power);
  }
  const loud = blocks.filter((power) => power > 0 && toLufs(power) > -70);
  if (loud.length === 0) return null;
  const relative = toLufs(mean(loud)) - 10;
  const kept = loud.filter((power) => toLufs(power) > relative);
  return kept.length === 0 ? null : toLufs(mean(kept));
}

/** Measures sound that comes in parts. */
export function createMeter(count: number, rate: number) {
  const weighting = Array.from({ length: count }, () => createWeighting(rate));
  const length = Math.round(rate / 20);
  const levels: number[] = [];
  let [frames, peak, sum, summed] = [0, 0, 0, 0];
  return {
    push(channels: readonly Float32Array[]): void {
      for (const [at, samples] of channels.entries()) weighting[at]?.push(samples);
      const size = channels[0]?.length ?? 0;
      for (let frame = 0; frame < size; frame++) {
        for (const samples of channels) {
          const sample = Math.abs(samples[frame] ?? 0);
          if (sample > peak) peak = sample;
          sum += sample ** 2;
        }
        summed += 1;
        if (summed < length) continue;
        if (sum > 0) levels.push(sum / (length * count));
        [sum, summed] = [0, 0];
      }
      frames += size;
    },
    done(): Measured {
      levels.sort((a, b) => a - b);
      const quiet = levels.slice(0, Math.max(1, Math.floor(levels.length / 10)));
      return {
        seconds: frames / rate,
        integratedLufs: integrated(weighting.map(({ steps }) => steps)),
        samplePeakDbfs: peak === 0 ? null : 20 * Math.log10(peak),
        noiseFloorDbfs: levels.length === 0 ? null : 10 * Math.log10(mean(quiet)),
      };
    },
  };
}

export function measure(channels: readonly Float32Array[], rate: number): Measured {
  const meter = createMeter(channels.length, rate);
  meter.push(channels);
  return meter.done();
}
