// Filter-bank features against their definition, computed here in double precision, and nearest rows against a search.
import { describe, expect, it } from 'vitest';
import { createFbank, type FbankForm } from '../../../src/library/kernels/fbank.ts';
import { nearestRow } from '../../../src/library/kernels/nearest-row.ts';
import { nativeKernels } from '../../../src/library/kernels/load.ts';
import { noise, seeded } from './signals.ts';

/** Kaldi's feature-window.cc and mel-computations.cc, or YAMNet's features.py, step by step. */
function defined(samples: Float32Array, form: FbankForm, bands: number, lowHz: number, highHz: number): number[] {
  const frame = Array.from(samples.subarray(0, 400));
  const mean = frame.reduce((sum, x) => sum + x, 0) / 400;
  const centred = frame.map((x) => x - mean);
  const isKaldi = form === 'kaldi';
  const emphasised = centred.map((x, i) => x - 0.97 * (centred[Math.max(0, i - 1)] as number));
  const windowed = isKaldi
    ? emphasised.map((x, i) => x * (0.5 - 0.5 * Math.cos((2 * Math.PI * i) / 399)) ** 0.85)
    : frame.map((x, i) => x * (0.5 - 0.5 * Math.cos((2 * Math.PI * i) / 400)));
  const power = Array.from({ length: 257 }, (_, k) => {
    let [re, im] = [0, 0];
    for (const [i, x] of windowed.entries()) {
      re += x * Math.cos((2 * Math.PI * k * i) / 512);
      im -= x * Math.sin((2 * Math.PI * k * i) / 512);
    }
    return isKaldi ? re * re + im * im : Math.hypot(re, im);
  });
  const mel = (hz: number): number => 1127 * Math.log(1 + hz / 700);
  const step = (mel(highHz) - mel(lowHz)) / (bands + 1);
  return Array.from({ length: bands }, (_, band) => {
    const centre = mel(lowHz) + (band + 1) * step;
    const energy = power.reduce(
      (sum, p, k) => sum + p * Math.max(0, 1 - Math.abs(mel((k * 16_000) / 512) - centre) / step),
      0,
    );
    return Math.log(isKaldi ? Math.max(energy, 2 ** -23) : energy + 0.001);
  });
}

describe('createFbank', () => {
  it.each([
    ['kaldi', 80, 20, 8000],
    ['kaldi', 40, 0, 7600],
    ['kaldi', 23, 300, 3400],
    ['yamnet', 64, 125, 7500],
  ] as const)('%s: %i bands from %i to %i Hz are as defined', (form, bands, lowHz, highHz) => {
    const fbank = createFbank({ form, bands, lowHz, highHz });
    const count = 21;
    const hiss = noise(160 * (count - 1) + 400, 5, 0.3);
    const samples = hiss.map((x, i) => 0.1 + 0.4 * Math.sin(i / 5) + x * Math.abs(Math.sin(i / 900)) ** 3);
    const rows = fbank.rows(samples, count);
    for (const t of [0, 7, 8, 20]) {
      const expected = defined(samples.subarray(160 * t), form, bands, lowHz, highHz);
      expected.forEach((value, band) => expect(Math.abs(rows[t * bands + band]! - value)).toBeLessThan(2e-4));
    }
    // Alone, a row has the same bits as among others.
    expect(fbank.rows(samples.subarray(160 * 5), 1)).toEqual(rows.slice(5 * bands, 6 * bands));
  });

  it('has a floor, takes broken samples for silence and no rows at all', () => {
    const fbank = createFbank();
    expect([...fbank.rows(new Float32Array(400), 1)]).toEqual(Array(80).fill(Math.fround(-23 * Math.LN2)));
    const broken = noise(720, 8, 0.2);
    const mended = broken.slice();
    for (const [i, x] of [NaN, Infinity, -1e20].entries()) [broken[100 + 200 * i], mended[100 + 200 * i]] = [x, 0];
    expect(fbank.rows(broken, 3)).toEqual(fbank.rows(mended, 3));
    expect(fbank.rows(new Float32Array(0), 0)).toHaveLength(0);
  });

  it('refuses what it cannot do', () => {
    for (const bad of [{ bands: 0 }, { bands: 129 }, { lowHz: -1 }, { highHz: 8001 }, { lowHz: 500, highHz: 500 }])
      expect(() => createFbank(bad)).toThrow(TypeError);
    expect(() => createFbank().rows(new Float32Array(559), 2)).toThrow('at least 560 elements in samples');
    const handle = nativeKernels().fbankCreate(80, 20, 8000, 0);
    expect(() => nativeKernels().fbankRows(handle, new Float32Array(560), 2, new Float32Array(159))).toThrow(
      'at least 160 elements in rows',
    );
  });
});

describe('nearestRow', () => {
  it.each([1, 3, 16, 31, 192])('finds the greatest product among rows of %i', (length) => {
    const count = 40;
    const random = seeded(length);
    const rows = Float32Array.from({ length: count * length }, () => Math.fround(2 * random() - 1));
    const product = (a: number, b: number): number => {
      let sum = 0;
      for (let i = 0; i < length; i += 1) sum += rows[a * length + i]! * rows[b * length + i]!;
      return sum;
    };
    for (let item = 0; item < count; item += 1) {
      const found = nearestRow(rows, { length, count, item, preferred: count });
      const others = Array.from({ length: count }, (_, row) => row).filter((row) => row !== item);
      const most = Math.max(...others.map((row) => product(item, row)));
      expect(found).not.toBe(item);
      expect(product(item, found)).toBeGreaterThan(most - 1e-5);
    }
  });

  it('prefers the first of equals, or the one that is asked for', () => {
    const rows = Float32Array.of(1, 0, 0, 1, 1, 0, 1, 0);
    expect(nearestRow(rows, { length: 2, count: 4, item: 0, preferred: 4 })).toBe(2);
    expect(nearestRow(rows, { length: 2, count: 4, item: 0, preferred: 3 })).toBe(3);
    expect(nearestRow(rows, { length: 2, count: 4, item: 0, preferred: 1 })).toBe(2);
    expect(nearestRow(rows, { length: 2, count: 2, item: 1, preferred: 2 })).toBe(0);
  });

  it('refuses numbers out of range', () => {
    const rows = new Float32Array(8);
    const good = { length: 2, count: 4, item: 0, preferred: 4 };
    for (const bad of [{ length: 0 }, { count: 1 }, { item: 4 }, { preferred: 5 }, { count: 5 }, { item: NaN }])
      expect(() => nearestRow(rows, { ...good, ...bad })).toThrow(TypeError);
  });
});
