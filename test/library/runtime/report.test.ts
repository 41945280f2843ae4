// The page of a run, held against the sounds that it is about.
import { createHash } from 'node:crypto';
import { mkdirSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, describe, expect, it } from 'vitest';
import { createEngine, reportRun } from '../../../src/index.ts';
import { levelChange } from '../../../src/library/runtime/recipes/report/level-change.ts';
import { readSound } from '../../../src/library/runtime/recipes/report/sound.ts';
import { trackGains } from '../../../src/library/runtime/recipes/report/track-gains.ts';
import { courseOf } from '../../../src/library/tools/course.ts';
import { writeWav } from '../../fixtures/media/pcm-files.ts';
import { joined, make, noise, tone, voice } from '../../fixtures/media/signals.ts';
import { slow } from '../../fixtures/rounds.ts';
import { probe } from '../../../src/library/media/read/probe.ts';

const folder = mkdtempSync(join(tmpdir(), 'earshot-test-report-'));
const at = (name: string): string => join(folder, name);
const engine = createEngine({ tempDir: folder });
afterAll(async () => {
  await engine.close();
  rmSync(folder, { recursive: true, force: true });
});
const rate = 16_000;
const signal = new AbortController().signal;

describe('reportRun', () => {
  /** As hostile as file systems allow. */
  const name = `<img src=x onerror=alert(1)>"&'\u202efdp.wav`;

  it('shows both sounds, their measures and the gain, and nothing that a name brings along', slow, async () => {
    mkdirSync(at('in'));
    const path = writeWav(at(`in/${name}`), [voice(6 * rate, rate, 1, 0.05)], rate);
    const run = await engine.run('adjust_loudness', path, { target: 'streaming' }, { outputDir: at('out') });
    const told: number[] = [];
    const request = {
      options: { target: '</style><script>', custom_lufs: undefined },
      onProgress: (one: { progress: number }) => told.push(one.progress),
    };
    const made = await reportRun(
      { ...run, warnings: [{ code: 'truncated', message: '<b>bold</b>' }] },
      [path],
      request,
    );
    expect(told).toEqual(told.toSorted((a, b) => a - b));
    expect(told.at(-1)).toBe(1);
    expect(
      await reportRun({ ...run, warnings: [{ code: 'truncated', message: '<b>bold</b>' }] }, [path], request),
    ).toBe(made);

    // What came from outside is text.
    expect(made).toContain("&lt;img src=x onerror=alert(1)>&quot;&amp;'\u{fffd}fdp.wav");
    expect(made).toContain('&lt;b>bold&lt;/b>');
    expect(made).not.toMatch(/<script|<img|<b>|\son\w+="|javascript:/);
    expect(made).not.toContain(folder);
    expect(made).not.toContain('custom lufs');
    // Nothing from elsewhere, and only the page's own style.
    expect(made.replaceAll('data:image/webp', '')).not.toMatch(/https?:|url\(|@import|(?:src|href)="(?!;base64)/);
    const style = /<style>([\s\S]*?)<\/style>/.exec(made)?.[1] ?? '';
    const hash = createHash('sha256').update(style).digest('base64');
    const policy = /http-equiv="Content-Security-Policy" content="([^"]*)"/.exec(made)?.[1];
    expect(policy).toBe(
      `default-src 'none'; img-src data:; style-src 'sha256-${hash}'; base-uri 'none'; form-action 'none'`,
    );
    expect(made.match(/style="/)).toBeNull();

    // Integrated loudness: before, after, change.
    const [, ...cells] =
      /Integrated loudness<\/th>\s*<td class="number">([^<]*)<\/td>\s*<td class="number">([^<]*)<\/td>\s*<td class="number">([^<]*)</.exec(
        made,
      ) ?? [];
    const { input, output } = run.result;
    expect(cells.map(Number.parseFloat)).toEqual(
      [input.integratedLufs, output.integratedLufs, (output.integratedLufs ?? 0) - (input.integratedLufs ?? 0)].map(
        (value) => expect.closeTo(value ?? Number.NaN, 0.9),
      ),
    );
    expect(made).toContain('<h2>Gain over time</h2>');
    expect(made.match(/<path class="peaks"/g)).toHaveLength(2);
    expect(made.match(/<image\s/g)).toHaveLength(2);
  });

  it('lists and marks what was cut, and names what is no sound', slow, async () => {
    const hiss = noise(rate * 3, 5, 0.001);
    const path = writeWav(at('pause.wav'), [joined(voice(2 * rate, rate, 2), hiss, voice(2 * rate, rate, 3))], rate);
    const run = await engine.run('remove_silence', path, {}, { outputDir: at('cut') });
    const made = await reportRun(run, [path, import.meta.filename]);
    const [[start, end] = [0, 0], ...others] = run.result.cuts;
    expect(others).toEqual([]);
    const x = Number(/<rect\s+class="cut"\s+x="([\d.]+)%"/.exec(made)?.[1]);
    const width = Number(/<rect\s+class="cut"[^>]*width="([\d.]+)%"/.exec(made)?.[1]);
    expect(x).toBeCloseTo((start / 7) * 100, 1);
    expect(width).toBeCloseTo(((end - start) / 7) * 100, 1);
    expect(made).toContain('1 place');
    expect(made).toContain(`${(end - start).toFixed(2)} s`);
    expect(made).toContain('report.test.ts');
    expect(made).toContain('The level is the same within 0.3 dB throughout');
    const alone = await reportRun(await engine.run('media-info', path), [path]);
    expect(alone).toContain('No file was written');
    expect(alone.match(/<path class="peaks"/g)).toHaveLength(1);
  });
});

it('the change of level is the gain at each time, also where passages are gone', async () => {
  // Half a second each: 0, -6, +3 dB, and one that is cut.
  const part = (db: number): Float32Array => tone(rate, rate, 440, -20 + db);
  const before = writeWav(
    at('level-in.wav'),
    [joined(part(0), part(0), part(0), part(0), new Float32Array(rate))],
    rate,
    'f32',
  );
  const after = writeWav(
    at('level-out.wav'),
    [joined(part(0), part(-6), part(3), new Float32Array(rate))],
    rate,
    'f32',
  );
  const [was, becomes] = await Promise.all(
    [before, after].map((path) => readSound(path, 'x', signal, () => undefined)),
  );
  const course = courseOf('remove_silence', { cuts: [[2, 3]] }, 5);
  const changes = levelChange(was!, becomes!, course!);
  const near = (seconds: number): number | null | undefined =>
    changes.reduce((best, one) => (Math.abs(one.seconds - seconds) < Math.abs(best.seconds - seconds) ? one : best)).db;
  expect(near(0.5)).toBeCloseTo(0, 1);
  expect(near(1.5)).toBeCloseTo(-6, 1);
  expect(near(2.5)).toBeNull();
  expect(near(3.5)).toBeCloseTo(3, 1);
  expect(near(4.5)).toBeNull();
});

it('the gain of each track is found in the mix', async () => {
  // Music is ducked by 12 dB in the third and fourth second, the second voice is silent at first.
  const seconds = 6;
  const music = noise(seconds * rate, 11, 0.2);
  const one = voice(seconds * rate, rate, 4);
  const two = voice(seconds * rate, rate, 5).fill(0, 0, 2 * rate);
  const duck = (i: number): number => (i >= 2 * rate && i < 4 * rate ? 0.25 : 1);
  const mix = make(seconds * rate, (i) => 0.5 * one[i]! + 0.8 * two[i]! + 0.6 * duck(i) * music[i]!);
  const files = Object.entries({ one, two, music, mix }).map(([name, plane]) =>
    probe(writeWav(at(`${name}.wav`), [plane], rate, 'f32')),
  );
  const curves = await trackGains(files.slice(0, 3), files[3]!, seconds, signal);
  expect(curves.map((curve) => curve.length)).toEqual([12, 12, 12]);
  const db = (track: number, time: number): number | null | undefined =>
    curves[track]?.find((point) => Math.abs(point.seconds - time) < 0.01)?.db;
  for (const time of [0.25, 3.25, 5.75]) expect(db(0, time)).toBeCloseTo(20 * Math.log10(0.5), 1);
  expect(db(1, 0.75)).toBeNull();
  expect(db(1, 3.25)).toBeCloseTo(20 * Math.log10(0.8), 1);
  expect(db(2, 0.75)).toBeCloseTo(20 * Math.log10(0.6), 1);
  expect(db(2, 3.25)).toBeCloseTo(20 * Math.log10(0.15), 1);
  expect(db(2, 5.25)).toBeCloseTo(20 * Math.log10(0.6), 1);
});

describe('the course of a run', () => {
  it('follows cuts, kept ranges in any order, and fillers that went together', () => {
    const silence = courseOf(
      'remove_silence',
      {
        cuts: [
          [1, 2],
          [4, 5.5],
        ],
      },
      10,
    );
    expect([0, 1, 1.5, 3, 5, 10].map((time) => silence?.toOutput(time))).toEqual([0, 1, 1, 2, 3, 7.5]);
    const moved = courseOf(
      'cut_audio',
      {
        keptRanges: [
          [5, 6],
          [0, 2],
        ],
      },
      10,
    );
    expect([5.5, 1, 6].map((time) => moved?.toOutput(time))).toEqual([0.5, 2, 1]);
    const cuts = [
      { startSeconds: 1, endSeconds: 1.5 },
      { startSeconds: 1.7, endSeconds: 2 },
      { startSeconds: 2.9, endSeconds: 3 },
    ];
    // The 0.2 s between the first two are gone, too.
    const fillers = courseOf('remove_fillers', { cuts, removedSeconds: 1.1 }, 10);
    expect(fillers?.kept).toEqual([
      { startSeconds: 0, endSeconds: 1 },
      { startSeconds: 2, endSeconds: 2.9 },
      { startSeconds: 3, endSeconds: 10 },
    ]);
    expect(courseOf('remove_noise', {}, 10)?.toOutput(7)).toBe(7);
    expect(courseOf('join_audio', {}, 10)).toBeNull();
  });
});

it('a waveform in a report reaches as high as its samples', async () => {
  // Rises to full height; the loudest sample is at the edge.
  const path = writeWav(at('rise.wav'), [make(rate, (i) => (i / rate) * 0.5 * (i % 2 === 0 ? 1 : -1))], rate, 'f32');
  const made = await reportRun(await engine.run('media-info', path), [path]);
  const drawn = /<path class="peaks" d="M([^"]*)Z"/.exec(made)?.[1]?.split('L') ?? [];
  expect(drawn).toHaveLength(2000);
  for (const x of [100, 500, 999]) {
    const [, top] = /^\d+ ([\d.]+)H/.exec(drawn[x] as string) ?? [];
    expect(Math.abs(Number(top) - 100 * (1 - (x + 1) / 1000))).toBeLessThan(0.3);
  }
});
