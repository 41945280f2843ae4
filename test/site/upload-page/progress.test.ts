import { describe, expect, it } from 'vitest';
import { createMeter, formatBytes, whyNot } from '../../../src/site/upload-page/progress.ts';

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
  it('takes back what is sent anew', () => {
    const meter = createMeter(100, () => 0);
    expect(meter(40)).toEqual({ fraction: 0.4, bytesPerSecond: 0 });
    expect([meter(70).fraction, meter(30).fraction, meter(100).fraction]).toEqual([0.7, 0.3, 1]);
  });

  it('knows the speed of the last five seconds, which is never negative', () => {
    let now = 0;
    const meter = createMeter(1e6, () => now);
    meter(0);
    now = 1000;
    expect(meter(2000).bytesPerSecond).toBe(2000);
    // The point at 0 is forgotten: 1000 bytes in the four seconds since the one at 1000.
    now = 5000;
    expect(meter(3000).bytesPerSecond).toBe(250);
    now = 5500;
    expect(meter(0).bytesPerSecond).toBe(0);
    now = 60_000;
    expect(meter(500).bytesPerSecond).toBe(0);
  });

  it('is full for a file of nothing', () => expect(createMeter(0, () => 0)(0).fraction).toBe(1));
});

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
