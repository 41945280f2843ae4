// Channels that are the opposite of each other cancel when they are mixed: a microphone wired the wrong way round, a
// "phase" button pressed by mistake. Where the mix would lose the sound, the opposite channel is turned over before it.
import type { Warning } from '../core/progress/progress.ts';
import type { AudioBlock, AudioFormat } from './block.ts';
import type { Stage } from './stage.ts';

/** A mix this far under its loudest channel has lost its sound, dB. */
export const lostInMixDb = 10;
const lostShare = 10 ** (-lostInMixDb / 10);
/** Below this correlation a channel is the opposite of another; sounds from both sides are not. */
export const oppositeCorrelation = -0.5;
/** Of a window's frames, mean square: -100 dBFS says nothing. */
const leastPower = 1e-10;
const fadeSeconds = 0.02;
/** Shorter stretches are not worth a word. */
const leastWarnedSeconds = 0.5;

/** Length of the windows that are judged, if it can be a part of a second: blocks of a second are not divided then. */
function windowFrames(sampleRate: number, seconds: number): number {
  const most = Math.round(1 / seconds);
  for (let parts = most; parts <= 2 * most + 1; parts += 1) if (sampleRate % parts === 0) return sampleRate / parts;
  return Math.max(1, Math.round(sampleRate * seconds));
}

/** What a window says of the channels of one mix. */
interface Judgement {
  /** Is the mix of the channels as they are lost? */
  readonly lost: boolean;
  readonly loudest: number;
  /** Channels that are the opposite of the loudest one. */
  readonly opposite: readonly number[];
  /** Channels with the same sound as the loudest one. */
  readonly alike: readonly number[];
}

function judge(planes: readonly Float32Array[], from: number, to: number, row: readonly number[]): Judgement | null {
  const mixed = [...row.keys()].filter((channel) => row[channel] !== 0);
  // Two channels are the usual case: all three sums in one go over the sound.
  const pair = mixed.length === 2 ? pairProducts(planes, mixed as [number, number], from, to) : null;
  const powers = pair?.powers ?? mixed.map((channel) => product(planes[channel], planes[channel], from, to));
  const most = Math.max(...powers);
  if (!(most > leastPower * (to - from)) || !Number.isFinite(most)) return null;
  const loudest = mixed[powers.indexOf(most)] as number;
  const correlations = mixed.map((channel, index) => {
    if (channel === loudest) return 1;
    const both = Math.sqrt(most * (powers[index] as number));
    if (!(both > 0)) return 0;
    return (pair?.both ?? product(planes[loudest], planes[channel], from, to)) / both;
  });
  const opposite = mixed.filter((_, index) => (correlations[index] as number) < oppositeCorrelation);
  const alike = mixed.filter((_, index) => (correlations[index] as number) > -oppositeCorrelation);
  if (opposite.length === 0) return { lost: false, loudest, opposite, alike };
  const weight = row.reduce((sum, share) => sum + Math.abs(share), 0);
  let power = 0;
  for (let at = from; at < to; at += 1) {
    let sum = 0;
    for (const channel of mixed) sum += (row[channel] as number) * ((planes[channel] as Float32Array)[at] as number);
    power += sum * sum;
  }
  return { lost: power <= lostShare * most * weight * weight, loudest, opposite, alike };
}

function product(a: Float32Array | undefined, b: Float32Array | undefined, from: number, to: number): number {
  if (!a || !b) return 0;
  let sum = 0;
  for (let at = from; at < to; at += 1) sum += (a[at] as number) * (b[at] as number);
  return sum;
}

/** Powers of two channels and their product, summed as `product` sums them. */
function pairProducts(
  planes: readonly Float32Array[],
  [first, second]: readonly [number, number],
  from: number,
  to: number,
): { readonly powers: readonly [number, number]; readonly both: number } {
  const [one, other] = [planes[first] as Float32Array, planes[second] as Float32Array];
  let ones = 0;
  let others = 0;
  let both = 0;
  for (let at = from; at < to; at += 1) {
    const a = one[at] as number;
    const b = other[at] as number;
    ones += a * a;
    others += b * b;
    both += a * b;
  }
  return { powers: [ones, others], both };
}

