import { describe, expect, it } from 'vitest';
import { measure } from '../../src/site/loudness.ts';
import { formatTime, parseTime, parseTimeRanges } from '../../src/site/time-ranges.ts';
import { peaksOf } from '../../src/site/peaks.ts';
import { analyseWave, readWaveHead, waveSeconds } from '../../src/site/wave-file.ts';
import { slow } from '../fixtures/rounds.ts';

const sine = (hertz: number, dbfs: number, seconds: number, rate: number): Float32Array =>
  Float32Array.from(
    { length: seconds * rate },
    (_, frame) => 10 ** (dbfs / 20) * Math.sin((2 * Math.PI * hertz * frame) / rate),
  );

function waveOf(channels: readonly Float32Array[], rate: number, bits: number, isFloat: boolean): Buffer {
  const frames = channels[0]?.length ?? 0;
  const step = (channels.length * bits) / 8;
  const file = Buffer.alloc(44 + frames * step);
  file.write('RIFF', 0);
  file.writeUInt32LE(36 + frames * step, 4);
  file.write('WAVEfmt ', 8);
  file.writeUInt32LE(16, 16);
  file.writeUInt16LE(isFloat ? 3 : 1, 20);
  file.writeUInt16LE(channels.length, 22);
  file.writeUInt32LE(rate, 24);
  file.writeUInt32LE(rate * step, 28);
  file.writeUInt16LE(step, 32);
  file.writeUInt16LE(bits, 34);
  file.write('data', 36);
  file.writeUInt32LE(frames * step, 40);
  for (let frame = 0; frame < frames; frame++)
    for (const [channel, samples] of channels.entries()) {
      const at = 44 + frame * step + (channel * bits) / 8;
      const sample = samples[frame] ?? 0;
      if (isFloat) file.writeFloatLE(sample, at);
      else file.writeIntLE(Math.round(sample * (2 ** (bits - 1) - 1)), at, bits / 8);
    }
  return file;
}

describe('the loudness of decoded sound', () => {
  // EBU Tech 3341: a stereo sine of 1000 Hz at -23 dBFS has -23.0 LUFS, within 0.1.
  it.each([44_100, 48_000])('meets EBU Tech 3341 at %i Hz', slow, (rate) => {
    const side = (dbfs: number, seconds: number): Float32Array => sine(1000, dbfs, seconds, rate);
    expect(measure([side(-23, 5), side(-23, 5)], rate).integratedLufs).toBeCloseTo(-23, 1);
    expect(measure([side(-33, 5), side(-33, 5)], rate).integratedLufs).toBeCloseTo(-33, 1);
    // As test 3, shorter: 5 s at -36, 20 s at -23, 5 s at -36 dBFS, of which the gate leaves the middle.
    const parts = [side(-36, 5), side(-23, 20), side(-36, 5)];
    const all = new Float32Array(parts.reduce((sum, part) => sum + part.length, 0));
    let at = 0;
    for (const part of parts) {
      all.set(part, at);
      at += part.length;
    }
    expect(Math.abs((measure([all, all], rate).integratedLufs ?? 0) + 23)).toBeLessThan(0.1);
  });

  it.each([
    [16, false],
    [24, false],
    [32, true],
  ] as const)('is that of a WAV file of %i bits read in parts', async (bits, isFloat) => {
    const sound = [sine(440, -20, 3, 8000), sine(1000, -30, 3, 8000)];
    const file = new Blob([new Uint8Array(waveOf(sound, 8000, bits, isFloat))]);
    const head = await readWaveHead(file);
    expect(head === null ? null : waveSeconds(head)).toBe(3);
    const parts = await analyseWave(file, 40);
    const whole = measure(sound, 8000);
    expect(parts?.measured.seconds).toBe(3);
    for (const name of ['integratedLufs', 'samplePeakDbfs', 'noiseFloorDbfs'] as const)
      expect(parts?.measured[name]).toBeCloseTo(whole[name] ?? NaN, 2);
    for (const [at, value] of peaksOf(sound, 40).entries()) expect(parts?.peaks[at]).toBeCloseTo(value, 3);
  });

  it('takes no other file for a WAV', async () => {
    expect(await readWaveHead(new Blob(['no sound'.repeat(20)]))).toBeNull();
    const packed = waveOf([sine(440, -20, 1, 8000)], 8000, 16, false);
    packed.writeUInt16LE(0x11, 20);
    expect(await readWaveHead(new Blob([new Uint8Array(packed)]))).toBeNull();
    const short = waveOf([new Float32Array(39)], 8000, 16, false);
    expect(await analyseWave(new Blob([new Uint8Array(short)]), 40)).toBeNull();
  });

  it('says nothing of silence', () => {
    expect(measure([new Float32Array(48_000)], 48_000)).toEqual({
      seconds: 1,
      integratedLufs: null,
      samplePeakDbfs: null,
      noiseFloorDbfs: null,
    });
    expect(measure([], 48_000).integratedLufs).toBeNull();
  });

  it('has the peaks of every stretch, in all channels', () => {
    const left = new Float32Array(100);
    const right = new Float32Array(100);
    left[3] = 0.5;
    right[97] = -0.25;
    expect([...peaksOf([left, right], 4)]).toEqual([0, 0.5, 0, 0, 0, 0, -0.25, 0]);
    // More bins than frames: no hole, nothing missing.
    expect(peaksOf([Float32Array.of(0.5, -0.5)], 4)).toHaveLength(8);
  });
});

describe('stretches of time', () => {
  it('are read as people write them', () => {
    expect(parseTimeRanges('0:08.0-0:14.5\n 8 – 14,5 \n\n1:02:03.5 to 1:02:10\n1.5\t2.25\tcough')).toEqual([
      [8, 14.5],
      [8, 14.5],
      [3723.5, 3730],
      [1.5, 2.25],
    ]);
    for (const bad of ['x', '1:2:3:4', '', '-', '1e3']) expect(parseTime(bad)).toBeNaN();
  });

  it('are written so that they are read again', () => {
    for (const seconds of [0, 0.05, 59.96, 60, 3599.99, 3600, 36_000])
      expect(parseTime(formatTime(seconds, 2))).toBeCloseTo(seconds, 2);
    expect([formatTime(59.96), formatTime(-1), formatTime(3723.5)]).toEqual(['1:00.0', '0:00.0', '1:02:03.5']);
  });
});
