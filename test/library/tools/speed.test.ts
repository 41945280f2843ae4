// change_speed: length, pitch and what moves with the sound.
import { execFileSync } from 'node:child_process';
import { writeFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { adjustLoudness } from '../../../src/library/tools/adjust_loudness/tool.ts';
import { changeSpeed } from '../../../src/library/tools/change_speed/tool.ts';
import { probe } from '../../../src/library/media/read/probe.ts';
import { hasFfmpeg, readAll, scratch } from '../../fixtures/media/media.ts';
import { writeWav } from '../../fixtures/media/pcm-files.ts';
import { runTool, type ToolRun } from '../../fixtures/media/run-context.ts';
import { rms, tone, voice } from '../../fixtures/media/signals.ts';
import { slow } from '../../fixtures/rounds.ts';

const at = scratch();
const rate = 44_100;
const source = writeWav(at('talk.wav'), [voice(3 * rate, rate, 1), voice(3 * rate, rate, 2)], rate);
const speed = (path: string, options: object = {}): Promise<ToolRun> =>
  runTool(changeSpeed, path, options, at('work-'));

describe('speed', () => {
  it.each([0.5, 1.25, 1.9])('%d: the length to a sample, and the level', async (factor) => {
    const run = await speed(source, { speed: factor });
    const sound = readAll(run.path);
    expect(sound.frames).toBe(Math.round((3 * rate) / factor));
    expect(sound.format).toMatchObject({ sampleRate: rate, channels: 2 });
    expect(run.result).toEqual({
      speed: factor,
      inputSeconds: 3,
      durationSeconds: Math.round((3 * rate) / factor) / rate,
    });
    expect(rms(sound.planes[0]!) / rms(voice(3 * rate, rate, 1))).toBeGreaterThan(0.9);
    expect(rms(sound.planes[0]!) / rms(voice(3 * rate, rate, 1))).toBeLessThan(1.1);
  });

  it('1 changes no sample', async () => {
    const run = await speed(source, { speed: 1 });
    expect(readAll(run.path).planes).toEqual(readAll(source).planes);
  });

  it.runIf(hasFfmpeg)('moves chapters with their sound, and takes the sound of a video', slow, async () => {
    const list = at('chapters.txt');
    const chapter = (from: number, to: number, title: string): string =>
      `[CHAPTER]\nTIMEBASE=1/1000\nSTART=${from}\nEND=${to}\ntitle=${title}\n`;
    writeFileSync(list, `;FFMETADATA1\n${chapter(0, 1000, 'One')}${chapter(1000, 3000, 'Two')}`);
    const film = at('film.mkv');
    const picture = ['-f', 'lavfi', '-i', 'testsrc=s=64x48:r=10:d=3'];
    execFileSync('ffmpeg', ['-v', 'error', ...picture, '-i', source, '-i', list, '-map_metadata', '2', film]);
    const run = await speed(film, { speed: 2 });
    const facts = probe(run.path);
    expect(facts).toMatchObject({ format: 'm4a', hasVideo: false });
    expect(facts.chapters.map(({ title }) => title)).toEqual(['One', 'Two']);
    expect(facts.chapters[1]!.startSeconds).toBeCloseTo(0.5, 2);
    expect(facts.chapters[1]!.endSeconds).toBeCloseTo(1.5, 1);
  });
});

describe('fades of loudness', () => {
  const flat = writeWav(at('flat.wav'), [tone(3 * rate, rate, 440)], rate);
  const loudness = (options: object): Promise<ToolRun> => runTool(adjustLoudness, flat, options, at('work-'));
  const level = (plane: Float32Array, from: number, to: number): number =>
    rms(plane.subarray(Math.round(from * rate), Math.round(to * rate)));

  it('begin and end in silence, and leave what lies between', async () => {
    const run = await loudness({ gain_db: 0, fade_in_seconds: 1, fade_out_seconds: 0.5, fade_curve: 'linear' });
    const [plane] = readAll(run.path).planes;
    const [before] = readAll(flat).planes;
    expect(level(plane!, 0, 0.01)).toBeLessThan(0.02 * level(before!, 0, 0.01));
    expect(level(plane!, 0.49, 0.51) / level(before!, 0.49, 0.51)).toBeCloseTo(0.5, 2);
    expect(level(plane!, 1, 2.5) / level(before!, 1, 2.5)).toBeCloseTo(1, 3);
    expect(level(plane!, 2.99, 3)).toBeLessThan(0.02 * level(before!, 2.99, 3));
    expect(run.result).toMatchObject({ gainDb: 0, fadeInSeconds: 1, fadeOutSeconds: 0.5 });
  });

  it('a gain is given to what is too short to be measured, and is not said to change nothing', async () => {
    const short = writeWav(at('short.wav'), [tone(0.1 * rate, rate, 440)], rate);
    const run = await runTool(adjustLoudness, short, { gain_db: -6 }, at('work-'));
    const [before, after] = [readAll(short).planes[0]!, readAll(run.path).planes[0]!];
    expect(20 * Math.log10(rms(after) / rms(before))).toBeCloseTo(-6, 2);
    expect(run.warnings.map(({ message }) => message).join()).not.toContain('unchanged');
  });

  it('count for a target: it is reached with them', async () => {
    const run = await loudness({ target: 'custom', custom_lufs: -20, fade_out_seconds: 2.5 });
    expect((run.result as { output: { integratedLufs: number } }).output.integratedLufs).toBeCloseTo(-20, 1);
  });
});
