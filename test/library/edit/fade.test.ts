import { spawnSync } from 'node:child_process';
import { describe, expect, it } from 'vitest';
import { fade, type Fades } from '../../../src/library/edit/fade.ts';
import { noFfmpeg } from '../kernels/ffmpeg.ts';

const rate = 48_000;
const format = { sampleRate: rate, channels: 1, layout: 'mono' as const };

/** Ones through the stage, in blocks of one length. */
function through(fades: Fades, blockFrames: number): Float32Array {
  const stage = fade(fades);
  stage.open(format);
  const out = new Float32Array(fades.totalFrames);
  for (let at = 0; at < out.length; at += blockFrames) {
    const frames = Math.min(blockFrames, out.length - at);
    const planes = [new Float32Array(frames).fill(1)];
    stage.process({ planes, frames }, (block) => out.set(block.planes[0]!, at));
  }
  stage.close();
  return out;
}

/** What ffmpeg's afade makes of ones. */
function byFfmpeg(curve: string, { inFrames, outFrames, totalFrames }: Fades): Float32Array {
  const ones = new Float32Array(totalFrames).fill(1);
  const filter = `afade=t=in:ns=${inFrames}:c=${curve},afade=t=out:ss=${totalFrames - outFrames}:ns=${outFrames}:c=${curve}`;
  const form = ['-f', 'f32le', '-ar', String(rate), '-ac', '1'];
  const { stdout } = spawnSync('ffmpeg', ['-v', 'error', ...form, '-i', '-', '-af', filter, ...form, '-'], {
    input: Buffer.from(ones.buffer),
    maxBuffer: 2 ** 24,
  });
  return new Float32Array(stdout.buffer.slice(stdout.byteOffset, stdout.byteOffset + stdout.length));
}

describe('fades', () => {
  const fades = { inFrames: 4800, outFrames: 9600, totalFrames: 48_000 };

  it.skipIf(noFfmpeg).each([
    ['linear', 'tri'],
    ['sine', 'qsin'],
    ['smooth', 'hsin'],
    ['exponential', 'exp'],
  ] as const)('%s is what ffmpeg calls %s, sample by sample', (curve, named) => {
    const ours = through({ ...fades, curve }, 1000);
    const theirs = byFfmpeg(named, { ...fades, curve });
    expect(theirs).toHaveLength(ours.length);
    // Straight decibels never reach silence: ffmpeg's begin at -100 dB.
    expect(Math.max(...ours.map((gain, at) => Math.abs(gain - theirs[at]!)))).toBeLessThan(1.1e-5);
  });

  it('does not depend on blocks, and leaves what lies between as it is', () => {
    const whole = through({ ...fades, curve: 'smooth' }, 48_000);
    expect(through({ ...fades, curve: 'smooth' }, 777)).toEqual(whole);
    expect(whole[0]).toBe(0);
    expect(new Set(whole.subarray(4800, 48_000 - 9600))).toEqual(new Set([1]));
  });

  it('of more than the sound is multiplied where they meet', () => {
    const both = through({ inFrames: 1000, outFrames: 1000, totalFrames: 1000, curve: 'linear' }, 100);
    for (const at of [0, 1, 250, 500, 999]) expect(both[at]).toBeCloseTo((at / 1000) * (1 - at / 1000), 6);
  });
});
