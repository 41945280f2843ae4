import { readFileSync, readdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import sharp from 'sharp';
import { describe, expect, it } from 'vitest';
import { formatClock, formatSeconds } from '../../src/library/core/readable.ts';
import { formatBytes } from '../../src/cli/terminal/report.ts';
import { probe } from '../../src/library/media/read/probe.ts';
import { writeAll } from '../fixtures/media/media.ts';
import { earshot, jsonLines, useFolder } from './support.ts';
import { slow, slower } from '../fixtures/rounds.ts';

const folder = useFolder();

describe('probe', () => {
  it('prints a table, or JSON lines', slow, async () => {
    const cwd = folder();
    const table = await earshot(cwd, ['probe', 'clip.wav']);
    expect(table).toEqual({
      code: 0,
      stderr: '',
      stdout: expect.stringMatching(
        /^clip\.wav\n {2}Format {2}wav, 1\.2 MB, 768 kbit\/s\n {2}Length {2}0:12\.00 by its header\n {2}Audio {3}pcm_s16le, 48000 Hz, mono, 16 bits, 768 kbit\/s\n$/,
      ) as string,
    });
    expect(jsonLines(await earshot(cwd, ['probe', 'clip.wav', '--json']))).toMatchObject([
      {
        type: 'result',
        file: 'clip.wav',
        result: { format: 'wav', durationSeconds: 12, hasAudio: true, hasVideo: false },
      },
    ]);
  });

  it('goes on after a file that fails', async () => {
    const run = await earshot(folder(), ['probe', 'gone.wav', 'clip.wav']);
    expect(run.code).toBe(1);
    expect(run.stderr).toMatch(/^earshot: .*gone\.wav/);
    expect(run.stdout).toMatch(/^clip\.wav\n/);
  });
});

describe('chapters', () => {
  it('answers the podcast namespace’s JSON, to stdout or a file', slow, async () => {
    const cwd = folder();
    const planes = [new Float32Array(48_000).fill(0.1)];
    const chapters = [
      { startSeconds: 0, endSeconds: 0.5, title: 'Früh' },
      { startSeconds: 0.5, endSeconds: 1, title: 'Late' },
    ];
    writeAll(join(cwd, 'show.mp3'), planes, 48_000, { format: 'mp3', chapters });
    const expected = {
      version: '1.2.0',
      chapters: [
        { startTime: 0, endTime: 0.5, title: 'Früh' },
        { startTime: 0.5, endTime: 1, title: 'Late' },
      ],
    };
    const run = await earshot(cwd, ['chapters', 'show.mp3']);
    expect(run).toMatchObject({ code: 0, stderr: '' });
    expect(JSON.parse(run.stdout)).toEqual(expected);
    expect(await earshot(cwd, ['chapters', 'show.mp3', '-o', 'c.json'])).toMatchObject({ code: 0, stdout: '' });
    expect(JSON.parse(readFileSync(join(cwd, 'c.json'), 'utf8'))).toEqual(expected);
    expect((await earshot(cwd, ['chapters', 'show.mp3', '-o', 'c.json'])).stderr).toContain('exists already');
  });
});

describe('peaks', () => {
  it('draws a picture and writes the bins', slow, async () => {
    const cwd = folder();
    const run = await earshot(cwd, [
      'peaks',
      'clip.wav',
      '--png',
      'clip.png',
      '--width',
      '300',
      '--height',
      '64',
      '--spectrogram',
      'heat.webp',
      '--no-axis',
      '-o',
      'peaks.json',
    ]);
    expect(run).toMatchObject({ code: 0, stderr: '' });
    expect(run.stdout).toMatch(
      /^clip\.wav -> clip\.png, heat\.webp, peaks\.json: 0:12\.00, loudest sample 0\.35\d, 6000 bins at 500\/s, 600 bins at 50\/s, 60 bins at 5\/s\n$/,
    );
    expect(await sharp(join(cwd, 'clip.png')).metadata()).toMatchObject({ format: 'png', width: 300, height: 64 });
    expect(await sharp(join(cwd, 'heat.webp')).metadata()).toMatchObject({ format: 'webp', width: 300, height: 64 });
    const { levels } = JSON.parse(readFileSync(join(cwd, 'peaks.json'), 'utf8')) as {
      levels: { perSecond: number; count: number; data: string }[];
    };
    expect(levels.map(({ perSecond, count }) => [perSecond, count])).toEqual([
      [500, 6000],
      [50, 600],
      [5, 60],
    ]);
    const coarse = new Int8Array(Buffer.from(levels[2]?.data ?? '', 'base64'));
    expect(coarse).toHaveLength(120);
    // The loudest sample is 0.351 of full scale, 127.
    expect(coarse.reduce((most, value) => Math.max(most, Math.abs(value)), 0)).toBeCloseTo(0.351 * 127, -0.5);
  });

  it('refuses to replace a picture, wrong sizes, and folders that do not exist', slow, async () => {
    const cwd = folder();
    writeFileSync(join(cwd, 'there.png'), 'mine');
    expect((await earshot(cwd, ['peaks', 'clip.wav', '--png', 'there.png'])).code).toBe(1);
    for (const flag of ['--png', '-o'])
      expect(await earshot(cwd, ['peaks', 'clip.wav', flag, './clip.wav', '-y'])).toMatchObject({
        code: 2,
        stderr: expect.stringContaining('would replace an input') as string,
      });
    expect((await earshot(cwd, ['chapters', 'clip.wav', '-o', 'clip.wav', '-y'])).code).toBe(2);
    expect(await earshot(cwd, ['peaks', 'clip.wav', '--png', 'x.png', '--width', 'wide'])).toMatchObject({
      code: 2,
      stderr: expect.stringContaining('Expected whole number of pixels for --width but received wide') as string,
    });
    expect(await earshot(cwd, ['peaks', 'clip.wav', '--png', 'x.png', '--width', '2'])).toMatchObject({ code: 2 });
    expect(await earshot(cwd, ['peaks', 'clip.wav', '--png', 'x.png', '--spectrogram', 'x.png'])).toMatchObject({
      code: 2,
      stderr: expect.stringContaining('Expected a file of its own for each result') as string,
    });
    expect(await earshot(cwd, ['peaks', 'clip.wav', '--png', 'no/x.png'])).toMatchObject({
      code: 2,
      stderr: expect.stringContaining('Cannot write') as string,
    });
    expect(readdirSync(cwd)).toEqual(['clip.wav', 'there.png']);
  });
});

describe('chapters --set', () => {
  it(
    'copies a recording with the chapters of a list, beside it or where -o says, in its own format',
    slow,
    async () => {
      const cwd = folder();
      writeAll(join(cwd, 'show.mp3'), [new Float32Array(96_000).fill(0.1)], 48_000, { format: 'mp3' });
      writeFileSync(join(cwd, 'list.txt'), '0:00 Intro\n0:01.5 Questions\n');
      const run = await earshot(cwd, ['chapters', 'show.mp3', '--set', 'list.txt']);
      expect(run).toMatchObject({ code: 0, stderr: '', stdout: 'show.mp3 -> show.chapters.mp3: 2 chapters\n' });
      expect((await probe(join(cwd, 'show.chapters.mp3'))).chapters.map(({ title }) => title)).toEqual([
        'Intro',
        'Questions',
      ]);
      for (const [output, message] of [
        ['show.wav', 'Expected a file ending in .mp3'],
        ['show.mp3', 'would replace an input'],
        ['show.chapters.mp3', 'exists already'],
      ] as const)
        expect((await earshot(cwd, ['chapters', 'show.mp3', '--set', 'list.txt', '-o', output])).stderr).toContain(
          message,
        );
      expect(readdirSync(cwd).toSorted()).toEqual(['clip.wav', 'list.txt', 'show.chapters.mp3', 'show.mp3']);
    },
  );
});

describe('demo', () => {
  it('shows noise, transcript and fillers before and after, and says where the results lie', slower, async () => {
    const cwd = folder();
    const run = await earshot(cwd, ['demo']);
    expect(run).toMatchObject({ code: 0, stderr: '' });
    expect(run.stdout.match(/^\d\. .*$/gm)).toHaveLength(3);
    const [, before, after] =
      /^Between the words: (-[\d.]+) dBFS before, (-[\d.]+) dBFS after$/m.exec(run.stdout) ?? [];
    expect(Number(after)).toBeLessThan(Number(before) - 6);
    expect(run.stdout).toMatch(/^Before: .*\bUm, this is me talking really slow/m);
    const said = /^After: +(.*)$/m.exec(run.stdout)?.[1] ?? '';
    expect(said).toMatch(/This is me talking really slow and slightly lower in intensity/);
    expect(said).not.toMatch(/\b(um|uh)\b/i);
    const made = readdirSync(join(cwd, 'earshot-demo'));
    for (const name of ['report.json', 'before.png', 'after.png', 'talk.remove-noise.remove-fillers.opus'])
      expect(made).toContain(name);
  });
});

describe('words for numbers', () => {
  it('clock, seconds and bytes', () => {
    expect([0, 59.999, 75.5, 3725.4].map(formatClock)).toEqual(['0:00.00', '1:00.00', '1:15.50', '1:02:05.40']);
    expect([0.25, 9.94, 59.6, 75, 3725].map(formatSeconds)).toEqual([
      '0.3 s',
      '9.9 s',
      '1 min 0 s',
      '1 min 15 s',
      '1 h 2 min',
    ]);
    expect([12, 1500, 2.5e6, 3e9].map(formatBytes)).toEqual(['12 bytes', '1.5 kB', '2.5 MB', '3.00 GB']);
  });
});
