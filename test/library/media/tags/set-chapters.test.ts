// Chapters put into finished files: the list as ffprobe reads it, the sound as before.
import { readdirSync, readFileSync } from 'node:fs';
import { dirname } from 'node:path';
import { expect, it } from 'vitest';
import type { OutputFormatId } from '../../../../src/library/media/formats.ts';
import { probe } from '../../../../src/library/media/read/probe.ts';
import { setChapters as setByLibrary } from '../../../../src/index.ts';
import { setChapters } from '../../../../src/library/media/write/set-chapters.ts';
import { ffprobe, hasFfmpeg, readAll, scratch, writeAll } from '../../../fixtures/media/media.ts';
import { voice } from '../../../fixtures/media/signals.ts';

const at = scratch();
const rate = 48_000;
const planes = [voice(3 * rate, rate, 1)];
const chapters = [
  { startSeconds: 1.5, title: 'Middle; = # \\ ä' },
  { startSeconds: 0, title: 'Intro' },
];
const { signal } = new AbortController();
const carriers = ['mp3', 'm4a', 'flac', 'ogg', 'opus', 'wav', 'aiff'] as const satisfies OutputFormatId[];

it.each(carriers)('%s: takes them in place of its own, and sounds as before', async (format) => {
  const old = [{ startSeconds: 0.5, endSeconds: 3, title: 'old' }];
  const { path } = writeAll(at(`set.${format}`), planes, rate, { format, chapters: old, tags: { title: 'A show' } });
  const before = readFileSync(path);
  const copy = at(`set-copy.${format}`);
  const written = await setChapters(path, copy, chapters, { signal });
  expect(written.map(({ startSeconds, title }) => [startSeconds, title])).toEqual([
    [0, 'Intro'],
    [1.5, 'Middle; = # \\ ä'],
  ]);
  const facts = await probe(copy);
  expect(facts.chapters.map(({ startSeconds, title }) => [startSeconds, title])).toEqual([
    [0, 'Intro'],
    [1.5, 'Middle; = # \\ ä'],
  ]);
  expect(facts.tags['title']).toBe('A show');
  if (hasFfmpeg)
    expect(ffprobe(copy).chapters.map(({ tags }) => tags?.['title'])).toEqual(['Intro', 'Middle; = # \\ ä']);
  expect(readAll(copy).planes).toEqual(readAll(path).planes);
  expect(readFileSync(path).equals(before)).toBe(true);
});

it('refuses what cannot be, and leaves nothing behind', async () => {
  const { path } = writeAll(at('whole.mp3'), planes, rate, { format: 'mp3' });
  const aac = writeAll(at('bare.aac'), planes, rate, { format: 'aac' }).path;
  const before = readdirSync(dirname(path));
  await expect(
    setChapters(path, at('a.mp3'), [{ startSeconds: 3.5, title: 'late' }], { signal }),
  ).rejects.toMatchObject({
    code: 'bad_request',
    message: expect.stringMatching(/"late" begins at 3\.5 s, and the recording ends after 3(\.\d+)? s/),
  });
  await expect(setChapters(aac, at('a.aac'), chapters, { signal })).rejects.toMatchObject({
    code: 'unsupported_format',
    message: 'A file of kind aac has no place for chapters',
  });
  await expect(setChapters(path, at('b.mp3'), chapters, { signal: AbortSignal.abort() })).rejects.toMatchObject({
    name: 'AbortError',
  });
  expect(readdirSync(dirname(path))).toEqual(before);
});

it('the library’s own replaces nothing', async () => {
  const { path } = writeAll(at('public.mp3'), planes, rate, { format: 'mp3' });
  const copy = at('public-copy.mp3');
  await setByLibrary(path, copy, chapters);
  expect((await probe(copy)).chapters.map(({ title }) => title)).toEqual(['Intro', 'Middle; = # \\ ä']);
  for (const taken of [copy, path])
    await expect(setByLibrary(path, taken, chapters)).rejects.toMatchObject({ code: 'conflict' });
});
