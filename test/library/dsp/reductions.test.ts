// What a limiter would take from a finished file: kept for the places where it takes anything, and nowhere else.
import { expect, it } from 'vitest';
import { addDips, type Dips, meterReductions, rideDips } from '../../../src/library/dsp/loudness/reductions.ts';
import type { AudioFormat } from '../../../src/library/pcm/block.ts';

const rate = 48_000;
const format: AudioFormat = { sampleRate: rate, channels: 1, layout: 'mono' };
const seconds = 20;
/** A soft tone with a burst of 6 dB over the ceiling at 15 s. */
const plane = Float32Array.from({ length: seconds * rate }, (_, i) => {
  const loud = i >= 15 * rate && i < 15.01 * rate ? 2 : 0.1;
  return loud * Math.sin((2 * Math.PI * 997 * i) / rate);
});

function dipsOf(sound: Float32Array): Dips {
  const meter = meterReductions(0);
  meter.open(format);
  for (let from = 0; from < sound.length; from += 4096) {
    const part = sound.slice(from, from + 4096);
    meter.process({ planes: [part], frames: part.length }, () => undefined);
  }
  meter.flush(() => undefined);
  const dips = meter.result();
  meter.close();
  return dips;
}

function ridden(dips: Dips): Float32Array {
  const stage = rideDips(dips);
  stage.open(format);
  const out = plane.slice();
  stage.process({ planes: [out], frames: out.length }, () => undefined);
  return out;
}
const peakOf = (sound: Float32Array): number => sound.reduce((most, x) => Math.max(most, Math.abs(x)), 0);

it('the passage is given softer, by as much as the limiter takes, and all else to the bit as it was', () => {
  const dips = dipsOf(plane);
  // The burst, and a second in which the limiter comes back; of 20 parts.
  expect(dips.size).toBeLessThanOrEqual(4);
  const out = ridden(dips);
  expect(peakOf(out)).toBeLessThanOrEqual(1.005);
  expect(peakOf(out)).toBeGreaterThan(0.9);
  expect(out.subarray(0, 14.9 * rate)).toEqual(plane.subarray(0, 14.9 * rate));
  expect(out.subarray(18 * rate)).toEqual(plane.subarray(18 * rate));
});

it('two of them add up', () => {
  const [a, b] = [new Map([[0, new Float32Array(512).fill(-1)]]), new Map([[0, new Float32Array(512).fill(-2)]])];
  const both = addDips(a, new Map([...b, [3, new Float32Array(512).fill(-4)]]));
  expect([...both.keys()]).toEqual([0, 3]);
  expect([both.get(0)?.[5], both.get(3)?.[5]]).toEqual([-3, -4]);
});

it('silence, one sample and sound below the ceiling have none', () => {
  for (const sound of [new Float32Array(rate), Float32Array.of(0.5), plane.subarray(0, rate)])
    expect(dipsOf(sound).size).toBe(0);
});
