// @module-tag slower
// Clipping and mains hum are undone where they are, and found nowhere else.
import { describe, expect, it } from 'vitest';
import { clippedTo, hummed, sdr } from '../../../bench/quality/repair-cases.ts';
import { createDeclip } from '../../../src/library/kernels/declip.ts';
import { meterClipping } from '../../../src/library/dsp/repair/clipping.ts';
import { declip } from '../../../src/library/dsp/repair/declip.ts';
import { meterHum } from '../../../src/library/dsp/repair/hum.ts';
import { removeHum } from '../../../src/library/dsp/repair/remove-hum.ts';
import { limit } from '../../../src/library/dsp/loudness/limit.ts';
import type { Analyser } from '../../../src/library/pcm/stage.ts';
import { readAll } from '../../fixtures/media/media.ts';
import { recording } from '../../fixtures/recordings.ts';
import { make, noise } from '../../fixtures/media/signals.ts';
import { pieces } from '../../fixtures/sounds/music.ts';
import { through } from '../../fixtures/media/through.ts';

const rate = 48_000;
const speech = (readAll(recording('clean_speech_48k.wav')).planes[0] as Float32Array).slice(0, 6 * rate);
const loud = (plane: Float32Array, peak = 0.7): Float32Array => {
  const most = plane.reduce((top, x) => Math.max(top, Math.abs(x)), 0);
  return plane.map((x) => (x * peak) / most);
};
const inBits = (plane: Float32Array): Float32Array => plane.map((x) => Math.round(x * 32_768) / 32_768);

function read<Result>(meter: Analyser<Result>, plane: Float32Array): Result {
  through([meter], plane);
  return meter.result();
}

describe('clipping', () => {
  const voice = loud(speech);

  it('is found in clipped voices, louder or softer since, and nowhere else', () => {
    const found = (plane: Float32Array): boolean => read(meterClipping(), inBits(plane)).channels[0] !== null;
    for (const sdrDb of [5, 8.7, 12, 20]) {
      const { plane } = clippedTo(voice, sdrDb);
      expect(found(plane), `${sdrDb} dB`).toBe(true);
      expect(found(plane.map((x) => 0.61 * x)), `${sdrDb} dB, softer`).toBe(true);
    }
    expect(found(voice)).toBe(false);
    for (const gainDb of [6, 12]) expect(found(through([limit({ gainDb, ceilingDbtp: -1 })], voice))).toBe(false);
    for (const name of ['rock', 'drums', 'bass', 'pop'])
      expect(found(loud((pieces[name] as (seconds: number) => Float32Array)(4))), name).toBe(false);
    expect(found(make(rate, (i) => 0.5 * Math.sin((2 * Math.PI * 50 * i) / rate))), 'a low tone').toBe(false);
    expect(found(new Float32Array(rate)), 'silence').toBe(false);
    expect(found(voice.map((x) => 0.002 * x)), 'too quiet to tell').toBe(false);
  });

  it('of 8.7 dB becomes over 16 dB; samples that were not clipped stay as they are', () => {
    const { plane } = clippedTo(voice, 8.7);
    const reading = read(meterClipping(), plane);
    const out = through([declip(reading.channels)], plane);
    expect(out.length).toBe(plane.length);
    expect(sdr(plane, voice)).toBeLessThan(8.8);
    expect(sdr(out, voice)).toBeGreaterThan(16);
    const { lowest, highest } = reading.channels[0] ?? { lowest: 0, highest: 0 };
    expect(
      out.every((x, i) => x === plane[i] || (plane[i] as number) >= highest || (plane[i] as number) <= lowest),
    ).toBe(true);
    // However the stream is cut.
    expect(through([declip(reading.channels)], plane, rate, 4800)).toEqual(out);
  });

  it('a kernel gives the same for a frame, whatever is beside it; broken samples count as 0', () => {
    const frame = 256;
    const kernel = createDeclip(frame);
    const tops = noise(20 * frame, 3, 1).map((x) => Math.max(-0.6, Math.min(0.6, x)));
    tops[frame + 3] = Number.NaN;
    tops[5 * frame] = Number.POSITIVE_INFINITY;
    const limits = { lowest: -0.6, highest: 0.6 };
    const all = new Float32Array(tops.length);
    expect(kernel.restore(tops, 20, limits, 100, all)).toBeGreaterThan(20);
    expect(all.every(Number.isFinite)).toBe(true);
    for (const place of [0, 1, 5, 19]) {
      const one = new Float32Array(frame);
      kernel.restore(tops.slice(place * frame, (place + 1) * frame), 1, limits, 100, one);
      expect(one).toEqual(all.slice(place * frame, (place + 1) * frame));
    }
    expect(kernel.restore(tops, 0, limits, 100, all)).toBe(0);
    expect(() => kernel.restore(tops, 21, limits, 100, all)).toThrow(TypeError);
    expect(() => createDeclip(31)).toThrow(TypeError);
  });
});

describe('mains hum', () => {
  const voice = make(14 * rate, (i) => speech[i % speech.length] as number);

  it.each([
    [50, 5, 20],
    [60, 20, 30],
  ])('of %i Hz %i dB under a voice goes: over %i dB', (hz, snrDb, least) => {
    const noisy = hummed(voice, hz, snrDb);
    const [reading] = read(meterHum(), noisy);
    expect(Math.abs((reading?.hz ?? 0) - hz)).toBeLessThan(0.1);
    const out = through([removeHum([reading ?? null])], noisy);
    expect(out.length).toBe(noisy.length);
    expect(sdr(out, voice)).toBeGreaterThan(least);
  });

  it('is not found in voices, noise and music', () => {
    expect(read(meterHum(), voice)).toEqual([null]);
    expect(read(meterHum(), noise(10 * rate, 7, 0.1))).toEqual([null]);
    for (const name of ['bass', 'rock', 'pads'])
      expect(read(meterHum(), (pieces[name] as (seconds: number) => Float32Array)(10)), name).toEqual([null]);
    expect(read(meterHum(), new Float32Array(10 * rate))).toEqual([null]);
    expect(read(meterHum(), voice.slice(0, rate))).toEqual([null]);
  });
});
