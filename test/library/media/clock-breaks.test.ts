// Recordings joined byte by byte: the clock begins anew in each part, and the parts are one after the other.
import { readFileSync, writeFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { readableLength } from '../../../src/library/media/read/readable-length.ts';
import { adjustLoudness } from '../../../src/library/tools/adjust_loudness/tool.ts';
import { cutAudio } from '../../../src/library/tools/cut_audio/tool.ts';
import { ffmpeg, ffprobe, needFfmpeg, readAll, scratch } from '../../fixtures/media/media.ts';
import { writeWav } from '../../fixtures/media/pcm-files.ts';
import { runTool } from '../../fixtures/media/run-context.ts';
import { make, peakFrame } from '../../fixtures/media/signals.ts';
import { slow } from '../../fixtures/rounds.ts';

const at = scratch();
const rate = 48_000;
const clickSeconds = 1;
/** A picture of 4 s, 25 a second, and 3.5 s of sound with a click. */
const pictures = 100;
const sound = make(
  3.5 * rate,
  (i) => 0.05 * Math.sin(i / 20) + 0.8 * Math.exp(-(((i - clickSeconds * rate) / 40) ** 2)),
);

function part(name: string, ...codecs: string[]): string {
  const wav = writeWav(at(`${name}.wav`), [sound], rate);
  ffmpeg('-f', 'lavfi', '-i', 'testsrc2=d=4:s=64x48:r=25', '-i', wav, ...codecs, at(name));
  return at(name);
}

function joined(name: string, ...parts: readonly string[]): string {
  writeFileSync(at(name), Buffer.concat(parts.map((path) => readFileSync(path))));
  return at(name);
}

const picturesOf = (path: string): number =>
  Number(
    ffmpeg('-i', path, '-map', '0:v', '-fps_mode', 'passthrough', '-f', 'framecrc', '-')
      .toString()
      .split('\n')
      .filter((line) => line.startsWith('0,')).length,
  );

const x264 = ['-c:v', 'libx264', '-g', '25', '-pix_fmt', 'yuv420p'];
const clicks = (plane: Float32Array): number[] =>
  [0, 1].map((n) => {
    const from = n * 4 * rate;
    return (from + peakFrame(plane.subarray(from, Math.min(plane.length, from + 4 * rate)))) / rate;
  });

describe('two recordings in one file', () => {
  it.for([
    ['ts', ...x264, '-c:a', 'aac'],
    ['m2ts', ...x264, '-c:a', 'ac3'],
    ['mpg', '-c:v', 'mpeg2video', '-c:a', 'mp2'],
  ])('%s: are one after the other', slow, async ([extension = '', ...codecs], context) => {
    needFfmpeg(context);
    const one = part(`one.${extension}`, ...codecs);
    const path = joined(`two.${extension}`, one, one);
    const { planes } = readAll(path);
    const [first = 0, second = 0] = clicks(planes[0] as Float32Array);
    expect(Math.abs(second - first - 4)).toBeLessThan(0.02);
    expect(
      Math.abs(peakFrame(readAll(path, { from: 4.5 }).planes[0] as Float32Array) / rate - second + 4.5),
    ).toBeLessThan(0.001);
    expect(Math.abs(((await readableLength(path))?.seconds ?? 0) - 8)).toBeLessThan(0.1);

    const cut = await runTool(cutAudio, path, { ranges: [[1.2, 2.2]] }, at('cut-'));
    expect(picturesOf(cut.path)).toBe(2 * pictures - 25);
    const seconds = Number(ffprobe(cut.path).format.duration);
    expect(Math.abs(seconds - 7)).toBeLessThan(0.1);
    const loud = await runTool(adjustLoudness, path, {}, at('loud-'));
    expect(picturesOf(loud.path)).toBe(2 * pictures);
    expect(Math.abs(Number(ffprobe(loud.path).format.duration) - 8)).toBeLessThan(0.1);
  });

  it('of which the second has another rate, are read from any time on', slow, (context) => {
    needFfmpeg(context);
    const parts = [16_000, 32_000].map((each) => part(`rate-${each}.ts`, ...x264, '-c:a', 'aac', '-ar', String(each)));
    const path = joined('rates.ts', ...parts);
    const whole = readAll(path);
    const [plane] = whole.planes as [Float32Array];
    const half = 4 * whole.format.sampleRate;
    const apart = half + peakFrame(plane.subarray(half)) - peakFrame(plane.subarray(0, half));
    expect(Math.abs(apart / whole.format.sampleRate - 4)).toBeLessThan(0.1);
    const behind = readAll(path, { from: 3 }).planes[0] as Float32Array;
    expect(behind).toEqual(plane.subarray(3 * whole.format.sampleRate));
  });

  it('of which the second begins before the first ends, as parts of a recorder do', slow, async (context) => {
    needFfmpeg(context);
    const one = part('over-1.ts', ...x264, '-c:a', 'aac');
    const two = part('over-2.ts', ...x264, '-c:a', 'aac', '-output_ts_offset', '3');
    const path = joined('over.ts', one, two);
    const [first = 0, second = 0] = clicks(readAll(path).planes[0] as Float32Array);
    expect(Math.abs(second - first - 4)).toBeLessThan(0.02);
  });

  it('of which the first has a clock of minutes later is no clock that was full', slow, async (context) => {
    needFfmpeg(context);
    const late = part('late.ts', ...x264, '-c:a', 'aac', '-output_ts_offset', '200');
    const path = joined('late-first.ts', late, part('early.ts', ...x264, '-c:a', 'aac'));
    const { planes } = readAll(path);
    const [first = 0, second = 0] = clicks(planes[0] as Float32Array);
    expect(Math.abs(second - first - 4)).toBeLessThan(0.02);
    expect(Math.abs((planes[0]?.length ?? 0) / rate - 7.5)).toBeLessThan(0.1);
    expect(Math.abs(((await readableLength(path))?.seconds ?? 0) - 8)).toBeLessThan(0.1);
  });

  it('a clock that is full, and a jump ahead, stay what they are', slow, async (context) => {
    needFfmpeg(context);
    const full = part('full.ts', ...x264, '-c:a', 'aac', '-output_ts_offset', String(2 ** 33 / 90_000 - 2));
    expect(Math.abs(((await readableLength(full))?.seconds ?? 0) - 4)).toBeLessThan(0.1);
    const one = part('ahead-1.ts', ...x264, '-c:a', 'aac');
    const two = part('ahead-2.ts', ...x264, '-c:a', 'aac', '-output_ts_offset', '10');
    const starts = [one, two].map((path) =>
      Number(ffprobe(path).streams.find((each) => each.codec_type === 'audio')?.start_time),
    );
    const [plane] = readAll(joined('ahead.ts', one, two)).planes as [Float32Array];
    const apart = (8 * rate + peakFrame(plane.subarray(8 * rate)) - peakFrame(plane.subarray(0, 4 * rate))) / rate;
    expect(Math.abs(apart - (starts[1] as number) + (starts[0] as number))).toBeLessThan(0.02);
  });
});
