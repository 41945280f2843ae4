import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import {
  createMeter,
  formatBytes,
  partRange,
  retryDelayMs,
  whyNot,
  withoutOrigin,
} from '../../../../../src/service/http/pages/browser/progress.js';

it.each([
  [0, '0 bytes'],
  [999, '999 bytes'],
  [1000, '1.0 kB'],
  [9949, '9.9 kB'],
  [10_000, '10 kB'],
  [1_234_567, '1.2 MB'],
  [5_368_709_120, '5.4 GB'],
  [3e15, '3000 TB'],
])('%d bytes are shown as %s', (bytes, shown) => {
  expect(formatBytes(bytes)).toBe(shown.replace(' ', '\u00a0'));
});

describe('the meter', () => {
  it('sums pieces, and takes back what is sent anew', () => {
    const meter = createMeter(100, () => 0);
    expect(meter.set(1, 40)).toEqual({ fraction: 0.4, bytesPerSecond: 0 });
    expect(meter.set(2, 30).fraction).toBeCloseTo(0.7);
    expect(meter.set(1, 0).fraction).toBeCloseTo(0.3);
    // What is sent of a piece may count the frame around it.
    expect(meter.set(1, 90).fraction).toBe(1);
  });

  it('knows the speed of the last five seconds, which is never negative', () => {
    let now = 0;
    const meter = createMeter(1e6, () => now);
    meter.set(1, 0);
    now = 1000;
    expect(meter.set(1, 2000).bytesPerSecond).toBe(2000);
    // The point at 0 is forgotten: 1000 bytes in the four seconds since the one at 1000.
    now = 5000;
    expect(meter.set(1, 3000).bytesPerSecond).toBe(250);
    now = 5500;
    expect(meter.set(1, 0).bytesPerSecond).toBe(0);
    now = 60_000;
    expect(meter.set(1, 500).bytesPerSecond).toBe(0);
  });

  it('is full for a file of nothing', () => expect(createMeter(0, () => 0).set(0, 0).fraction).toBe(1));
});

it('parts follow each other without a gap, and end with the file', () => {
  fc.assert(
    fc.property(fc.integer({ min: 1, max: 1e12 }), fc.integer({ min: 1, max: 1e9 }), (fileBytes, partSizeBytes) => {
      const count = Math.ceil(fileBytes / partSizeBytes);
      const last = partRange(count, partSizeBytes, fileBytes);
      expect(partRange(1, partSizeBytes, fileBytes).start).toBe(0);
      expect(last.end).toBe(fileBytes);
      expect(last.end).toBeGreaterThan(last.start);
      const middle = Math.ceil(count / 2);
      if (middle < count)
        expect(partRange(middle, partSizeBytes, fileBytes)).toEqual({
          start: (middle - 1) * partSizeBytes,
          end: partRange(middle + 1, partSizeBytes, fileBytes).start,
        });
    }),
  );
});

it.each([
  [1, 0, 1000],
  [3, 0, 4000],
  [8, 0, 15_000],
  [1, 7, 7000],
  [8, 60, 60_000],
])('attempt %d waits at least the %d s that the server asks for: %d ms', (attempt, retryAfterSeconds, ms) =>
  expect(retryDelayMs(attempt, retryAfterSeconds)).toBe(ms),
);

it.each([
  ['https://files.example:8443/upload/tok/file?x=http://a/b', '/upload/tok/file?x=http://a/b'],
  ['http://127.0.0.1:1/upload/tok', '/upload/tok'],
  ['/upload/tok', '/upload/tok'],
])('%s is asked for on this server', (url, path) => expect(withoutOrigin(url)).toBe(path));

it.each([
  [
    { name: 'a.wav', size: 1500 },
    { filename: 'b.wav', sizeBytes: 12_000 },
    'This link is for b.wav (12,000 bytes), but a.wav has 1,500 bytes.',
  ],
  [{ name: 'a.wav', size: 12_000 }, { filename: 'b.wav', sizeBytes: 12_000 }, null],
  [{ name: 'a.wav', size: 0 }, { filename: null, sizeBytes: null }, 'a.wav is empty.'],
  [{ name: 'a.wav', size: 1 }, { filename: null, sizeBytes: null }, null],
])('%o for a link of %o: %s', (file, expected, reason) => expect(whyNot(file, expected)).toBe(reason));
