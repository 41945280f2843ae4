// Changes how fast a sound goes and keeps its pitch: WSOLA, overlap-add of frames that are chosen by how alike the
// waveform is (Verhelst and Roelands, "An overlap-add technique based on waveform similarity (WSOLA) for high quality
// time-scale modification of speech", ICASSP 1993).
import type { AudioFormat } from '../../pcm/block.ts';
import type { Emit, Stage } from '../../pcm/stage.ts';
import { Tape } from './tape.ts';

/** Two of the longest pitch periods of a low voice. */
const frameSeconds = 0.04;
/** How far from its place a frame may be taken: a period of 40 Hz. */
const searchSeconds = 0.0125;
/** Of the first search, which is made over a sound of so many times fewer samples. */
const coarse = 8;
/** Frames that lie where they belong are preferred to those that are hardly more alike. */
const besideCost = 0.02;

/** Adds the product of two stretches and the power of the other one, in one loop: most of the work is here. */
function addProducts(one: Float32Array, other: Float32Array, sums: { product: number; power: number }): void {
  let [product, power] = [0, 0];
  for (let at = 0; at < one.length; at += 1) {
    const sample = other[at]!;
    product += one[at]! * sample;
    power += sample * sample;
  }
  sums.product += product;
  sums.power += power;
}

/** Each channel's stretch of some frames. */
const stretchOf = (tapes: readonly Tape[], from: number, frames: number): Float32Array[] =>
  tapes.map((tape) => tape.read(from, frames, new Float32Array(frames)));

/**
 * The place around `around` whose stretch is most like `wanted`, by the correlation of all channels at once: their sum
 * is silence where one is the opposite of another.
 */
function mostAlike(
  tapes: readonly Tape[],
  wanted: readonly Float32Array[],
  around: number,
  reach: number,
  cost: number,
): number {
  const frames = wanted[0]!.length;
  const all = stretchOf(tapes, around - reach, frames + 2 * reach);
  const own = { product: 0, power: 0 };
  for (const plane of wanted) addProducts(plane, plane, own);
  let [best, bestScore] = [around, Number.NEGATIVE_INFINITY];
  for (let lag = -reach; lag <= reach; lag += 1) {
    const sums = { product: 0, power: 0 };
    for (const [channel, plane] of wanted.entries()) {
      addProducts(plane, all[channel]!.subarray(lag + reach, lag + reach + frames), sums);
    }
    const likeness = own.power === 0 || sums.power === 0 ? 0 : sums.product / Math.sqrt(own.power * sums.power);
    const score = likeness - (reach === 0 ? 0 : (cost * Math.abs(lag)) / reach);
    if (score > bestScore) [best, bestScore] = [around + lag, score];
  }
  return best;
}

/** A channel, and the same with fewer samples, where frames are looked for first. */
class Channel {
  readonly tape = new Tape();
  readonly few = new Tape();
  readonly overlap: Float32Array;
  /** Of samples that are no whole mean yet. */
  private sum = 0;
  private summed = 0;

  constructor(half: number) {
    this.overlap = new Float32Array(half);
  }

  hear(plane: Float32Array): void {
    this.tape.push(plane);
    const means = new Float32Array(Math.floor((this.summed + plane.length) / coarse));
    let count = 0;
    for (const sample of plane) {
      this.sum += sample;
      this.summed += 1;
      if (this.summed < coarse) continue;
      means[count] = this.sum / coarse;
      count += 1;
      [this.sum, this.summed] = [0, 0];
    }
    this.few.push(means);
  }

  dropBefore(index: number): void {
    this.tape.dropBefore(index);
    this.few.dropBefore(Math.floor(index / coarse) - 1);
  }
}

/** A change of pace under way. */
class Pace {
  readonly half: number;
  readonly reach: number;
  readonly window: Float32Array;
  readonly speed: number;
  private readonly channels: readonly Channel[];
  private readonly tapes: readonly Tape[];
  private readonly few: readonly Tape[];
  /** Frame that comes next: its middle lies at `index * half` in the output. */
  private index = 0;
  /** Where the frame before was taken; null: none was. */
  private before: number | null = null;

