import { createStft } from '../../../kernels/stft.ts';
import { principalAxis } from '../../series/principal-axis.ts';
import { createSampleWindow } from '../suppressor/sample-window.ts';
import { earRate, hopsPerSecond } from './power-ear.ts';

const frame = 256;
const hop = earRate / hopsPerSecond;
const binHz = earRate / frame;
const bandCount = 12;
/** Equally wide in octaves from 100 Hz to 3.8 kHz, at least one bin. */
const edges = ((): readonly number[] => {
  const out: number[] = [];
  for (let band = 0; band <= bandCount; band += 1)
    out.push(Math.max((out.at(-1) ?? 0) + 1, Math.round((100 * 38 ** (band / bandCount)) / binHz)));
  return out;
})();
/** Limit of a rise, dB: a click from silence counts no more than a drum. */
const mostRiseDb = 15;
/** Onsets repeat after 0.2 to 1.5 s. */
const [leastLag, mostLag] = [0.2 * hopsPerSecond, 1.5 * hopsPerSecond];
/** Strokes below this part of the fifth strongest are ignored: murmur between strokes. */
const leastStroke = 0.5;
const mostStrokes = 20;
/** A stroke is the strongest hop within this reach. */
const strokeHops = 6;

/** The rhythm of a stretch of sound. */
export interface Rhythm {
  /** How well the onsets repeat, 0 to 1, on the bands' principal component. */
  readonly pulse: number;
  /** Share of the rises that is simultaneous in all bands, 0 to 1. High for machines, low for a band. */
  readonly inStep: number;
  /** Lower quartile of the similarity of any two of the strongest onsets, 0 to 1. High for machines. */
  readonly likeness: number;
  /**
   * Centre of the lowest fifth of the strongest onsets, in bands from 0 to 11: 5.5 where all bands rise alike, less for
   * drums and basses, more for ticks, rattles and chirps.
   */
  readonly register: number;
  /** Mean rise of the bands at the strongest onsets, dB. Swaying sounds have 1 to 2. */
  readonly strength: number;
}

const noRhythm: Rhythm = { pulse: 0, inStep: 1, likeness: 1, register: bandCount / 2, strength: 0 };

/** Greatest autocorrelation between the lags, with a tolerance of a hop. */
function repeats(values: Float64Array): number {
  const mean = values.reduce((sum, x) => sum + x, 0) / values.length;
  // Human timing: a hop early or late counts.
  const wide = values.map((x, i) => (x + (values[i - 1] ?? mean) + (values[i + 1] ?? mean)) / 3 - mean);
  const energy = wide.reduce((sum, x) => sum + x * x, 0);
  if (energy < 1e-6) return 0;
  let best = 0;
  for (let lag = leastLag; lag <= mostLag; lag += 1) {
    let sum = 0;
    for (let i = 0; i + lag < wide.length; i += 1) sum += (wide[i] as number) * (wide[i + lag] as number);
    best = Math.max(best, (sum / energy) * (wide.length / (wide.length - lag)));
  }
  return best;
}

/** Similarity, register and strength of the strongest onsets. */
function describeStrokes(rows: readonly Float64Array[]): Pick<Rhythm, 'likeness' | 'register' | 'strength'> {
  const sums = Float64Array.from(rows, (row) => row.reduce((sum, x) => sum + x, 0));
  const isStroke = (t: number): boolean => {
    for (let near = Math.max(0, t - strokeHops); near <= Math.min(sums.length - 1, t + strokeHops); near += 1) {
      const other = sums[near] as number;
      if (other > (sums[t] as number) || (other === sums[t] && near < t)) return false;
    }
    return true;
  };
  const strongest = [...sums.keys()]
    .filter(isStroke)
    .toSorted((a, b) => (sums[b] as number) - (sums[a] as number))
    .slice(0, mostStrokes);
  const least = leastStroke * (sums[strongest[4] ?? 0] as number);
  const moments = strongest.filter((t) => (sums[t] as number) >= least);
  const strokes = moments.map((t) => {
    const shape = new Float64Array(bandCount);
    for (const row of rows.slice(Math.max(0, t - 2), t + 3))
      for (let band = 0; band < bandCount; band += 1)
        shape[band] = (shape[band] as number) + Math.max(0, row[band] as number);
    const length = Math.hypot(...shape);
    return length > 0 ? shape.map((x) => x / length) : shape;
  });
  const cosines: number[] = [];
  for (const [index, a] of strokes.entries())
    for (const b of strokes.slice(index + 1))
      cosines.push(a.reduce((sum, x, band) => sum + x * (b[band] as number), 0));
  const centres = strokes.map((shape) => {
    const total = shape.reduce((sum, x) => sum + x, 0);
    return total > 0 ? shape.reduce((sum, x, band) => sum + band * x, 0) / total : noRhythm.register;
  });
  const at = (values: readonly number[], share: number): number | undefined =>
    values.toSorted((a, b) => a - b)[Math.floor(share * values.length)];
  return {
    likeness: at(cosines, 0.25) ?? noRhythm.likeness,
    register: at(centres, 0.2) ?? noRhythm.register,
    strength: moments.reduce((sum, t) => sum + (sums[t] as number), 0) / (bandCount * Math.max(1, moments.length)),
  };
}

