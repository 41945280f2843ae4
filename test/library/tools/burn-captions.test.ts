import { existsSync, mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, expect, it } from 'vitest';
import { createEngine } from '../../../src/index.ts';
import { hasFonts } from '../../../src/library/core/machine/fonts.ts';
import { readCaptions } from '../../../src/library/tools/burn_captions/captions.ts';
import { assOf } from '../../../src/library/speech/transcript/write/ass.ts';
import { ffmpeg, ffprobe, needFfmpeg, scratch, thrownBy } from '../../fixtures/media/media.ts';
import { tone } from '../../fixtures/media/signals.ts';
import { makeVideo } from '../../fixtures/media/videos.ts';
import { slow } from '../../fixtures/rounds.ts';

const path = scratch();
const engine = createEngine({ concurrency: 1 });
afterAll(() => engine.close());
const rate = 8000;
const [width, height] = [320, 180];

/** A black picture of 3 s: all that is bright in it was drawn. */
const film = (): string =>
  makeVideo(path('film.mp4'), [tone(3 * rate, rate, 440)], rate, {
    input: [],
    output: ['-vf', `drawbox=color=black:t=fill,scale=${width}:${height}`],
  });

const text = (name: string, content: string): string => {
  writeFileSync(path(name), content);
  return path(name);
};

/** Bright pixels of the picture at a time, by ffmpeg. */
const bright = (file: string, seconds: number): number =>
  ffmpeg('-ss', String(seconds), '-i', file, '-frames:v', '1', '-f', 'rawvideo', '-pix_fmt', 'gray', '-').filter(
    (value) => value > 150,
  ).length;

const cue = (from: string, to: string, said: string): string => `1\n00:00:0${from} --> 00:00:0${to}\n${said}\n`;

it('draws subtitles in a confined process while they are shown, and nothing else', slow, async (context) => {
  needFfmpeg(context);
  const captions = text('film.srt', cue('1,000', '2,000', 'Hello there'));
  const { outputs, result, warnings } = await engine.run(
    'burn_captions',
    { file: film(), captions },
    { caption_profile: 'shorts' },
    { outputDir: path('out') },
  );
  const [{ path: drawn } = { path: '' }] = outputs;
  expect([0.5, 1.5, 2.5].map((seconds) => bright(drawn, seconds) > 100)).toEqual([false, true, false]);
  expect(result).toEqual({ captions: 1, captionsBehindEnd: 0, width, height });
  expect(warnings).toEqual([]);
  expect(ffprobe(drawn).streams.map(({ codec_name: codec }) => codec)).toEqual(['h264', 'aac']);
});

it('draws into a picture whose sides are odd numbers of pixels', slow, async (context) => {
  needFfmpeg(context);
  const [odd, captions] = [path('odd.mp4'), text('odd.srt', cue('0,000', '2,000', 'Hello there'))];
  const looks = ['-vf', 'scale=321:181', '-c:v', 'mpeg4', '-c:a', 'copy'];
  ffmpeg('-i', film(), ...looks, odd);
  const { outputs } = await engine.run('burn_captions', { file: odd, captions }, {}, { outputDir: path('odd') });
  const [{ path: drawn } = { path: '' }] = outputs;
  expect([0.5, 2.5].map((seconds) => bright(drawn, seconds) > 20)).toEqual([true, false]);
  expect(ffprobe(drawn).streams[0]).toMatchObject({ width: 320, height: 180 });
});

it('draws nothing where all captions are behind the end, and says so', slow, async (context) => {
  needFfmpeg(context);
  const captions = text('late.vtt', 'WEBVTT\n\n01:00.000 --> 01:02.000\nToo late\n');
  const run = await engine.run('burn_captions', { file: film(), captions }, {}, { outputDir: path('late') });
  expect(run.result).toMatchObject({ captions: 0, captionsBehindEnd: 1 });
  expect(run.warnings.map(({ code }) => code)).toEqual(['no_captions']);
});

it('refuses text without times and a recording without a picture', async () => {
  const script = text('script.txt', 'Hello there');
  const file = film();
  await expect(engine.run('burn_captions', { file, captions: script })).rejects.toMatchObject({
    code: 'wrong_file_type',
  });
  expect(await thrownBy(() => readCaptions(Buffer.from('Hello there'), 'standard'))).toMatchObject({
    code: 'wrong_file_type',
  });
});

