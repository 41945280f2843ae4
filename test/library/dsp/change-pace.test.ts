import { spawnSync } from 'node:child_process';
import { describe, expect, it } from 'vitest';
import { changePace } from '../../../src/library/dsp/stretch/change-pace.ts';
import { noFfmpeg } from '../kernels/ffmpeg.ts';

const rate = 48_000;

/** Channels through the stage, in blocks of one length. */
function through(planes: readonly Float32Array[], speed: number, blockFrames = rate): Float32Array[] {
  const stage = changePace(speed);
  stage.open({ sampleRate: rate, channels: planes.length, layout: planes.length === 1 ? 'mono' : 'stereo' });
  const out: number[][] = planes.map(() => []);
  const take = (block: { readonly planes: readonly Float32Array[] }): void => {
    for (const [channel, plane] of block.planes.entries()) for (const sample of plane) out[channel]!.push(sample);
  };
  const frames = planes[0]!.length;
  for (let at = 0; at < frames; at += blockFrames) {
    const end = Math.min(frames, at + blockFrames);
    stage.process({ planes: planes.map((plane) => plane.slice(at, end)), frames: end - at }, take);
  }
  stage.flush(take);
  stage.close();
  return out.map((samples) => Float32Array.from(samples));
}

const sine = (hz: number, seconds: number, level = 0.5): Float32Array =>
  Float32Array.from(
    { length: Math.round(seconds * rate) },
    (_, at) => level * Math.sin((2 * Math.PI * hz * at) / rate),
  );

/** Steps from sample to sample: a click is a larger one than the sound itself has. */
const steepest = (plane: Float32Array): number =>
  plane.reduce((most, sample, at) => (at === 0 ? 0 : Math.max(most, Math.abs(sample - plane[at - 1]!))), 0);

/** Upward crossings of zero a second. */
const crossings = (plane: Float32Array): number => {
  const within = plane.subarray(rate / 4, plane.length - rate / 4);
  const count = within.reduce((sum, sample, at) => sum + (at > 0 && within[at - 1]! < 0 && sample >= 0 ? 1 : 0), 0);
  return count / (within.length / rate);
};

describe('a change of pace', () => {
  it.each([
    [0.5, 97],
    [0.8, 440],
    [1.25, 220.5],
    [1.9, 1000],
    [3, 311],
  ])('%d times as fast leaves %d Hz as it is: its pitch, its level, and no clicks', (speed, hz) => {
    const [out] = through([sine(hz, 3)], speed);
    expect(out).toHaveLength(Math.round((3 * rate) / speed));
    const seconds = out!.length / rate - 0.5;
    expect(Math.abs(crossings(out!) - hz)).toBeLessThan(1 / seconds + 0.002 * hz);
    const inner = out!.subarray(rate / 4, out!.length - rate / 4);
    const peak = inner.reduce((most, sample) => Math.max(most, Math.abs(sample)), 0);
    const rms = Math.sqrt(inner.reduce((sum, sample) => sum + sample * sample, 0) / inner.length);
    expect(peak).toBeLessThan(0.505);
    expect(rms).toBeGreaterThan(0.5 * Math.SQRT1_2 * 0.98);
    // Behind the beginning and before the end, where the sine itself begins and ends.
    expect(steepest(inner)).toBeLessThan(1.02 * steepest(sine(hz, 1)));
  });

  it('at speed 1 is the sound itself', () => {
    const sound = sine(311, 1);
    const [out] = through([sound], 1);
    expect(out).toHaveLength(sound.length);
    expect(Math.max(...out!.map((sample, at) => Math.abs(sample - sound[at]!)))).toBeLessThan(1e-6);
  });

  it('does not depend on blocks, moves channels together, and takes what is shorter than a frame', () => {
    const left = sine(200, 1).map((sample, at) => sample + 0.1 * Math.sin(at * at * 1e-6));
    const right = left.map((sample) => -0.5 * sample);
    const whole = through([left, right], 1.3);
    for (const block of [777, 20_000]) expect(through([left, right], 1.3, block)).toEqual(whole);
    expect(whole[1]!.every((sample, at) => Math.abs(sample + 0.5 * whole[0]![at]!) < 1e-6)).toBe(true);
    expect(through([sine(200, 0.01)], 2)[0]).toHaveLength(240);
    expect(through([new Float32Array(0)], 2)[0]).toHaveLength(0);
    expect(through([new Float32Array(5000)], 0.7)[0]!.every((sample) => sample === 0)).toBe(true);
  });

  it('keeps a sound whose channels are the opposite of each other, as it keeps one alone', () => {
    const left = sine(220, 2);
    const [alone] = through([left], 1.25);
    const both = through([left, left.map((sample) => -sample)], 1.25);
    expect(both[0]!.every((sample, at) => sample === alone![at])).toBe(true);
    expect(both[1]!.every((sample, at) => sample === -alone![at]!)).toBe(true);
  });

  it('puts sounds where they belong, within half a frame', () => {
    const sound = new Float32Array(4 * rate);
    const starts = [0.5, 1.2, 2.2, 3.1];
    for (const start of starts) sound.set(sine(500, 0.2), Math.round(start * rate));
    for (const speed of [0.7, 1.5]) {
      const [out] = through([sound], speed);
      const loud = starts.map((start) => {
        const from = Math.round((start / speed - 0.1) * rate);
        return (from + out!.subarray(from).findIndex((sample) => Math.abs(sample) > 0.1)) / rate;
      });
      for (const [at, start] of starts.entries()) expect(Math.abs(loud[at]! - start / speed)).toBeLessThan(0.02);
    }
  });

  it.skipIf(noFfmpeg)('lasts as long as what ffmpeg makes of it', () => {
    const sound = sine(440, 2);
    const form = ['-f', 'f32le', '-ar', String(rate), '-ac', '1'];
    const { stdout } = spawnSync('ffmpeg', ['-v', 'error', ...form, '-i', '-', '-af', 'atempo=1.6', ...form, '-'], {
      input: Buffer.from(sound.buffer),
      maxBuffer: 2 ** 24,
    });
    expect(Math.abs(through([sound], 1.6)[0]!.length - stdout.length / 4)).toBeLessThan(0.02 * rate);
  });
});