/** Turns opposite channels over, window by window. Sound without any passes as it is, in the same blocks. */
export class ChannelTurner {
  private readonly rows: readonly (readonly number[])[];
  private readonly window: number;
  private readonly fade: number;
  private readonly sampleRate: number;
  private readonly turned: Uint8Array;
  private readonly everTurned = new Set<number>();
  /** The rest of the last block, shorter than a window. */
  private held: AudioBlock = { planes: [], frames: 0 };
  private turnedFrames = 0;
  private decided = false;

  /**
   * @param rows shares of the channels in each channel of the mix
   * @param windowSeconds sound is late by up to so much
   */
  constructor({ sampleRate, channels }: AudioFormat, rows: readonly (readonly number[])[], windowSeconds = 0.5) {
    this.rows = rows;
    this.sampleRate = sampleRate;
    this.window = windowFrames(sampleRate, windowSeconds);
    this.fade = Math.min(this.window, Math.round(fadeSeconds * sampleRate));
    this.turned = new Uint8Array(channels);
  }

  /** Whole windows of what has come; null where there is none yet. */
  process(block: AudioBlock): AudioBlock | null {
    const all = this.held.frames === 0 ? block : joinBlocks(this.held, block);
    const whole = all.frames - (all.frames % this.window);
    this.held = part(all, whole, all.frames);
    return whole === 0 ? null : this.turn(whole === all.frames ? all : part(all, 0, whole, false));
  }

  /** The rest; null where there is none. */
  flush(): AudioBlock | null {
    const { held } = this;
    this.held = { planes: [], frames: 0 };
    return held.frames === 0 ? null : this.turn(held);
  }

  /** Of what has passed; null where nothing, or next to nothing, was turned. */
  warning(): Warning | null {
    const seconds = this.turnedFrames / this.sampleRate;
    if (seconds < leastWarnedSeconds) return null;
    const numbers = [...this.everTurned].map((channel) => channel + 1).sort((a, b) => a - b);
    const several = numbers.length > 1;
    return {
      code: 'opposite_channels',
      message:
        `For ${seconds.toFixed(1)} s the channels are the opposite of each other and would cancel in a mix: ` +
        `${several ? 'channels' : 'channel'} ${numbers.join(' and ')} ${several ? 'were' : 'was'} turned over`,
    };
  }

  private turn(block: AudioBlock): AudioBlock {
    let planes: Float32Array[] | null = null;
    for (let from = 0; from < block.frames; from += this.window) {
      const to = Math.min(block.frames, from + this.window);
      const before = this.turned.slice();
      const isFirst = !this.decided;
      this.decide(block.planes, from, to);
      if (this.turned.includes(1)) this.turnedFrames += to - from;
      for (const [channel, now] of this.turned.entries()) {
        const was = isFirst ? now : (before[channel] as number);
        if (now === 0 && was === 0) continue;
        planes ??= block.planes.map((plane, index) => (this.mayTurn(index) ? plane.slice(0, block.frames) : plane));
        this.apply(planes[channel] as Float32Array, from, to, was, now);
      }
    }
    return planes === null ? block : { planes, frames: block.frames };
  }

  private mayTurn(channel: number): boolean {
    return this.rows.some((row) => row[channel] !== 0);
  }

  private decide(planes: readonly Float32Array[], from: number, to: number): void {
    for (const row of this.rows) {
      const judged = judge(planes, from, to, row);
      if (judged === null) continue;
      this.decided = true;
      const { lost, loudest, opposite, alike } = judged;
      const isTurned = row.some((share, channel) => share !== 0 && this.turned[channel] === 1);
      if (isTurned) {
        // What is turned stays so through pauses and noise, until it is the same again.
        if (alike.some((channel) => this.turned[channel] !== this.turned[loudest])) this.turned.fill(0);
      } else if (lost)
        for (const channel of turnable(row, opposite)) {
          this.turned[channel] = 1;
          this.everTurned.add(channel);
        }
    }
  }

