// "same": lossless sound stays lossless, and an audiobook one.
import { statSync } from 'node:fs';
import { describe, expect, it, type TestContext } from 'vitest';
import { cutAudio } from '../../../src/library/tools/cut_audio/tool.ts';
import { decodeByFfmpeg, ffmpeg, ffprobe, needFfmpeg, scratch } from '../../fixtures/media/media.ts';
import { writeWav } from '../../fixtures/media/pcm-files.ts';
import { runTool } from '../../fixtures/media/run-context.ts';
import { difference, noise, voice } from '../../fixtures/media/signals.ts';
import { slow } from '../../fixtures/rounds.ts';

const at = scratch();
const rate = 44_100;
const planes = [voice(2 * rate, rate), noise(2 * rate, 3, 0.2)];

/** @returns what is left of a file with its second second cut off */
async function cut(name: string, kind: 's16' | 's24', ...codec: string[]) {
  const wav = writeWav(at(`${name}.wav`), planes, rate, kind);
  ffmpeg('-i', wav, ...codec, at(name));
  const run = await runTool(cutAudio, at(name), { ranges: [[1, 2]] }, at('cut-'));
  return {
    ...run,
    name: run.outputs[0]?.filename,
    kept: decodeByFfmpeg(wav).planes.map((plane) => plane.subarray(0, rate)),
  };
}

describe('lossless sound stays so', () => {
  const check = async (
    [file, kind, codec, expected, warnings]: readonly [string, 's16' | 's24', string, string, readonly string[]],
    context: TestContext,
  ): Promise<void> => {
    needFfmpeg(context);
    const out = await cut(file, kind, '-c:a', codec);
    expect(out.name).toBe(expected);
    expect(out.warnings.map(({ code }) => code)).toEqual(warnings);
    const [audio] = ffprobe(out.path).streams;
    expect(audio?.codec_name).toBe(expected.endsWith('.flac') ? 'flac' : codec);
    const after = decodeByFfmpeg(out.path).planes;
    for (const [channel, plane] of out.kept.entries())
      expect(difference(after[channel] as Float32Array, plane)).toBe(0);
  };
  it.for([
    ['a.m4a', 's16', 'alac', 'a.m4a', []],
    ['c.mov', 's24', 'pcm_s24le', 'c.mov', []],
  ] as const)('%s of %s as %s', check);
  it.for([
    ['b.m4a', 's24', 'alac', 'b.m4a', []],
    ['d.mov', 's16', 'alac', 'd.m4a', []],
    ['e.oga', 's16', 'flac', 'e.flac', ['container_changed']],
    ['f.mka', 's16', 'flac', 'f.flac', ['container_changed']],
  ] as const)('%s of %s as %s', slow, check);
});

it('an audiobook stays one', async (context) => {
  needFfmpeg(context);
  const { name, path } = await cut('book.m4b', 's16', '-c:a', 'aac');
  expect(name).toBe('book.m4b');
  expect(ffprobe(path).format.tags?.['major_brand']).toBe('M4B ');
  expect(ffprobe(path).streams[0]?.codec_name).toBe('aac');
});

it.for([
  ['a choice of 28 kbit/s', [], '28k', 28],
  ['what speech needs at least', [], '16k', 24],
  ['the rate of stereo', ['-ac', '2'], '40k', 40],
] as const)('Opus keeps %s', slow, async ([, channels, rateAsked, kbps], context) => {
  needFfmpeg(context);
  const codec = ['-c:a', 'libopus', '-vbr', 'off', '-b:a', rateAsked];
  const out = await cut('small.opus', 's16', '-ac', '1', ...channels, ...codec);
  const factor = (statSync(out.path).size * 8) / 1000 / kbps;
  expect(factor).toBeGreaterThan(0.8);
  // Of a second, the headers are a part.
  expect(factor).toBeLessThan(1.35);
});
