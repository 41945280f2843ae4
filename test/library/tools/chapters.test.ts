// Chapters, tags and covers through the tools that edit.
import { writeFileSync } from 'node:fs';
import { basename } from 'node:path';
import { describe, expect, it } from 'vitest';
import type { Chapter } from '../../../src/library/media/facts.ts';
import { probe } from '../../../src/library/media/read/probe.ts';
import { readCovers } from '../../../src/library/media/write/cover.ts';
import { convertAudio } from '../../../src/library/tools/convert_audio/tool.ts';
import { cutAudio } from '../../../src/library/tools/cut_audio/tool.ts';
import { joinAudio } from '../../../src/library/tools/join_audio/tool.ts';
import { removeSilence } from '../../../src/library/tools/remove_silence/tool.ts';
import { adjustLoudness } from '../../../src/library/tools/adjust_loudness/tool.ts';
import { ffmpeg, ffprobe, hasFfmpeg, needFfmpeg, scratch, writeAll } from '../../fixtures/media/media.ts';
import { runTool } from '../../fixtures/media/run-context.ts';
import { joined, voice } from '../../fixtures/media/signals.ts';
import { someOf, tableOptions, slow } from '../../fixtures/rounds.ts';

const at = scratch();
const rate = 48_000;
const seconds = 12;
const planes = [voice(seconds * rate, rate, 1)];
const chapters: Chapter[] = [
  { startSeconds: 0, endSeconds: 3, title: 'One' },
  { startSeconds: 3, endSeconds: 7, title: 'Two' },
  { startSeconds: 7, endSeconds: 12, title: 'Three' },
];
const formats = ['mp3', 'm4a', 'flac', 'ogg', 'opus', 'wav'] as const;
const source = (format: (typeof formats)[number]): string =>
  writeAll(at(`source.${format}`), planes, rate, { format, chapters }).path;
const listed = async (path: string): Promise<[number, number, string][]> =>
  (await probe(path)).chapters.map(({ startSeconds, endSeconds, title }) => [
    Math.round(startSeconds * 100) / 100,
    Math.round(endSeconds * 10) / 10,
    title,
  ]);

describe.each(someOf(formats))('%s', tableOptions, (format) => {
  it('cut: chapters move with what stays', slow, async () => {
    // 2 s out of "One", all of "Two" but its last second.
    const options = {
      ranges: [
        [1, 3],
        [3, 6],
      ],
    };
    const { path } = await runTool(cutAudio, source(format), options, at('cut-'));
    expect(await listed(path)).toEqual([
      [0, 1, 'One'],
      [1, 2, 'Two'],
      [2, 7, 'Three'],
    ]);
    const parts = await runTool(
      cutAudio,
      source(format),
      {
        ranges: [
          [2, 4],
          [8, 9],
        ],
        mode: 'keep',
        output: 'separate',
      },
      at('parts-'),
    );
    expect(await Promise.all(parts.outputs.map((output) => listed(output.path)))).toEqual([
      [
        [0, 1, 'One'],
        [1, 2, 'Two'],
      ],
      [[0, 1, 'Three']],
    ]);
  });

  it('join: everybody’s, one behind the other', slow, async () => {
    const plain = writeAll(at(`plain.${format}`), [voice(2 * rate, rate, 2)], rate, { format }).path;
    const inputs = { file_ids: [source(format), plain, source(format)] };
    const { path, result } = await runTool(joinAudio, inputs, { crossfade_ms: 0, match_loudness: false }, at('join-'));
    const third = (result['files'] as { startSeconds: number }[])[2]?.startSeconds ?? 0;
    expect(Math.abs(third - 14)).toBeLessThan(0.01);
    const found = await listed(path);
    expect(found.map(([start, , title]) => [Math.round(start * 10) / 10, title])).toEqual([
      [0, 'One'],
      [3, 'Two'],
      [7, 'Three'],
      [14, 'One'],
      [17, 'Two'],
      [21, 'Three'],
    ]);
  });
});

it('join: files without chapters are chapters, by their titles or names', async () => {
  const piece = (name: string, tags: Record<string, string>, seconds: number): string =>
    writeAll(at(name), [voice(seconds * rate, rate, 2)], rate, { format: 'flac', tags }).path;
  const [one, two] = [piece('01 intro.flac', { title: 'Intro' }, 1), piece('02 talk.flac', { title: 'Talk' }, 2)];
  const untitled = piece('03 outro.flac', {}, 1);
  const options = { crossfade_ms: 200, match_loudness: false };
  const titled = await runTool(joinAudio, { file_ids: [one, two] }, options, at('titles-'));
  expect(await listed(titled.path)).toEqual([
    [0, 0.9, 'Intro'],
    [0.9, 2.8, 'Talk'],
  ]);
  for (const files of [
    [one, untitled],
    [one, one],
  ])
    expect(
      (await listed((await runTool(joinAudio, { file_ids: files }, options, at('names-'))).path)).map(
        ([, , title]) => title,
      ),
    ).toEqual(files.map((path) => basename(path, '.flac')));
  const off = await runTool(joinAudio, { file_ids: [one, two] }, { ...options, title_chapters: false }, at('off-'));
  expect(await listed(off.path)).toEqual([]);
  const wav = await runTool(joinAudio, { file_ids: [one, two] }, { ...options, output_format: 'wav' }, at('wav-'));
  expect(wav.warnings).toEqual([]);
  expect((await listed(wav.path)).map(([, , title]) => title)).toEqual(['Intro', 'Talk']);
});

