// What stands and what ripples, beside a transform written out in the test.
import { describe, expect, it } from 'vitest';
import { meterSteadiness, type Tonality } from '../../../src/library/dsp/voicing/tone-steadiness.ts';
import { seeded } from '../../fixtures/random.ts';

const rate = 8000;
const size = 512;
const step = 256;

function measured(samples: Float32Array, cuts: readonly number[] = [samples.length]): Tonality {
  const meter = meterSteadiness(rate);
  let from = 0;
  for (const to of cuts) {
    meter.push({ planes: [samples.subarray(from, to)], frames: to - from });
    from = to;
  }
  return meter.take();
}

const sound = (seconds: number, at: (index: number) => number): Float32Array =>
  Float32Array.from({ length: seconds * rate }, (_, index) => at(index));
const tone =
  (hz: number) =>
  (index: number): number =>
    0.1 * Math.sin((2 * Math.PI * hz * index) / rate);
function noise(seconds: number, seed: number): Float32Array {
  const random = seeded(seed);
  return sound(seconds, () => 0.1 * (random() + random() + random() - 1.5));
}

/** Power of one bin under a Hann window, as the definition has it. */
function binPower(samples: Float32Array, from: number, bin: number): number {
  let [re, im] = [0, 0];
  for (let i = 0; i < size; i += 1) {
    const weighted = samples[from + i]! * (0.5 - 0.5 * Math.cos((2 * Math.PI * i) / size));
    re += weighted * Math.cos((2 * Math.PI * bin * i) / size);
    im -= weighted * Math.sin((2 * Math.PI * bin * i) / size);
  }
  return re * re + im * im;
}

/** Mean of how far bins of 110 to 2000 Hz lie under the mean of the 13 around them, dB. */
function ripple(samples: Float32Array, from: number): number {
  const powers = Array.from({ length: 160 }, (_, bin) => binPower(samples, from, bin));
  let sum = 0;
  for (let bin = 7; bin <= 128; bin += 1) {
    const around = powers.slice(bin - 6, bin + 7).reduce((total, power) => total + power, 0) / 13;
    sum += 10 * Math.log10(around / powers[bin]!);
  }
  return sum / 122;
}

describe('tone steadiness', () => {
  it('has the ripple of each window, of the first and of the second of a pair', () => {
    // Each hop sounds different, so that a window taken for its neighbour is seen.
    const mixed = noise(0.5, 1).map((x, index) => x + tone(300 + 200 * Math.floor(index / 400))(index));
    const found = measured(mixed).ripple;
    expect(found.length).toBe(14);
    for (const [hop, value] of found.entries()) expect(value, `hop ${hop}`).toBeCloseTo(ripple(mixed, hop * step), 2);
  });

  it('noise ripples by the mean of a logarithm of chance, however it is cut', () => {
    const hiss = noise(4, 2);
    const { ripple: depths, steady } = measured(hiss);
    // 10 log10 of e to Euler's constant is 2.507 dB; the bin itself is one of the thirteen, and neighbours are akin.
    const mean = depths.reduce((sum, x) => sum + x, 0) / depths.length;
    expect(mean).toBeGreaterThan(2);
    expect(mean).toBeLessThan(2.507);
    expect(Math.max(...steady)).toBeLessThan(0.35);
    expect(measured(hiss, [1, 700, 701, 5000, hiss.length])).toEqual({ ripple: depths, steady, timbre: null });
  });

  it('a tone is steady from the eighth step on, and no longer when it is over', () => {
    const { steady } = measured(sound(1, (index) => (index < 0.75 * rate ? tone(1000)(index) : 0)));
    expect([...steady.subarray(0, 7)]).toEqual(Array.from({ length: 7 }, () => 0));
    // The window that begins at 22 * 256 is the last that the tone fills.
    for (let hop = 7; hop <= 21; hop += 1) expect(steady[hop], `hop ${hop}`).toBeGreaterThan(0.99);
    expect([...steady.subarray(24)].every((x) => x === 0)).toBe(true);
  });

  it.each([
    ['glides', (index: number) => tone(500 + (400 * index) / rate)(index), 0.05],
    ['lies under 400 Hz', tone(300), 0.05],
    ['lies above 3500 Hz', tone(3700), 0.05],
    ['lies above 400 Hz', tone(440), 1],
    ['lies under 3500 Hz', tone(3400), 1],
  ] as const)('a tone that %s counts as far as it should', (_, at, share) => {
    const hiss = noise(1, 3);
    const { steady } = measured(sound(1, (index) => at(index) + 0.02 * hiss[index]!));
    const mean = steady.subarray(8).reduce((sum, x) => sum + x, 0) / (steady.length - 8);
    expect(mean).toBeGreaterThan(share - 0.06);
    expect(mean).toBeLessThan(share + 0.05);
  });

  it('broken samples are silence, and silence has neither', () => {
    const broken = sound(0.5, (index) => (index % 3 === 0 ? Number.NaN : index % 3 === 1 ? 1e9 : -1e9));
    expect(measured(broken)).toEqual(measured(new Float32Array(0.5 * rate)));
    expect([...measured(broken).steady, ...measured(broken).ripple].every((x) => x === 0)).toBe(true);
  });
});