  constructor({ sampleRate, channels }: AudioFormat, speed: number) {
    this.speed = speed;
    this.half = Math.round((frameSeconds * sampleRate) / 2);
    this.reach = Math.round(searchSeconds * sampleRate);
    this.window = Float32Array.from(
      { length: 2 * this.half },
      (_, at) => 0.5 - 0.5 * Math.cos((Math.PI * at) / this.half),
    );
    this.channels = Array.from({ length: channels }, () => new Channel(this.half));
    this.tapes = this.channels.map(({ tape }) => tape);
    this.few = this.channels.map(({ few }) => few);
  }

  /** Frames heard. */
  get heard(): number {
    return this.tapes[0]?.end ?? 0;
  }

  hear(planes: readonly Float32Array[]): void {
    for (const [channel, plane] of planes.entries()) this.channels[channel]!.hear(plane);
  }

  /** Was all heard that the next frame may be taken from, and that it is compared with? */
  isReady(): boolean {
    const farthest = Math.max(this.placeOf(this.index) + this.reach + 2 * coarse, (this.before ?? 0) + this.half);
    return farthest + 2 * this.half + coarse <= this.heard;
  }

  /** The next half frame of the output; null: the first frame's first half lies before the sound. */
  next(): Float32Array[] | null {
    const { half, window } = this;
    const from = this.choose();
    const planes = this.channels.map(({ tape, overlap: rest }) => {
      const frame = tape.read(from, 2 * half, new Float32Array(2 * half));
      const plane = new Float32Array(half);
      for (let at = 0; at < half; at += 1) {
        plane[at] = rest[at]! + frame[at]! * window[at]!;
        rest[at] = frame[at + half]! * window[at + half]!;
      }
      return plane;
    });
    this.before = from;
    this.index += 1;
    const oldest = Math.min(from + half, this.placeOf(this.index) - this.reach) - 2 * coarse;
    for (const channel of this.channels) channel.dropBefore(oldest);
    return this.index === 1 ? null : planes;
  }

  private placeOf(index: number): number {
    return Math.round(index * this.half * this.speed) - this.half;
  }

  /** Where the next frame is taken: it goes on as the one before would have. */
  private choose(): number {
    const nominal = this.placeOf(this.index);
    const follows = this.before === null ? nominal : this.before + this.half;
    if (follows === nominal) return nominal;
    const frames = 2 * this.half;
    const fewer = Math.floor(frames / coarse);
    const roughly = mostAlike(
      this.few,
      stretchOf(this.few, Math.round(follows / coarse), fewer),
      Math.round(nominal / coarse),
      Math.floor(this.reach / coarse),
      besideCost,
    );
    return mostAlike(this.tapes, stretchOf(this.tapes, follows, frames), roughly * coarse, coarse, 0);
  }
}

/**
 * Plays a sound faster or slower without changing its pitch. The output is `round(input frames / speed)` long; at speed
 * 1 it is the input. All channels move together.
 * @param speed over 0; 2 is twice as fast. Speech stays natural from about 0.5 to 2.5
 */
export function changePace(speed: number): Stage {
  let pace: Pace | null = null;
  let written = 0;
  const take = (most: number, emit: Emit): void => {
    const planes = pace?.next() ?? null;
    if (planes === null) return;
    const frames = Math.min(planes[0]?.length ?? 0, most);
    written += frames;
    emit({ planes: planes.map((plane) => plane.subarray(0, frames)), frames });
  };
  return {
    latencyFrames: 0,
    open(format) {
      pace = new Pace(format, speed);
      written = 0;
      return format;
    },
    process({ planes, frames }, emit) {
      pace?.hear(planes.map((plane) => plane.subarray(0, frames)));
      while (pace?.isReady()) take(Number.POSITIVE_INFINITY, emit);
    },
    flush(emit) {
      const total = Math.round((pace?.heard ?? 0) / speed);
      for (let left = total - written; left > 0; left = total - written) take(left, emit);
    },
    close() {
      pace = null;
    },
  };
}
