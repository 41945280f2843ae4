// The long filter and the short-time transform against their definitions, computed here in double precision.
import { describe, expect, it } from 'vitest';
import { createFir } from '../../../src/library/kernels/fir.ts';
import { createStft } from '../../../src/library/kernels/stft.ts';
import { noise } from './signals.ts';

describe('createStft', () => {
  it.each([
    [960, 480],
    [512, 256],
    [1000, 250],
    [60, 20],
    [36, 9],
    [324, 81],
  ])('frames of %i every %i are the discrete Fourier transform', (frame, hop) => {
    const window = Float32Array.from({ length: frame }, (_, i) => Math.sin((Math.PI * (i + 0.5)) / frame));
    const stft = createStft({ window, hop });
    // Not a multiple of the frames that are transformed side by side.
    const count = 21;
    const samples = noise((count - 1) * hop + frame, 3, 0.5);
    const [re, im] = [new Float32Array(count * stft.bins), new Float32Array(count * stft.bins)];
    stft.forward(samples, count, 1 / frame, re, im);
    for (const t of [0, 7, 8, 20]) {
      for (let k = 0; k <= frame / 2; k += 1) {
        let [x, y] = [0, 0];
        for (let i = 0; i < frame; i += 1) {
          const v = samples[t * hop + i]! * window[i]!;
          x += v * Math.cos((2 * Math.PI * k * i) / frame);
          y -= v * Math.sin((2 * Math.PI * k * i) / frame);
        }
        expect(Math.abs(re[t * stft.bins + k]! - x / frame)).toBeLessThan(1e-7);
        expect(Math.abs(im[t * stft.bins + k]! - y / frame)).toBeLessThan(1e-7);
      }
    }
    // Alone, a frame has the same bits as among others.
    const [one, other] = [new Float32Array(stft.bins), new Float32Array(stft.bins)];
    stft.forward(samples.subarray(5 * hop), 1, 1 / frame, one, other);
    expect(one).toEqual(re.slice(5 * stft.bins, 6 * stft.bins));
    expect(other).toEqual(im.slice(5 * stft.bins, 6 * stft.bins));
  });

  it('there and back is the input where windows overlap to one', () => {
    const window = Float32Array.from({ length: 960 }, (_, i) => Math.sin((Math.PI * (i + 0.5)) / 960));
    const stft = createStft({ window, hop: 480 });
    const samples = noise(480 * 12, 4, 0.9);
    const [re, im, out] = [new Float32Array(11 * 481), new Float32Array(11 * 481), new Float32Array(480 * 12)];
    stft.forward(samples, 11, 1 / 960, re, im);
    stft.inverse(re, im, 11, 1, out);
    for (let i = 480; i < 480 * 11; i += 1) expect(Math.abs(out[i]! - samples[i]!)).toBeLessThan(1e-6);
  });

  it('refuses what it cannot transform', () => {
    for (const length of [0, 16, 34, 962, 28 * 4, 32_768])
      expect(() => createStft({ window: new Float32Array(length), hop: 1 })).toThrow(TypeError);
    const stft = createStft({ window: new Float32Array(60), hop: 20 });
    const short = new Float32Array(31 * 2);
    expect(() => stft.forward(new Float32Array(79), 2, 1, short, short.slice())).toThrow(
      'at least 80 elements in samples',
    );
    expect(() => stft.forward(new Float32Array(80), 2, 1, short.slice(1), short)).toThrow('at least 62 elements in re');
    expect(() => stft.inverse(short, short, 2, 1, new Float32Array(79))).toThrow('at least 80 elements in out');
    expect(() => createStft({ window: new Float32Array(60), hop: 61 })).toThrow(TypeError);
  });
});

describe('createFir', () => {
  it.each([1, 2, 513, 4001, 16_384])('%i taps are the convolution', (length) => {
    const taps = noise(length, 8, 0.1);
    const fir = createFir({ channels: 3, taps });
    const frames = 2 * fir.latencyFrames + 3000;
    const planes = [noise(frames, 9), new Float32Array(frames), noise(frames, 10)];
    const out = planes.map(() => new Float32Array(frames));
    fir.process(planes, out);
    for (const channel of [0, 2]) {
      for (let n = fir.latencyFrames; n < frames; n += 997) {
        let sum = 0;
        for (let k = 0; k < length && k <= n - fir.latencyFrames; k += 1)
          sum += taps[k]! * planes[channel]![n - fir.latencyFrames - k]!;
        expect(Math.abs(out[channel]![n]! - sum)).toBeLessThan(2e-5);
      }
    }
    // A silent channel hears nothing of its neighbour.
    expect(out[1]!.every((x) => x === 0)).toBe(true);
  });

  it('refuses no taps and too many', () => {
    for (const length of [0, 16_385])
      expect(() => createFir({ channels: 1, taps: new Float32Array(length) })).toThrow('Expected 1 to 16384 taps');
  });
});
