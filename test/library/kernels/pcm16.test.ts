import { expect, it } from 'vitest';
import { toPcm16 } from '../../../src/library/kernels/ops.ts';
import { make, noise, seeded } from './signals.ts';

/** The nearest whole number, halves to even. */
function nearest(x: number): number {
  const below = Math.floor(x);
  if (x - below !== 0.5) return Math.round(x);
  return below % 2 === 0 ? below : below + 1;
}
const clipped = (x: number): number => Math.min(32_767, Math.max(-32_768, x));

const stereo = (frames: number): Float32Array[] => [noise(frames, 5, 1.1), noise(frames, 6, 0.01)];

it('rounds to the nearest step, halves to even, and clips', () => {
  const plane = Float32Array.of(
    0,
    1,
    -1,
    2,
    -2,
    0.5 / 32_768,
    1.5 / 32_768,
    -0.5 / 32_768,
    NaN,
    ...noise(5000, 3, 1.2),
  );
  const out = new Int16Array(plane.length);
  toPcm16([plane], plane.length, out);
  expect([...out]).toEqual([...plane].map((x) => (Number.isNaN(x) ? 0 : clipped(nearest(x * 32_768)) + 0)));
});

it('the error of dithered samples has no mean, and the power of a quarter step, whatever the sound', () => {
  const frames = 200_000;
  // A quarter of a step is all zeros without dither; a tone of two steps is a staircase.
  const sounds = [
    make(frames, () => 0.25 / 32_768),
    make(frames, (i) => (2 * Math.sin(i / 50)) / 32_768),
    noise(frames, 8),
  ];
  const out = new Int16Array(frames * sounds.length);
  toPcm16(sounds, frames, out, { dithered: true, isPlanar: true });
  const errors = sounds.map((plane, c) => make(frames, (i) => out[c * frames + i]! - clipped(plane[i]! * 32_768)));
  const mean = (plane: Float32Array): number => plane.reduce((sum, x) => sum + x, 0) / frames;
  for (const error of errors) {
    // Five standard deviations of the mean of so many.
    expect(Math.abs(mean(error))).toBeLessThan((5 * 0.5) / Math.sqrt(frames));
    expect(mean(error.map((x) => x * x))).toBeCloseTo(0.25, 2);
    expect(Math.abs(mean(error.map((x, i) => x * error[(i + 1) % frames]!)))).toBeLessThan(0.005);
  }
  expect(Math.abs(mean(errors[0]!.map((x, i) => x * errors[1]![i]!)))).toBeLessThan(0.005);
});

it('parts are the same as the whole, interleaved or not', () => {
  const frames = 10_007;
  const planes = stereo(frames);
  const whole = new Int16Array(2 * frames);
  const start = 2 ** 32 - 5000;
  toPcm16(planes, frames, whole, { dithered: true, firstFrame: start });
  const planar = new Int16Array(2 * frames);
  toPcm16(planes, frames, planar, { dithered: true, firstFrame: start, isPlanar: true });
  expect([...planar.subarray(0, frames)]).toEqual([...whole].filter((_, i) => i % 2 === 0));
  const seed = 31;
  const random = seeded(seed);
  const parts = new Int16Array(2 * frames);
  for (let at = 0; at < frames;) {
    const count = Math.min(frames - at, 1 + Math.floor(random() * 700));
    const of = planes.map((plane) => plane.subarray(at, at + count));
    toPcm16(of, count, parts.subarray(2 * at), { dithered: true, firstFrame: start + at });
    at += count;
  }
  expect(parts, `seed ${seed}`).toEqual(whole);
});

it('digital silence stays silent; a channel that sounds has its noise in all of them', () => {
  const frames = 3000;
  const quiet = make(frames, (i) => (i >= 1000 && i < 2000 ? 1e-7 : 0));
  const sounds = make(frames, (i) => (i >= 2000 ? 0.1 : 0));
  const out = new Int16Array(2 * frames);
  toPcm16([quiet, sounds], frames, out, { dithered: true });
  expect(out.subarray(0, 4000).every((x) => x === 0)).toBe(true);
  expect(out.subarray(4000).filter((x, i) => i % 2 === 0 && x !== 0).length).toBeGreaterThan(100);
});