it('remove_silence: chapters follow the speech', async () => {
  const pause = new Float32Array(3 * rate);
  const talk = voice(3 * rate, rate, 1);
  const sound = joined(talk, pause, talk);
  const path = writeAll(at('pause.mp3'), [sound], rate, {
    format: 'mp3',
    chapters: [
      { startSeconds: 0, endSeconds: 6, title: 'Before' },
      { startSeconds: 6, endSeconds: 9, title: 'After' },
    ],
  }).path;
  const run = await runTool(removeSilence, path, {}, at('silence-'));
  const removed = 9 - (run.outputs[0]?.durationSeconds ?? 0);
  expect(removed).toBeGreaterThan(1);
  const found = await listed(run.path);
  expect(found.map(([, , title]) => title)).toEqual(['Before', 'After']);
  expect(Math.abs((found[1]?.[0] ?? 0) - (6 - removed))).toBeLessThan(0.3);
});

it('adjust_loudness keeps them', async () => {
  const run = await runTool(adjustLoudness, source('flac'), {}, at('loud-'));
  expect((await listed(run.path)).map(([start, , title]) => [start, title])).toEqual([
    [0, 'One'],
    [3, 'Two'],
    [7, 'Three'],
  ]);
});

it('the last chapter of a Matroska file need not say where it ends', slow, async (context) => {
  needFfmpeg(context);
  const list = at('list.txt');
  writeFileSync(
    list,
    ';FFMETADATA1\n[CHAPTER]\nTIMEBASE=1/1\nSTART=0\nEND=3\ntitle=A\n[CHAPTER]\nTIMEBASE=1/1\nSTART=3\nEND=3\n' +
      'title=B\n',
  );
  const path = at('open-end.mka');
  ffmpeg('-i', source('wav'), '-i', list, '-map', '0:a', '-map_chapters', '1', '-c:a', 'libvorbis', path);
  const run = await runTool(cutAudio, path, { ranges: [[1, 2]] }, at('open-'));
  expect(await listed(run.path)).toEqual([
    [0, 2, 'A'],
    [2, 11, 'B'],
  ]);
});

it('a video’s chapters stay where they are, though its sound starts later', async (context) => {
  needFfmpeg(context);
  const list = at('late.txt');
  writeFileSync(
    list,
    ';FFMETADATA1\n[CHAPTER]\nTIMEBASE=1/1\nSTART=0\nEND=4\ntitle=A\n[CHAPTER]\nTIMEBASE=1/1\nSTART=4\nEND=8\n' +
      'title=B\n',
  );
  const path = at('late.mkv');
  const picture = ['-f', 'lavfi', '-i', 'testsrc2=d=8:s=64x48:r=10'];
  const sound = [
    '-itsoffset',
    '2',
    '-i',
    source('wav'),
    '-i',
    list,
    '-map',
    '0:v',
    '-map',
    '1:a',
    '-map_chapters',
    '2',
  ];
  ffmpeg(...picture, ...sound, '-t', '8', '-c:v', 'libx264', '-c:a', 'libmp3lame', path);
  const run = await runTool(convertAudio, path, { format: 'flac' }, at('late-'));
  expect((await listed(run.path)).map(([start, , title]) => [Math.round(start * 10) / 10, title])).toEqual([
    [0, 'A'],
    [4, 'B'],
  ]);
});

it.each(['wav', 'aiff'] as const)(
  '%s keeps composer, album artist, unknown tags and the cover',
  slow,
  async (format) => {
    const tags = {
      title: 'Stück',
      artist: 'Orchester',
      composer: 'Bär',
      album_artist: 'Verschiedene',
      comment: 'größer',
      date: '2024-05-06',
      mood: 'calm',
      disc: '2/3',
    };
    const picture = at('cover.png');
    let coverFrom: string | undefined;
    if (hasFfmpeg) {
      ffmpeg('-f', 'lavfi', '-i', 'color=red:s=32x32:d=1', '-frames:v', '1', picture);
      coverFrom = at('cover.flac');
      ffmpeg(
        '-i',
        source('flac'),
        '-i',
        picture,
        '-map',
        '0:a',
        '-map',
        '1:v',
        '-disposition:v',
        'attached_pic',
        coverFrom,
      );
    }
    const path = writeAll(at(`tags.${format}`), planes, rate, {
      format,
      tags,
      ...(coverFrom === undefined ? {} : { coverFrom }),
    }).path;
    const facts = await probe(path);
    // ID3 has a frame for the mood.
    const { mood, ...named } = tags;
    expect(facts.tags).toMatchObject({ ...named, TMOO: mood });
    expect(facts.audio?.durationSeconds).toBe(seconds);
    if (coverFrom === undefined) return;
    expect(facts.cover).toMatchObject({ codec: 'png', width: 32, height: 32 });
    expect(readCovers(path)).toEqual(readCovers(coverFrom));
    expect(ffprobe(path).format.tags).toMatchObject({ composer: 'Bär', album_artist: 'Verschiedene', TMOO: 'calm' });
    // And from there into MP3, with the cover.
    if (format !== 'wav') return;
    const run = await runTool(convertAudio, path, { format: 'mp3' }, at('on-'));
    expect(ffprobe(run.path).format.tags).toMatchObject({ composer: 'Bär', album_artist: 'Verschiedene', disc: '2/3' });
    expect((await probe(run.path)).cover).not.toBeNull();
  },
);

it('a WAV whose tags its INFO list can hold has no tag besides', async () => {
  const tags = { title: 'Plain', artist: 'Somebody', comment: 'nothing' };
  const path = writeAll(at('info.wav'), planes, rate, { format: 'wav', tags }).path;
  const facts = await probe(path);
  expect(facts.tags).toMatchObject(tags);
  expect(facts.sizeBytes).toBeLessThan(planes[0]!.length * 2 + 400);
});
