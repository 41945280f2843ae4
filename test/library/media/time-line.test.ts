// One time line for a file, with its zero where players show it: sound that starts after the picture has silence before
// it.
import { describe, expect, it } from 'vitest';
import { readableLength } from '../../../src/library/media/read/readable-length.ts';
import { convertAudio } from '../../../src/library/tools/convert_audio/tool.ts';
import { cutAudio } from '../../../src/library/tools/cut_audio/tool.ts';
import { removeSilence } from '../../../src/library/tools/remove_silence/tool.ts';
import { ffmpeg, needFfmpeg, readAll, scratch } from '../../fixtures/media/media.ts';
import { writeWav } from '../../fixtures/media/pcm-files.ts';
import { runTool } from '../../fixtures/media/run-context.ts';
import { make, maxAbs, peakFrame } from '../../fixtures/media/signals.ts';
import { slow } from '../../fixtures/rounds.ts';

const at = scratch();
const rate = 48_000;
/** A hum with a click in it, wide enough for codecs. */
const soundSeconds = 4;
const clickSeconds = 1;
const sound = make(
  soundSeconds * rate,
  (i) => 0.05 * Math.sin(i / 20) + 0.8 * Math.exp(-(((i - clickSeconds * rate) / 40) ** 2)),
);
const pictureSeconds = 6;
/** What codecs and clocks in milliseconds may be off by, s. */
const close = 0.02;
/** What encoders put before the sound, at most. */
const primingSeconds = 0.06;

/** A film whose sound starts so much after its picture, or before it. */
function film(name: string, offsetSeconds: number, codecs: readonly string[], form = 's=64x48'): string {
  const wav = writeWav(at(`${name}.wav`), [sound, sound], rate);
  const picture = ['-f', 'lavfi', '-i', `testsrc2=r=25:d=${pictureSeconds}:${form}`];
  const offset = (seconds: number): string[] => (seconds > 0 ? ['-itsoffset', String(seconds)] : []);
  ffmpeg(...offset(-offsetSeconds), ...picture, ...offset(offsetSeconds), '-i', wav, ...codecs, at(name));
  return at(name);
}

const mpeg4 = ['-c:v', 'mpeg4', '-bf', '0'];
const containers: readonly (readonly [extension: string, ...codecs: string[]])[] = [
  ['mp4', ...mpeg4, '-c:a', 'aac'],
  ['mov', ...mpeg4, '-c:a', 'pcm_s16le'],
  ['mkv', ...mpeg4, '-c:a', 'aac'],
  ['webm', '-c:v', 'vp8', '-c:a', 'libopus'],
  ['ts', '-c:v', 'mpeg2video', '-c:a', 'aac'],
  ['flv', '-c:v', 'flv', '-c:a', 'aac'],
  ['wmv', '-c:v', 'wmv2', '-c:a', 'wmav2'],
  ['3gp', ...mpeg4, '-c:a', 'aac'],
  ['opus.mp4', ...mpeg4, '-c:a', 'libopus'],
  ['mp3.mp4', ...mpeg4, '-c:a', 'libmp3lame'],
  ['b-frames.mkv', '-c:v', 'libx264', '-c:a', 'libvorbis'],
  ['b-frames.ts', '-c:v', 'libx264', '-c:a', 'mp2'],
];
const clickIn = (plane: Float32Array): number => peakFrame(plane) / rate;

