import { createStft } from '../../kernels/stft.ts';
import { slidingMean, slidingMin } from '../series/sliding.ts';

/** Recordings are compared at this rate: a telephone carries no more. Hz. */
export const syncRate = 8000;
/** One row of marks every so many seconds: `hopSamples`. */
export const marksPerSecond = 50;
const hopSamples = syncRate / marksPerSecond;
export const bandCount = 24;
const frameSamples = 512;
export const frameBins = frameSamples / 2 + 1;
const lowestHz = 180;
const highestHz = 3600;

/** The level of a band where nothing is: far below the last bit of 16. */
const leastPower = 1e-9;
/** Levels are kept in steps of this many nats. */
const levelStep = 1 / 900;
const floorMarks = 5 * marksPerSecond;
const floorPercentile = 0.15;
/** The floor is the lowest of so many blocks to either side. */
const floorReach = 3;
/** What lies this far above the floor begins to count, nats. */
const aboveFloor = 1.6;
const activeAboveFloor = 2.3;
/** Half of the 0.8 s of which the mean is taken away. */
const meanReach = 20;
const mostMark = 2.5;
/** Marks are whole numbers of this many a nat. */
const marksANat = 50;
/** Of means over 5 s, the loud ones of a soft recording are raised to this. */
const usualActivity = 0.6;
const leastActivity = 0.004;
const mostRaised = 60;

/** Steps of a histogram of powers, two for a factor of two. */
const powerSteps = 160;
const stepsAnOctave = 2;
const leastOctave = -45;
const noiseEvery = 8;

/** What a recording sounds like over time, small enough to keep: 4.5 MB an hour. */
export interface Marks {
  /** Rows, `marksPerSecond`. */
  readonly count: number;
  /** Band after band, `count` each: the level above its floor, without its own slow mean. */
  readonly bands: Int8Array;
  /** By row: how much goes on; from 0.15 as a mean somebody speaks. */
  readonly activity: Float32Array;
  /** Power by bin of a frame of 64 ms where the recording is quietest. */
  readonly noise: Float32Array;
}

interface Band {
  readonly from: number;
  readonly weights: Float32Array;
}

const toMel = (hz: number): number => 1127 * Math.log(1 + hz / 700);
const fromMel = (mel: number): number => 700 * (Math.exp(mel / 1127) - 1);

/** Triangles over the bins of a frame, evenly on the mel scale. */
function melBands(): Band[] {
  const edge = (index: number): number =>
    (fromMel(toMel(lowestHz) + ((toMel(highestHz) - toMel(lowestHz)) * index) / (bandCount + 1)) * frameSamples) /
    syncRate;
  return Array.from({ length: bandCount }, (_, band) => {
    const [low, middle, high] = [edge(band), edge(band + 1), edge(band + 2)];
    const from = Math.ceil(low);
    const weights = Float32Array.from({ length: Math.floor(high) - from + 1 }, (_each, index) =>
      Math.max(0, Math.min((from + index - low) / (middle - low), (high - from - index) / (high - middle))),
    );
    return { from, weights };
  });
}

/** The symmetric Hann window. */
export const hann = (length: number, size = length): Float32Array =>
  Float32Array.from({ length: size }, (_, at) =>
    at < length ? 0.5 - 0.5 * Math.cos((2 * Math.PI * at) / (length - 1)) : 0,
  );

/** The value below which a share of sorted values lies. */
function percentile(sorted: { readonly [index: number]: number; readonly length: number }, share: number): number {
  const at = share * (sorted.length - 1);
  const [low, high] = [sorted[Math.floor(at)] as number, sorted[Math.ceil(at)] as number];
  return low + (high - low) * (at - Math.floor(at));
}

/** Levels row after row, while they come in. */
class LevelRows {
  private readonly parts: Int16Array[] = [];
  private filled = 0;
  count = 0;

  add(levels: Float32Array): void {
    let part = this.parts.at(-1);
    if (part === undefined || this.filled === part.length) {
      part = new Int16Array(bandCount * 4096);
      this.parts.push(part);
      this.filled = 0;
    }
    for (let band = 0; band < bandCount; band += 1)
      part[this.filled + band] = Math.round((levels[band] as number) / levelStep);
    this.filled += bandCount;
    this.count += 1;
  }

  /** Of one band, nats. */
  band(band: number, out: Float32Array): void {
    let row = 0;
    for (const part of this.parts)
      for (let at = band; at < part.length && row < this.count; at += bandCount) {
        out[row] = (part[at] as number) * levelStep;
        row += 1;
      }
  }
}

/** The floor of each block of 5 s. */
function floorOf(levels: Float32Array): Float32Array {
  const blocks = Math.max(1, Math.floor(levels.length / floorMarks));
  const floor = Float32Array.from({ length: blocks }, (_, block) =>
    percentile(
      levels.slice(block * floorMarks, block === blocks - 1 ? levels.length : (block + 1) * floorMarks).sort(),
      floorPercentile,
    ),
  );
  return slidingMin(floor, floorReach);
}

