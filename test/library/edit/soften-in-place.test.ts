// Stretches that are silenced in files whose samples float32 cannot hold: bytes compared with those of the input.
import { writeFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { softenInPlace } from '../../../src/library/edit/soften-in-place.ts';
import { probe } from '../../../src/library/media/read/probe.ts';
import { planOutput } from '../../../src/library/media/write/output.ts';
import { ffmpeg, needFfmpeg, scratch } from '../../fixtures/media/media.ts';
import { seeded } from '../../fixtures/random.ts';

const at = scratch();
const rate = 8000;
const frames = 2 * rate;
const ranges = [
  { start: -40, end: 100, gain: 0 },
  { start: 5000, end: 9000, gain: 0 },
];
const fadeFrames = 40;

/** Samples of two channels with more bits than float32 has, in the order of bytes of this machine. */
function samplesOf(bits: 32 | 64): Buffer {
  const random = seeded(bits);
  const values = Array.from({ length: 2 * frames }, () => random() - 0.5);
  return bits === 64
    ? Buffer.from(Float64Array.from(values).buffer)
    : Buffer.from(Int32Array.from(values, (value) => Math.round(value * 2 ** 32)).buffer);
}

/** The file's samples as raw bytes, by ffmpeg. */
const raw = (path: string, form: string): Buffer => ffmpeg('-i', path, '-f', form, '-c:a', `pcm_${form}`, '-');

describe('softenInPlace', () => {
  it.for([
    ['s32.wav', 32, 's32le'],
    ['f64.wav', 64, 'f64le'],
    ['s32.aiff', 32, 's32be'],
    ['long.wav', 64, 'f64le'],
  ] as const)('changes stretches of %s, and no other bit', async ([name, bits, form], context) => {
    needFfmpeg(context);
    const source = at(`source-${name}`);
    const own = bits === 64 ? 'f64le' : 's32le';
    writeFileSync(at('raw'), samplesOf(bits));
    const long = name === 'long.wav' ? ['-rf64', 'always'] : [];
    const title = ['-metadata', 'title=A title'];
    ffmpeg(
      '-f',
      own,
      '-ar',
      String(rate),
      '-ac',
      '2',
      '-i',
      at('raw'),
      ...title,
      ...long,
      '-c:a',
      `pcm_${form}`,
      source,
    );
    const facts = probe(source);
    const target = at(`target-${name}`);
    const signal = new AbortController().signal;
    const options = { ranges, fadeFrames, filling: null, signal };
    expect(await softenInPlace(facts, planOutput(facts, 'same'), target, options)).toEqual([]);
    expect(probe(target)).toMatchObject({ audio: { codec: `pcm_${form}` }, tags: { title: 'A title' } });

    const before = raw(source, own);
    const after = raw(target, own);
    expect(before.equals(samplesOf(bits))).toBe(true);
    const align = (2 * bits) / 8;
    const same = (from: number, to: number): boolean =>
      before.subarray(from * align, to * align).equals(after.subarray(from * align, to * align));
    expect([same(100, 5000), same(9000, frames)]).toEqual([true, true]);
    for (const [from, to] of [
      [0, 60],
      [5040, 8960],
    ] as const)
      expect(after.subarray(from * align, to * align).every((byte) => byte === 0)).toBe(true);
    // Halfway down the fade, half of it is there.
    const value = (bytes: Buffer, frame: number): number =>
      bits === 64 ? bytes.readDoubleLE(frame * align) : bytes.readInt32LE(frame * align);
    expect(value(after, 5019) / value(before, 5019)).toBeCloseTo(0.5, 6);
  });

  it('leaves other forms to the decoder', async (context) => {
    needFfmpeg(context);
    const source = at('16.wav');
    ffmpeg('-f', 'lavfi', '-i', 'sine=duration=1', source);
    const facts = probe(source);
    const signal = new AbortController().signal;
    const options = { ranges, fadeFrames, filling: null, signal };
    expect(await softenInPlace(facts, planOutput(facts, 'same'), at('no.wav'), options)).toBeNull();
  });
});