  private apply(plane: Float32Array, from: number, to: number, was: number, now: number): void {
    const fadeEnd = was === now ? from : Math.min(to, from + this.fade);
    for (let at = from; at < fadeEnd; at += 1) {
      const share = (at - from + 0.5) / this.fade;
      const turned = was + (now - was) * share;
      plane[at] = (plane[at] as number) * (1 - 2 * turned);
    }
    if (now === 1) for (let at = fadeEnd; at < to; at += 1) plane[at] = -(plane[at] as number);
  }
}

/** Of two channels always the second, whichever is louder just now. */
function turnable(row: readonly number[], opposite: readonly number[]): readonly number[] {
  const mixed = [...row.keys()].filter((channel) => row[channel] !== 0);
  return mixed.length === 2 ? mixed.slice(1) : opposite;
}

/** One block behind the other, copied. */
export function joinBlocks(first: AudioBlock, second: AudioBlock): AudioBlock {
  const frames = first.frames + second.frames;
  const planes = first.planes.map((plane, channel) => {
    const both = new Float32Array(frames);
    both.set(plane.subarray(0, first.frames));
    both.set((second.planes[channel] as Float32Array).subarray(0, second.frames), first.frames);
    return both;
  });
  return { planes, frames };
}

/** @param copied for what outlives the block */
function part({ planes }: AudioBlock, from: number, to: number, copied = true): AudioBlock {
  if (from === to) return { planes: [], frames: 0 };
  return {
    planes: planes.map((plane) => (copied ? plane.slice(from, to) : plane.subarray(from, to))),
    frames: to - from,
  };
}

/**
 * Adds two channels sample by sample, the second one turned over where both cancelled in the half second before: the
 * same for blocks of any size.
 */
export class OppositePair {
  private readonly frames: number;
  /** Powers of both, and their product. */
  private readonly sums = new Float64Array(3);
  private heard = 0;
  private sign = 1;

  constructor(sampleRate: number) {
    this.frames = Math.round(sampleRate / 2);
  }

  sum(a: number, b: number): number {
    const { sums } = this;
    sums[0] = (sums[0] as number) + a * a;
    sums[1] = (sums[1] as number) + b * b;
    sums[2] = (sums[2] as number) + a * b;
    this.heard += 1;
    if (this.heard === this.frames) this.judge();
    return a + this.sign * b;
  }

  private judge(): void {
    const [one = 0, other = 0, both = 0] = this.sums;
    const most = Math.max(one, other);
    const isOpposite = both < oppositeCorrelation * Math.sqrt(one * other);
    const isLost = one + other + 2 * both <= 4 * lostShare * most;
    this.sign = most > leastPower * this.frames && isOpposite && isLost ? -1 : 1;
    this.sums.fill(0);
    this.heard = 0;
  }
}

/** Do two channels cancel in their mean? For what listens to them as one. */
export function areOpposite(planes: readonly Float32Array[], frames: number): boolean {
  const judged = planes.length === 2 ? judge(planes, 0, frames, [0.5, 0.5]) : null;
  return judged?.lost === true;
}

/** Turns opposite channels over in sound that keeps its channels. `warning` is there at the end. */
export function turnOpposite(): Stage & { warning(): Warning | null } {
  let turner: ChannelTurner | null = null;
  return {
    latencyFrames: 0,
    open(format) {
      const { channels } = format;
      turner = channels < 2 ? null : new ChannelTurner(format, [Array.from({ length: channels }, () => 1 / channels)]);
      return format;
    },
    process(block, emit) {
      const turned = turner ? turner.process(block) : block;
      if (turned) emit(turned);
    },
    flush(emit) {
      const rest = turner?.flush();
      if (rest) emit(rest);
    },
    close: () => undefined,
    warning: () => turner?.warning() ?? null,
  };
}