function raised(activity: Float32Array): Float32Array {
  const means = slidingMean(
    activity.map((each) => Math.min(1, each)),
    Math.floor(floorMarks / 2),
  ).sort();
  const loud = percentile(means, 0.9);
  if (!(loud > leastActivity)) return activity;
  const gain = Math.min(mostRaised, Math.max(1, usualActivity / loud));
  return activity.map((each) => each * gain);
}

function marksOf(rows: LevelRows, noise: Float32Array): Marks {
  const { count } = rows;
  const shape = new Int16Array(bandCount * count);
  const activity = new Float32Array(count);
  const together = new Float32Array(count);
  const levels = new Float32Array(count);
  for (let band = 0; band < bandCount; band += 1) {
    rows.band(band, levels);
    const floor = floorOf(levels);
    for (let row = 0; row < count; row += 1) {
      const over =
        (levels[row] as number) - (floor[Math.min(floor.length - 1, Math.floor(row / floorMarks))] as number);
      activity[row] = (activity[row] as number) + Math.max(0, over - activeAboveFloor) / bandCount;
      levels[row] = Math.log1p(Math.exp(over - aboveFloor));
    }
    const mean = slidingMean(levels, meanReach);
    for (let row = 0; row < count; row += 1) {
      const own = (levels[row] as number) - (mean[row] as number);
      together[row] = (together[row] as number) + own / bandCount;
      shape[band * count + row] = Math.round(own / levelStep);
    }
  }
  const bands = new Int8Array(shape.length);
  for (let at = 0, row = 0; at < shape.length; at += 1, row = row + 1 === count ? 0 : row + 1) {
    const own = (shape[at] as number) * levelStep - (together[row] as number) / 2;
    bands[at] = Math.round(marksANat * Math.max(-mostMark, Math.min(mostMark, own)));
  }
  return { count, bands, activity: raised(activity), noise };
}

/** Takes mono sound of `syncRate`, block after block. */
export interface MarkCollector {
  push(samples: Float32Array): void;
  finish(): Marks;
}

/**
 * Marks of a recording: 24 mel bands of 180 to 3600 Hz every 20 ms, each above its own floor, so that noise counts
 * nothing, and without its slow mean, so that no filter and no gain changes it.
 */
export function collectMarks(): MarkCollector {
  const batch = 128;
  const stft = createStft({ window: hann(frameSamples), hop: hopSamples });
  const bands = melBands();
  const [re, im] = [new Float32Array(batch * frameBins), new Float32Array(batch * frameBins)];
  const waiting = new Float32Array((batch - 1) * hopSamples + frameSamples);
  const rows = new LevelRows();
  const histogram = new Uint32Array(frameBins * powerSteps);
  const power = new Float32Array(frameBins);
  const levels = new Float32Array(bandCount);
  let held = 0;

  const remember = (): void => {
    for (let bin = 0; bin < frameBins; bin += 1) {
      const octave = Math.log2((power[bin] as number) + 1e-13);
      const step = Math.max(0, Math.min(powerSteps - 1, Math.round((octave - leastOctave) * stepsAnOctave)));
      histogram[bin * powerSteps + step] = (histogram[bin * powerSteps + step] as number) + 1;
    }
  };
  const take = (count: number): void => {
    stft.forward(waiting, count, 1, re, im);
    for (let frame = 0; frame < count; frame += 1) {
      const at = frame * frameBins;
      for (let bin = 0; bin < frameBins; bin += 1) {
        const real = re[at + bin] as number;
        const imaginary = im[at + bin] as number;
        power[bin] = real * real + imaginary * imaginary;
      }
      if (rows.count % noiseEvery === 0) remember();
      for (let band = 0; band < bandCount; band += 1) {
        const { from, weights } = bands[band] as Band;
        let sum = leastPower;
        for (let bin = 0; bin < weights.length; bin += 1)
          sum += (weights[bin] as number) * (power[from + bin] as number);
        levels[band] = Math.log(sum);
      }
      rows.add(levels);
    }
    waiting.copyWithin(0, count * hopSamples, held);
    held -= count * hopSamples;
  };
  const noise = (): Float32Array => {
    const wanted = floorPercentile * Math.ceil(rows.count / noiseEvery);
    return Float32Array.from({ length: frameBins }, (_, bin) => {
      let step = 0;
      for (let seen = 0; step < powerSteps; step += 1) {
        seen += histogram[bin * powerSteps + step] as number;
        if (seen > wanted) break;
      }
      return 2 ** (leastOctave + step / stepsAnOctave);
    });
  };
  return {
    push(samples) {
      for (let at = 0; at < samples.length;) {
        const some = Math.min(samples.length - at, waiting.length - held);
        waiting.set(samples.subarray(at, at + some), held);
        held += some;
        at += some;
        if (held === waiting.length) take(batch);
      }
    },
    finish() {
      const count = Math.floor((held - frameSamples) / hopSamples) + 1;
      if (held >= frameSamples) take(count);
      return marksOf(rows, noise());
    },
  };
}