const transcript = (said: string, words = said.split(' ')): Uint8Array =>
  Buffer.from(
    JSON.stringify({
      format: 'earshot-transcript',
      version: 1,
      language: 'en',
      durationSeconds: 3,
      speakerCount: null,
      sentences: [
        {
          startSeconds: 1,
          endSeconds: 2,
          text: said,
          speaker: null,
          words: words.map((each) => ({ text: each, startSeconds: 1, endSeconds: 2 })),
        },
      ],
    }),
  );

const hostile = 'one\r\nDialogue: 0,0:00:00.00,0:00:09.00,Default,,0,0,0,,two\n[Fonts]\nfontname: x.ttf\n{\\fs900}\\N';

it.each([false, true])('text of strangers is one event without codes, karaoke %s', (karaoke) => {
  for (const content of [transcript(hostile), transcript(hostile, [hostile])]) {
    const { captions } = readCaptions(content, 'shorts');
    const lines = assOf(captions, { karaoke, profile: 'shorts' }).split(/[\r\n]+/);
    const events = lines
      .slice(lines.indexOf('[Events]') + 1)
      .filter((line) => line !== '' && !line.startsWith('Format: '));
    expect(events).toHaveLength(captions.length);
    expect(events.filter((line) => !/^Dialogue: 0,0:00:0[12]\.\d\d,/.test(line))).toEqual([]);
    // Of codes there are those of karaoke alone.
    expect(events.join('').replaceAll(/\{\\k\d+\}/g, '')).not.toMatch(/(?<!\\)\{|\\[^{}\u2060]/u);
  }
});

it('the name of a font is one field of one line', () => {
  const ass = assOf([], { font: 'Evil,1,2\n[Fonts]\r\nfontname: x.ttf' });
  expect(ass.split(/[\r\n]+/).filter((line) => /^\[|^fontname/.test(line))).toEqual([
    '[Script Info]',
    '[V4+ Styles]',
    '[Events]',
  ]);
});

it('captions of any length are cut to what a picture holds, and more at a time are refused', async () => {
  const long = readCaptions(Buffer.from(cue('1,000', '2,000', `${'y'.repeat(5000)}\n`.repeat(300))), 'standard');
  expect(long.captions.map(({ lines }) => [lines.length, lines[0]?.length])).toEqual([[20, 400]]);
  const { captions } = readCaptions(transcript('x'.repeat(1000)), 'shorts');
  expect(Math.max(...captions.flatMap(({ lines }) => lines.map((line) => line.length)))).toBeLessThan(50);
  const many = Array.from({ length: 30 }, (_, at) => cue('1,000', '2,000', `Line ${at}`)).join('\n');
  const full = cue('1,000', '2,000', `${'y'.repeat(400)}\n`.repeat(20));
  for (const more of [many, full + full])
    expect(await thrownBy(() => readCaptions(Buffer.from(more), 'standard'))).toMatchObject({ code: 'bad_request' });
});

it('draws into pictures that a cut would copy one by one', slow, async (context) => {
  needFfmpeg(context);
  const recording = path('intra.avi');
  ffmpeg('-i', film(), '-c:v', 'mjpeg', '-c:a', 'pcm_s16le', recording);
  const captions = text('intra.srt', cue('1,000', '2,000', 'Hello'));
  const run = await engine.run('burn_captions', { file: recording, captions }, {}, { outputDir: path('intra') });
  expect([0.5, 1.5].map((seconds) => bright(run.outputs[0]?.path ?? '', seconds) > 20)).toEqual([false, true]);
});

it.runIf(process.platform === 'linux')('fonts are files below the folders of fonts', () => {
  const folder = path('fonts');
  mkdirSync(join(folder, 'truetype', 'any'), { recursive: true });
  writeFileSync(join(folder, 'truetype', 'readme.txt'), '');
  const anywhere = existsSync('/etc/fonts/fonts.conf');
  expect(hasFonts([folder, path('missing')])).toBe(anywhere);
  writeFileSync(join(folder, 'truetype', 'any', 'Some.TTF'), '');
  expect(hasFonts([path('missing'), folder])).toBe(true);
});
