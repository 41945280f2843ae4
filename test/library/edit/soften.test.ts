import { describe, expect, it } from 'vitest';
import { bleep, type Filling } from '../../../src/library/edit/filling.ts';
import { soften, type SoftRange } from '../../../src/library/edit/soften.ts';

const format = { sampleRate: 48_000, channels: 2, layout: 'stereo' as const };

/** Ones through the stage, in blocks of one length. */
function through(
  ranges: readonly SoftRange[],
  fade: number,
  frames: number,
  blockFrames: number,
  filling: Filling | null = null,
): number[][] {
  const stage = soften(ranges, fade, filling);
  stage.open(format);
  const out: number[][] = [[], []];
  for (let at = 0; at < frames; at += blockFrames) {
    const length = Math.min(blockFrames, frames - at);
    const planes = [new Float32Array(length).fill(1), new Float32Array(length).fill(-1)];
    stage.process({ ...format, planes, frames: length }, (block) => {
      for (const [channel, plane] of block.planes.entries()) out[channel]!.push(...plane);
    });
  }
  stage.close();
  return out;
}

describe('soften', () => {
  const ranges = [
    { start: 100, end: 200, gain: 0 },
    { start: 200, end: 260, gain: 0.25 },
    { start: 500, end: 504, gain: 0 },
  ];

  it('changes its ranges alone, both channels alike, with fades inside them', () => {
    const [left = [], right = []] = through(ranges, 10, 600, 600);
    expect(right).toEqual(left.map((value) => -value));
    for (const [at, value] of left.entries()) {
      const range = ranges.find(({ start, end }) => at >= start && at < end);
      if (range === undefined) expect(value, `frame ${at}`).toBe(1);
      else if (at >= range.start + 10 && at < range.end - 10) expect(value, `frame ${at}`).toBeCloseTo(range.gain, 6);
      else expect(value, `frame ${at}`).toBeLessThan(1);
      // No step is louder than a fade's.
      if (at > 0 && range?.start !== 500 && at < 490) expect(Math.abs(value - left[at - 1]!)).toBeLessThan(0.11);
    }
    expect(Math.min(...left.slice(500, 504))).toBe(0);
  });

  it('does not depend on the length of blocks', () => {
    for (const filling of [null, bleep(48_000, 0.1)]) {
      const whole = through(ranges, 10, 600, 600, filling);
      for (const blockFrames of [1, 7, 130]) expect(through(ranges, 10, 600, blockFrames, filling)).toEqual(whole);
    }
  });

  it('fills what it takes away with a tone, by as much as the sound is softer', () => {
    const frames = 4800;
    const [left = [], right = []] = through([{ start: 0, end: frames, gain: 0 }], 1, frames, 1000, bleep(48_000, 0.1));
    expect(right.slice(1, -1)).toEqual(left.slice(1, -1));
    const rms = Math.sqrt(left.reduce((sum, value) => sum + value * value, 0) / frames);
    expect(rms).toBeCloseTo(0.1, 3);
    // 1 kHz crosses zero upwards 100 times in a tenth of a second.
    expect(left.filter((value, at) => at > 0 && value > 0 && left[at - 1]! <= 0)).toHaveLength(100);
  });
});