export interface RhythmMeter {
  /** @param samples at 8 kHz */
  push(samples: Float32Array): void;
  /** Of the available hops in [from, to). */
  rhythm(from: number, to: number): Rhythm;
  discard(beforeHop: number): void;
}

/**
 * Detects a beat: rises of twelve bands' levels within 20 ms, and how they repeat (the pulse of Scheirer and Slaney,
 * ICASSP 1997, on the bands' principal component, so that a murmur does not blur it).
 */
export function meterRhythm(): RhythmMeter {
  const window = Float32Array.from(
    { length: frame },
    (_, i) => 0.5 - 0.5 * Math.cos((2 * Math.PI * (i + 0.5)) / frame),
  );
  const stft = createStft({ window, hop });
  const { bins } = stft;
  const heard = createSampleWindow(1);
  const risen = createSampleWindow(bandCount);
  let hops = 0;
  return {
    push(samples) {
      heard.append([samples], samples.length);
      const count = Math.floor((heard.end - hops * hop - frame) / hop) + 1;
      if (count <= 0) return;
      // Rises are over two hops; the start of the recording is not a rise.
      const lead = Math.min(2, hops);
      const from = (hops - lead) * hop;
      const [re, im] = [new Float32Array((count + lead) * bins), new Float32Array((count + lead) * bins)];
      stft.forward(heard.read(0, from, heard.end), count + lead, 1 / frame, re, im);
      const rises = edges.slice(1).map((end, band) => {
        const levels = Float32Array.from({ length: count + lead }, (_, t) => {
          let power = 1e-9;
          for (let k = t * bins + (edges[band] as number); k < t * bins + end; k += 1)
            power += (re[k] as number) ** 2 + (im[k] as number) ** 2;
          return 10 * Math.log10(power);
        });
        return Float32Array.from({ length: count }, (_, t) => {
          const now = t + lead;
          return now < 2 ? 0 : Math.min(mostRiseDb, Math.max(0, (levels[now] as number) - (levels[now - 2] as number)));
        });
      });
      risen.append(rises, count);
      hops += count;
      heard.discard((hops - 2) * hop);
    },
    rhythm(from, to) {
      const [start, end] = [Math.max(0, from), Math.min(risen.end, to)];
      const count = Math.max(0, end - start);
      if (count < 2 * mostLag) return noRhythm;
      const bands = Array.from({ length: bandCount }, (_, band) => {
        const rises = risen.read(band, start, end);
        const mean = rises.reduce((sum, x) => sum + x, 0) / count;
        return rises.map((x) => x - mean);
      });
      const rows = Array.from({ length: count }, (_, t) => Float64Array.from(bands, (band) => band[t] as number));
      const covariance = new Float64Array(bandCount * bandCount);
      for (const row of rows)
        for (let i = 0; i < bandCount; i += 1)
          for (let j = 0; j < bandCount; j += 1)
            covariance[i * bandCount + j]! += ((row[i] as number) * (row[j] as number)) / count;
      const trace = bands.reduce((sum, _, band) => sum + (covariance[band * (bandCount + 1)] as number), 0);
      if (trace < 1e-6) return noRhythm;
      const { value, vector } = principalAxis(covariance);
      const along = Float64Array.from(rows, (row) =>
        row.reduce((sum, x, band) => sum + x * (vector[band] as number), 0),
      );
      return {
        pulse: repeats(along),
        inStep: value / trace,
        ...describeStrokes(rows),
      };
    },
    discard: (beforeHop) => risen.discard(beforeHop),
  };
}