describe('sound that starts after the picture', () => {
  it.for(containers)('%s: is where players play it', slow, async ([extension, ...codecs], context) => {
    needFfmpeg(context);
    const late = 1.237;
    const path = film(`late.${extension}`, late, codecs);
    const { planes, warnings, expectedFrames } = readAll(path);
    const plane = planes[0] as Float32Array;
    expect(Math.abs(clickIn(plane) - late - clickSeconds)).toBeLessThan(close);
    expect(maxAbs(plane.subarray(0, Math.round((late - primingSeconds) * rate)))).toBe(0);
    expect(warnings).toEqual([]);
    // Headers count an encoder's padding.
    expect(Math.abs((expectedFrames ?? 0) / rate - late - soundSeconds)).toBeLessThan(0.2 + pictureSeconds / 5);
    const length = await readableLength(path);
    expect(Math.abs((length?.pictureEndSeconds ?? 0) - pictureSeconds)).toBeLessThan(0.1);
    for (const from of [0.5, 1.237, 2, 2.2]) {
      const part = readAll(path, { from, to: 3 }).planes[0] as Float32Array;
      expect(Math.abs(peakFrame(part) + Math.round(from * rate) - peakFrame(plane)), `from ${from}`).toBeLessThan(2);
    }
  });

  it.for([
    // AAC has no type of its own there: FFmpeg tells it by its bytes, and does not wait for them.
    ['late.m2ts', 2.1, 's=64x48', '-c:v', 'libx264', '-mpegts_m2ts_mode', '1'],
    // More than the 5 MB that FFmpeg looks at.
    ['wide.ts', 3, 's=480x360,noise=alls=100:allf=t', '-c:v', 'mpeg2video', '-q:v', '1'],
  ] as const)('%s: is found', slow, ([name, late, form, ...codecs], context) => {
    needFfmpeg(context);
    const plane = readAll(film(name, late, ['-c:a', 'aac', ...codecs], form)).planes[0] as Float32Array;
    expect(Math.abs(clickIn(plane) - late - clickSeconds)).toBeLessThan(close);
  });

  it('has silence before it in what is written, and ranges count from the picture’s start', slow, async (context) => {
    needFfmpeg(context);
    const path = film('ranges.mp4', 1.237, ['-c:v', 'libx264', '-c:a', 'aac']);
    const wav = await runTool(convertAudio, path, { format: 'wav' }, at('wav-'));
    expect(Math.abs(clickIn(readAll(wav.path).planes[0] as Float32Array) - 2.237)).toBeLessThan(close);
    const cut = await runTool(cutAudio, path, { ranges: [[0.5, 1]] }, at('cut-'));
    expect(Math.abs(clickIn(readAll(cut.path).planes[0] as Float32Array) - 1.737)).toBeLessThan(close);
    expect(cut.warnings).toEqual([]);
    const behind = await runTool(cutAudio, path, { ranges: [[5, 5.5]], mode: 'keep' }, at('behind-'));
    expect(readAll(behind.path).frames).toBeGreaterThan(0.4 * rate);
    const heard = await runTool(removeSilence, path, { min_pause_seconds: 1 }, at('heard-'));
    expect((heard.result['cuts'] as number[][])[0]?.[1]).toBeGreaterThan(0.8);
  });
});

describe('sound that starts with the picture, or before it', () => {
  it.for([
    ['mp4', ...mpeg4, '-c:a', 'aac'],
    ['mkv', ...mpeg4, '-c:a', 'pcm_s16le'],
    ['webm', '-c:v', 'vp8', '-c:a', 'libopus'],
  ] as const)('%s: has nothing before it', slow, async ([extension, ...codecs], context) => {
    needFfmpeg(context);
    for (const early of [0, 0.7]) {
      const { planes } = readAll(film(`early-${early}.${extension}`, -early, codecs));
      expect(Math.abs(clickIn(planes[0] as Float32Array) - clickSeconds)).toBeLessThan(close + 0.003);
    }
  });
});

it('a clock that puts the sound an hour after a picture of seconds is wrong, and that is said', async (context) => {
  needFfmpeg(context);
  const path = film('hour.mp4', 3600, [...mpeg4, '-c:a', 'aac']);
  const { planes, warnings } = readAll(path);
  expect(clickIn(planes[0] as Float32Array)).toBeLessThan(1.1);
  expect(warnings.map(({ code }) => code)).toEqual(['clock_jump']);
  // Nor is it paid for.
  expect((await readableLength(path))?.seconds).toBeLessThan(pictureSeconds + 0.2);
});
