import { createStft } from '../../../kernels/stft.ts';
import { createSampleWindow } from '../suppressor/sample-window.ts';
import { earRate } from './power-ear.ts';

const frame = 1024;
const hop = 256;
const binHz = earRate / frame;
const bins = frame / 2 + 1;
/** Voices and instruments have their harmonics above this. */
const lowest = Math.round(150 / binHz);
const highest = Math.round(3000 / binHz);
/** A peak is this far above the mean of this many bins to either side. */
const peakRatio = 4;
const aroundBins = 8;
/** It is a tone after staying within a bin (8 Hz) for this many hops: a quarter of a second. */
const steadyHops = 8;
const blockHops = 16;
/** Half a second. */
const blockSeconds = (blockHops * hop) / earRate;

/** The tones of half a second. */
export interface ToneBlock {
  /** Magnitude by bin, spread over the neighbours. */
  readonly spectrum: Float32Array;
  readonly energy: number;
  /** Sum over its hops of the tones' share of the power. */
  readonly shares: number;
  /** Magnitudes of the tones that changed to a neighbouring pitch, and of those that ended. */
  readonly glided: number;
  readonly ended: number;
}

/** Constant tones in a stretch of sound, and whether they are the same throughout. */
export interface StandingTones {
  /** Mean share of the power between 150 and 3000 Hz in tones at least a quarter of a second old, 0 to 1. */
  readonly share: number;
  /** Share of the half seconds with such tones. */
  readonly filled: number;
  /** Mean similarity of the tones of two separate half seconds, 0 to 1: high for a hum or an alarm. */
  readonly likeness: number;
  /** Share of the tones that change to a neighbouring pitch where others end, 0 to 1: high for a drill or an engine. */
  readonly gliding: number;
}

/** Blocks with less of the strongest one's energy have no tones. */
const leastEnergy = 0.03;

export function tonesOf(blocks: readonly ToneBlock[]): StandingTones {
  const most = blocks.reduce((loudest, { energy }) => Math.max(loudest, energy), 0);
  if (most === 0) return { share: 0, filled: 0, likeness: 1, gliding: 0 };
  let [together, alone] = [0, 0];
  for (const [index, a] of blocks.entries()) {
    for (const b of blocks.slice(index + 2)) {
      if (a.energy === 0 || b.energy === 0) continue;
      for (let k = 0; k < a.spectrum.length; k += 1) together += (a.spectrum[k] as number) * (b.spectrum[k] as number);
      alone += Math.sqrt(a.energy * b.energy);
    }
  }
  const sumOf = (which: 'glided' | 'ended'): number => blocks.reduce((sum, block) => sum + block[which], 0);
  const [glided, ended] = [sumOf('glided'), sumOf('ended')];
  return {
    share: blocks.reduce((sum, { shares }) => sum + shares, 0) / (blocks.length * blockHops),
    filled: blocks.filter(({ energy }) => energy > leastEnergy * most).length / blocks.length,
    likeness: alone > 0 ? together / alone : 1,
    gliding: glided > 0 ? glided / (glided + ended) : 0,
  };
}

export interface StandingTonesMeter {
  /** @param samples at 8 kHz */
  push(samples: Float32Array): void;
  /** The blocks in a stretch, seconds. */
  blocks(from: number, to: number): ToneBlock[];
  /** Summary of these blocks. */
  tones(from: number, to: number): StandingTones;
  discard(beforeSeconds: number): void;
}

/** Follows the peaks of the spectrum from hop to hop, and collects those that have become tones. */
class ToneTracker {
  /** For each bin: hops of the tone there, 0 for none, and the bin in which it began. */
  private age = new Uint8Array(bins);
  private origin = new Uint16Array(bins);
  private nextAge = new Uint8Array(bins);
  private nextOrigin = new Uint16Array(bins);
  /** For each bin: magnitude of its tone, 0 for none. */
  private readonly heldMagnitude = new Float32Array(bins);
  /** Its state: 0 ended, 1 changed to a neighbour, 2 constant. */
  private readonly became = new Uint8Array(bins);
  private spectrum = new Float32Array(highest + 2 - lowest);
  private shares = 0;
  private glided = 0;
  private ended = 0;

