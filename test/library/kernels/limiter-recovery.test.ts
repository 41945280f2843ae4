import { describe, expect, it } from 'vitest';
import { createLimiter } from '../../../src/library/kernels/limiter.ts';

/**
 * Gain reduction (1 - gain) over time after one peak, seen on a second channel that holds still: all channels share
 * one gain.
 */
function reductionAfterPeak(sampleRate: number, releaseMs: number | undefined): (ms: number) => number {
  const frames = sampleRate * 2;
  const peak = new Float32Array(frames);
  const at = sampleRate / 10;
  peak[at] = 4;
  const still = new Float32Array(frames).fill(0.25);
  const limiter = createLimiter({
    sampleRate,
    channels: 2,
    ceilingDbtp: -1,
    ...(releaseMs === undefined ? {} : { releaseMs }),
  });
  limiter.process([peak, still], [peak, still]);
  return (ms) => 1 - (still[at + limiter.latencyFrames + Math.round((ms / 1000) * sampleRate)] as number) / 0.25;
}

describe('the limiter recovers', () => {
  it.each([
    [44_100, undefined, 100],
    [48_000, undefined, 100],
    [48_000, 20, 20],
    [48_000, 400, 400],
    [192_000, 50, 50],
  ])('at %i Hz, release %s: the reduction falls to 1 / e in %i ms', (sampleRate, releaseMs, constantMs) => {
    const reduction = reductionAfterPeak(sampleRate, releaseMs);
    // The smoothing is over 10 ms after the peak; from there on the fall is purely exponential.
    const first = reduction(10);
    expect(first).toBeGreaterThan(0.3);
    expect(reduction(10 + constantMs) / first).toBeCloseTo(Math.exp(-1), 3);
    expect(reduction(10 + 2 * constantMs) / first).toBeCloseTo(Math.exp(-2), 3);
  });
});
