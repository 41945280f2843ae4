// Quiet windows are raised before recognition; all others stay as they are.
import { expect, it } from 'vitest';
import { soundOf } from '../../../../src/library/speech/recognise/windows/window-sound.ts';
import { speechOfSamples } from '../../../fixtures/speech.ts';
import { noise } from '../../../fixtures/media/signals.ts';

const second = 16_000;
const rmsOf = (samples: Float32Array): number => Math.sqrt(samples.reduce((sum, x) => sum + x * x, 0) / samples.length);
const windowSound = (samples: Float32Array): Float32Array => {
  const pieces = [
    { startSeconds: 0, endSeconds: 1 },
    { startSeconds: 2, endSeconds: 3 },
  ];
  return soundOf(speechOfSamples(samples), { pieces, voices: pieces });
};

it('a window of ordinary level is its pieces, to the bit', () => {
  const samples = noise(3 * second, 7, 0.1);
  const expected = Float32Array.from([...samples.subarray(0, second), ...samples.subarray(2 * second)]);
  expect(windowSound(samples)).toEqual(expected);
});

it('a quiet one is the same sound at the level of ordinary speech', () => {
  const loud = noise(3 * second, 8, 1);
  for (const decibels of [-40, -60, -80]) {
    const raised = windowSound(loud.map((x) => x * 10 ** (decibels / 20)));
    const whole = rmsOf(raised);
    expect(whole).toBeGreaterThan(0.09);
    expect(whole).toBeLessThan(0.13);
    const factor = whole / rmsOf(loud);
    for (let index = 0; index < second; index += 997)
      expect(raised[index]).toBeCloseTo((loud[index] as number) * factor, 1);
  }
});

it('one bang does not make a quiet window loud, and silence stays silence', () => {
  const samples = noise(3 * second, 9, 0.001);
  samples.fill(0.9, 100, 300);
  expect(rmsOf(windowSound(samples).subarray(second))).toBeGreaterThan(0.05);
  expect(rmsOf(windowSound(new Float32Array(3 * second)))).toBe(0);
});