  /** @param power by bin */
  hear(power: Float64Array): void {
    this.nextAge.fill(0);
    this.became.fill(0);
    let [total, standing, around] = [0, 0, 0];
    for (let k = lowest - aroundBins - 1; k < lowest + aroundBins; k += 1) around += power[k] as number;
    for (let k = lowest; k < highest; k += 1) {
      around += (power[k + aroundBins] as number) - (power[k - aroundBins - 1] as number);
      const here = power[k] as number;
      total += here;
      const [below, above] = [power[k - 1] as number, power[k + 1] as number];
      if (!(here > below && here >= above) || here * (2 * aroundBins + 1) < peakRatio * around) continue;
      if (this.follow(k) < steadyHops) continue;
      const tone = here + below + above;
      standing += tone;
      this.collect(k, Math.sqrt(tone));
    }
    this.compareWithHeld(power);
    [this.age, this.nextAge] = [this.nextAge, this.age];
    [this.origin, this.nextOrigin] = [this.nextOrigin, this.origin];
    this.shares += total > 1e-12 ? standing / total : 0;
  }

  /** What was collected since the last time. */
  take(): ToneBlock {
    const { spectrum, shares, glided, ended } = this;
    const energy = spectrum.reduce((sum, x) => sum + x * x, 0);
    this.spectrum = new Float32Array(spectrum.length);
    [this.shares, this.glided, this.ended] = [0, 0, 0];
    return { spectrum, energy, shares, glided, ended };
  }

  /** The peak at bin `k` continues the oldest tone beside it. @returns its age, hops */
  private follow(k: number): number {
    const { age, origin, became } = this;
    let [best, from] = [0, k];
    for (let near = k - 1; near <= k + 1; near += 1) {
      const began = origin[near] as number;
      if ((age[near] as number) > best && Math.abs(began - k) <= 1) [best, from] = [age[near] as number, began];
    }
    this.nextAge[k] = Math.min(255, best + 1);
    this.nextOrigin[k] = from;
    const goesOn = best >= steadyHops ? 2 : 1;
    for (let near = k - 1; near <= k + 1; near += 1) became[near] = Math.max(became[near] as number, goesOn);
    return best + 1;
  }

  private collect(k: number, magnitude: number): void {
    const { spectrum } = this;
    for (const [place, weight] of [
      [k - 1, 0.5],
      [k, 1],
      [k + 1, 0.5],
    ] as const)
      spectrum[place - lowest + 1] = (spectrum[place - lowest + 1] as number) + weight * magnitude;
  }

  private compareWithHeld(power: Float64Array): void {
    const { became, heldMagnitude, nextAge } = this;
    for (let k = lowest; k < highest; k += 1) {
      if (became[k] === 0) this.ended += heldMagnitude[k] as number;
      else if (became[k] === 1) this.glided += heldMagnitude[k] as number;
      heldMagnitude[k] =
        (nextAge[k] as number) >= steadyHops
          ? Math.sqrt((power[k - 1] as number) + (power[k] as number) + (power[k + 1] as number))
          : 0;
    }
  }
}

/**
 * Notes of music keep their pitch and are followed by others; harmonics of a voice glide, and noise has none. After
 * Seyerlehner et al., "Automatic music detection in television productions" (DAFx 2007), at twice the resolution of
 * `meterSteadiness`; also tells whether tones never change, as those of a hum, a fan and an alarm.
 */
export function meterStandingTones(): StandingTonesMeter {
  const window = Float32Array.from(
    { length: frame },
    (_, i) => 0.5 - 0.5 * Math.cos((2 * Math.PI * (i + 0.5)) / frame),
  );
  const stft = createStft({ window, hop });
  const power = new Float64Array(bins);
  const heard = createSampleWindow(1);
  const tracker = new ToneTracker();
  const blocks = new Map<number, ToneBlock>();
  let [hops, discarded] = [0, 0];

  const blocksIn = (from: number, to: number): ToneBlock[] => {
    const inside: ToneBlock[] = [];
    for (let at = Math.max(0, Math.round(from / blockSeconds)); (at + 0.5) * blockSeconds < to; at += 1) {
      const block = blocks.get(at);
      if (block) inside.push(block);
    }
    return inside;
  };

  return {
    push(samples) {
      heard.append([samples], samples.length);
      const count = Math.floor((heard.end - hops * hop - frame) / hop) + 1;
      if (count <= 0) return;
      const [re, im] = [new Float32Array(count * bins), new Float32Array(count * bins)];
      stft.forward(heard.read(0, hops * hop, heard.end), count, 1 / frame, re, im);
      heard.discard((hops + count) * hop);
      for (let t = 0; t < count; t += 1) {
        for (let k = 0; k < bins; k += 1)
          power[k] = (re[t * bins + k] as number) ** 2 + (im[t * bins + k] as number) ** 2;
        tracker.hear(power);
        hops += 1;
        if (hops % blockHops === 0) blocks.set(hops / blockHops - 1, tracker.take());
      }
    },
    blocks: blocksIn,
    tones: (from, to) => tonesOf(blocksIn(from, to)),
    discard(beforeSeconds) {
      for (; (discarded + 1) * blockSeconds < beforeSeconds; discarded += 1) blocks.delete(discarded);
    },
  };
}
