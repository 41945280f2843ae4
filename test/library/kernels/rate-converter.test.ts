import { describe, expect, it } from 'vitest';
import { createRateConverter } from '../../../src/library/kernels/rate-converter.ts';
import { db, make, seeded } from './signals.ts';

function converted(plane: Float32Array, fromRate: number, toRate: number): Float32Array {
  const converter = createRateConverter({ fromRate, toRate, channels: 1 });
  const first = new Float32Array(converter.ready(plane.length));
  converter.process([plane], [first]);
  const rest = new Float32Array(converter.rest());
  converter.flush([rest]);
  return Float32Array.of(...first, ...rest);
}

/** A tone by its definition, in double precision. */
const tone = (hz: number, rate: number, frames: number): Float32Array =>
  make(frames, (i) => 0.5 * Math.sin((2 * Math.PI * hz * i) / rate));

/** Of the samples from `from` to `to`. */
function greatest(plane: Float32Array, from = 0, to = plane.length): number {
  let most = 0;
  for (let i = from; i < to; i++) most = Math.max(most, Math.abs(plane[i]!));
  return most;
}

// Also rates whose weights repeat only after seconds: those lie between the weights of a table.
const pairs = [
  [44_100, 48_000],
  [48_000, 44_100],
  [48_000, 16_000],
  [16_000, 48_000],
  [44_100, 16_000],
  [8_000, 48_000],
  [192_000, 44_100],
  [44_101, 48_000],
  [48_000, 15_999],
] as const;

describe.each(pairs)('from %i to %i Hz', (from, to) => {
  const lower = Math.min(from, to) / 2;
  // Away from the ends, where the tone does not go on.
  const aside = Math.ceil((120 * to) / (2 * lower));

  // At 0.9 it is 0.0004 dB softer.
  it.each([
    [0.013, -100],
    [0.25, -100],
    [0.5, -100],
    [0.8, -100],
    [0.87, -100],
    [0.9, -86],
  ])('a tone at %f of the lower Nyquist frequency is itself, within %i dB', (at, most) => {
    const frames = Math.round(from / 4);
    const made = converted(tone(at * lower, from, frames), from, to);
    const wanted = tone(at * lower, to, made.length);
    const error = made.map((sample, i) => sample - wanted[i]!);
    expect(db(greatest(error, aside, made.length - aside) / 0.5)).toBeLessThan(most);
  });

  it.runIf(to < from)('what the lower rate cannot hold is gone from 1.07 of its Nyquist frequency on', () => {
    for (const at of [1.07, 1.1, 1.5, 1.93].filter((each) => each * lower < from / 2)) {
      const made = converted(tone(at * lower, from, Math.round(from / 4)), from, to);
      expect(db(greatest(made, aside, made.length - aside) / 0.5)).toBeLessThan(-99);
    }
  });

  it('is as long as the sound, rounded to a frame, and as level to its ends', () => {
    const seed = 7919;
    const random = seeded(seed);
    const lengths = [1, 2, 3, 39, 40, 41, ...Array.from({ length: 8 }, () => 1 + Math.floor(random() * 5000))];
    for (const frames of lengths) {
      const made = converted(new Float32Array(frames).fill(0.25), from, to);
      const exact = (frames * to) / from;
      expect(Math.abs(made.length - Math.max(1, exact)), `${frames} frames, seed ${seed}`).toBeLessThanOrEqual(0.5);
      expect(greatest(made.map((sample) => sample - 0.25))).toBeLessThan(3e-7);
    }
  });
});

it('gives nothing for no sound', () => {
  const converter = createRateConverter({ fromRate: 44_100, toRate: 48_000, channels: 2 });
  converter.process([new Float32Array(), new Float32Array()], [new Float32Array(), new Float32Array()]);
  expect(converter.rest()).toBe(0);
});

it('refuses a rate so much lower that its filter would take a gigabyte', () => {
  const to = (toRate: number) => () => createRateConverter({ fromRate: 768_000, toRate, channels: 1 });
  for (const tooLow of [1, 11])
    expect(to(tooLow)).toThrow(
      `Expected a sample rate of at least 12 Hz for sound of 768000 Hz but received ${tooLow} Hz`,
    );
  expect(converted(new Float32Array(48_000).fill(0.5), 48_000, 1)[0]).toBeCloseTo(0.5, 3);
});

it('is late by no more than it says', async () => {
  const { converterLate } = await import('../../../src/library/kernels/rate-converter.ts');
  for (const [from, to] of pairs) {
    const converter = createRateConverter({ fromRate: from, toRate: to, channels: 1 });
    let [given, made] = [0, 0];
    const block = new Float32Array(37);
    for (let round = 0; round < 400; round++) {
      const ready = converter.ready(block.length);
      converter.process([block], [new Float32Array(ready)]);
      given += block.length;
      made += ready;
      expect(given / from - made / to).toBeLessThanOrEqual(converterLate / Math.min(from, to));
    }
  }
});

it('takes nothing and gives nothing once it is closed', () => {
  const converter = createRateConverter({ fromRate: 44_100, toRate: 48_000, channels: 1 });
  const sound = tone(440, 44_100, 4410);
  converter.process([sound], [new Float32Array(converter.ready(sound.length))]);
  converter.close();
  const out = new Float32Array(10).fill(7);
  converter.process([sound], [out]);
  converter.flush([out]);
  converter.close();
  expect([converter.ready(sound.length), converter.rest()]).toEqual([0, 0]);
  expect(out).toEqual(new Float32Array(10).fill(7));
});
