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

/** How alike two stretches are, -1 to 1; 0 where one is silent. */
function likeness(one: Float32Array, other: Float32Array): number {
  let [product, power, otherPower] = [0, 0, 0];
  for (let at = 0; at < one.length; at += 1) {
    const [a, b] = [one[at]!, other[at]!];
    product += a * b;
    power += a * a;
    otherPower += b * b;
  }
  return power === 0 || otherPower === 0 ? 0 : product / Math.sqrt(power * otherPower);
}

/** The place around `around` whose stretch of a tape is most like `wanted`. */
function mostAlike(tape: Tape, wanted: Float32Array, around: number, reach: number, cost: number): number {
  const all = tape.read(around - reach, wanted.length + 2 * reach, new Float32Array(wanted.length + 2 * reach));
  let [best, bestScore] = [around, Number.NEGATIVE_INFINITY];
  for (let lag = -reach; lag <= reach; lag += 1) {
    const stretch = all.subarray(lag + reach, lag + reach + wanted.length);
    const score = likeness(wanted, stretch) - (reach === 0 ? 0 : (cost * Math.abs(lag)) / reach);
    if (score > bestScore) [best, bestScore] = [around + lag, score];
  }
  return best;
}

/** A change of pace under way. */
class Pace {
  readonly half: number;
  readonly reach: number;
  readonly window: Float32Array;
  readonly speed: number;
  private readonly tapes: readonly Tape[];
  /** All channels together, and the same with fewer samples: where frames are looked for. */
  private readonly mono = new Tape();
  private readonly few = new Tape();
  private fewLeft: number[] = [];
  private readonly overlap: readonly Float32Array[];
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
    this.tapes = Array.from({ length: channels }, () => new Tape());
    this.overlap = this.tapes.map(() => new Float32Array(this.half));
  }

  /** Frames heard. */
  get heard(): number {
    return this.mono.end;
  }

  hear(planes: readonly Float32Array[], frames: number): void {
    const sum = new Float32Array(frames);
    for (const [channel, plane] of planes.entries()) {
      this.tapes[channel]!.push(plane);
      for (let at = 0; at < frames; at += 1) sum[at]! += plane[at]!;
    }
    this.mono.push(sum);
    const means: number[] = [];
    for (const sample of sum) {
      this.fewLeft.push(sample);
      if (this.fewLeft.length < coarse) continue;
      means.push(this.fewLeft.reduce((total, each) => total + each, 0) / coarse);
      this.fewLeft = [];
    }
    this.few.push(Float32Array.from(means));
  }

  /** Was all heard that the next frame may be taken from, and that it is compared with? */
  isReady(): boolean {
    const farthest = Math.max(this.placeOf(this.index) + this.reach + 2 * coarse, (this.before ?? 0) + this.half);
    return farthest + 2 * this.half + coarse <= this.mono.end;
  }

  /** The next half frame of the output; null: the first frame's first half lies before the sound. */
  next(): Float32Array[] | null {
    const { half, window } = this;
    const from = this.choose();
    const planes = this.tapes.map((tape, channel) => {
      const frame = tape.read(from, 2 * half, new Float32Array(2 * half));
      const rest = this.overlap[channel]!;
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
    for (const tape of [...this.tapes, this.mono]) tape.dropBefore(oldest);
    this.few.dropBefore(Math.floor(oldest / coarse) - 1);
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
      this.few.read(Math.round(follows / coarse), fewer, new Float32Array(fewer)),
      Math.round(nominal / coarse),
      Math.floor(this.reach / coarse),
      besideCost,
    );
    const wanted = this.mono.read(follows, frames, new Float32Array(frames));
    return mostAlike(this.mono, wanted, roughly * coarse, coarse, 0);
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
      pace?.hear(planes, frames);
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
