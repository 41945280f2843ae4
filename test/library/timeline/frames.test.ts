// Rates and timecode, against SMPTE ST 12-1's own numbers.
import { expect, it } from 'vitest';
import { framesOfTimecode } from '../../../src/library/core/timecode.ts';
import { frameRateOf, framesAt, isUsual, timecode } from '../../../src/library/timeline/form/frames.ts';

it.each([
  [23.976, 24_000, 1001],
  [23.98, 24_000, 1001],
  [24, 24, 1],
  [25, 25, 1],
  [29.97, 30_000, 1001],
  [29.97002997, 30_000, 1001],
  [30, 30, 1],
  [59.94, 60_000, 1001],
  [27.353, 27_353, 1000],
])('%f pictures a second are %i/%i', (stated, num, den) => {
  expect(frameRateOf(stated)).toEqual({ num, den });
  expect(isUsual(frameRateOf(stated))).toBe(den !== 1000);
});

it('an end and the start after it are one place, however their times were summed', () => {
  const sum = 0.1 + 0.2 + 0.28;
  expect(sum).not.toBe(0.58);
  expect(framesAt(sum, frameRateOf(25))).toBe(framesAt(0.58, frameRateOf(25)));
});

const ntsc = frameRateOf(29.97);
it.each([
  [1799, '00:00:59;29'],
  // Two numbers are left out at each minute but the tenth.
  [1800, '00:01:00;02'],
  [17_981, '00:09:59;29'],
  [17_982, '00:10:00;00'],
  [107_892, '01:00:00;00'],
])('frame %i of 29.97 is %s', (frame, code) => {
  expect(timecode(frame, ntsc)).toBe(code);
  expect(framesOfTimecode(code, ntsc)).toBe(frame);
});

it('counts every number at other rates', () => {
  expect(timecode(1800, frameRateOf(25))).toBe('00:01:12:00');
  expect(timecode(86_400, frameRateOf(23.976))).toBe('01:00:00:00');
  expect(framesOfTimecode('no code', ntsc)).toBeNull();
});
