// Channels that cancel each other in a mix: what is mixed is held against the channel as it was computed here.
import { describe, expect, it } from 'vitest';
import { createFormatConverter } from '../../../src/library/media/convert/format-converter.ts';
import type { AudioBlock, AudioFormat } from '../../../src/library/pcm/block.ts';
import { turnOpposite } from '../../../src/library/pcm/opposite-channels.ts';
import { difference, rms, voice } from '../../fixtures/media/signals.ts';
import { slow } from '../../fixtures/rounds.ts';

const rate = 16_000;
const seconds = 4;
const sound = voice(seconds * rate, rate, 3);
const other = voice(seconds * rate, rate, 4);
const scaled = (plane: Float32Array, gain: number): Float32Array => plane.map((sample) => sample * gain);

function mixed(planes: readonly Float32Array[], layout: string, channels: number, blockFrames = rate) {
  const format: AudioFormat = { sampleRate: rate, channels: planes.length, layout };
  const converter = createFormatConverter(format, { sampleRate: rate, channels });
  const out = Array.from({ length: channels }, (): number[] => []);
  const take = (block: { planes: readonly Float32Array[] } | null): void => {
    for (const [channel, plane] of (block?.planes ?? []).entries()) out[channel]?.push(...plane);
  };
  const length = planes[0]?.length ?? 0;
  for (let at = 0; at < length; at += blockFrames) {
    const end = Math.min(length, at + blockFrames);
    take(converter.convert({ planes: planes.map((plane) => plane.slice(at, end)), frames: end - at }));
  }
  take(converter.flush());
  const [warning] = converter.warnings();
  return { planes: out.map((plane) => Float32Array.from(plane)), warning };
}
const levelDb = (plane: Float32Array, like: Float32Array): number => 20 * Math.log10(rms(plane) / rms(like));

describe('a mix of opposite channels', () => {
  it.each([-1, -0.9, -0.7, -1.3])('keeps the sound where the other channel is %f of it, and says so', (gain) => {
    const { planes, warning } = mixed([sound, scaled(sound, gain)], 'stereo', 1);
    const [mono] = planes as [Float32Array];
    expect(mono).toHaveLength(sound.length);
    expect(difference(mono, scaled(sound, (1 - gain) / 2))).toBeLessThan(1e-6);
    expect(warning?.code).toBe('opposite_channels');
    expect(warning?.message).toMatch(/^For 4\.0 s .* channel 2 was turned over$/);
  });

  it('is the mean where channels are the same, alone, or from two places', () => {
    const silence = new Float32Array(sound.length);
    for (const second of [sound, silence, other, scaled(sound, -0.1)]) {
      const { planes, warning } = mixed([sound, second], 'stereo', 1);
      const mean = sound.map((sample, at) => (sample + (second[at] as number)) / 2);
      expect(difference(planes[0] as Float32Array, mean)).toBeLessThan(1e-6);
      expect(warning).toBeUndefined();
    }
  });

  it('turns only the stretch that cancels, whatever the blocks', slow, () => {
    const half = sound.length / 2;
    const second = sound.map((sample, at) => (at < half ? sample : -sample));
    const whole = mixed([sound, second], 'stereo', 1);
    // The turn takes 20 ms.
    const mono = whole.planes[0] as Float32Array;
    for (const [from, to] of [
      [0, half],
      [half + 0.02 * rate, 2 * half],
    ] as const)
      expect(difference(mono.slice(from, to), sound.slice(from, to))).toBeLessThan(1e-6);
    expect(whole.warning?.message).toContain('For 2.0 s');
    for (const blockFrames of [1, 777, 3 * rate])
      expect(mixed([sound, second], 'stereo', 1, blockFrames)).toEqual(whole);
  });

  it('of surround sound, to stereo and to mono, is heard', () => {
    const silence = new Float32Array(sound.length);
    const six = [sound, scaled(sound, -1), silence, silence, silence, silence];
    expect(levelDb(mixed(six, '5.1', 1).planes[0] as Float32Array, sound)).toBeGreaterThan(-9);
    const behind = [sound, other, silence, silence, scaled(sound, -Math.SQRT2), scaled(other, -Math.SQRT2)];
    const { planes, warning } = mixed(behind, '5.1', 2);
    expect(levelDb(planes[0] as Float32Array, sound)).toBeGreaterThan(-3);
    expect(levelDb(planes[1] as Float32Array, other)).toBeGreaterThan(-3);
    expect(warning?.message).toMatch(/channels \d and \d were turned over$/);
  });
});

it('turned over for good, channels stay two and do not cancel any more', () => {
  const stage = turnOpposite();
  stage.open({ sampleRate: rate, channels: 2, layout: 'stereo' });
  const out: Float32Array[] = [];
  const keep = ({ planes }: AudioBlock): void => void out.push(...planes);
  stage.process({ planes: [sound, scaled(sound, -0.9)], frames: sound.length }, keep);
  stage.flush(keep);
  expect(difference(out[0] as Float32Array, sound)).toBe(0);
  expect(difference(out[1] as Float32Array, scaled(sound, 0.9))).toBe(0);
  expect(stage.warning()?.code).toBe('opposite_channels');
});
