import { describe, expect, it } from 'vitest';
import { guardVoices } from '../../../src/library/dsp/denoise/rnnoise/voice-guard.ts';
import { seeded } from '../../fixtures/random.ts';

const frames = 6 * 48_000;

function noise(seed: number): Float32Array {
  const random = seeded(seed);
  return Float32Array.from({ length: frames }, () => random() - 0.5);
}
const scaled = (sound: Float32Array, gain: number): Float32Array => sound.map((x) => x * gain);
const probability = (value: (frame: number) => number): Float32Array =>
  Float32Array.from({ length: frames / 480 }, (_, frame) => value(frame));

describe('the guard against losing a voice among voices', () => {
  it.each([
    ['little is taken away', 0.6, () => 1],
    ['nobody speaks', 0.1, () => 0],
    ['one talker speaks and pauses', 0.1, (frame: number) => Number(frame % 80 < 40)],
  ])('changes nothing where %s', (_what, gain, voice) => {
    const original = noise(1);
    const result = scaled(original, gain);
    guardVoices(original, result, probability(voice));
    expect(result).toEqual(scaled(original, gain));
  });

  it('puts half of the original back where voices never pause and nearly everything is taken away', () => {
    const original = noise(2);
    const result = scaled(original, 0.2);
    guardVoices(
      original,
      result,
      probability(() => 1),
    );
    let worst = 0;
    for (let i = 4 * 48_000; i < frames; i += 1)
      worst = Math.max(worst, Math.abs((result[i] as number) - (original[i] as number) * 0.6));
    expect(worst).toBeLessThan(1e-6);
  });

  it('comes and goes without a step', () => {
    const original = new Float32Array(frames).fill(1);
    const result = scaled(original, 0.2);
    guardVoices(
      original,
      result,
      probability((frame) => Number(frame > 100 && frame < 400)),
    );
    let most = 0;
    for (let i = 1; i < frames; i += 1)
      most = Math.max(most, Math.abs((result[i] as number) - (result[i - 1] as number)));
    expect(result.some((x) => x > 0.5)).toBe(true);
    expect(most).toBeLessThan(0.001);
  });
});
