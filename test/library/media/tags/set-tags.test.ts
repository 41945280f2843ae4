// Tags and covers put into finished files: as ffprobe reads them, the sound as before.
import { readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { dirname } from 'node:path';
import { expect, it } from 'vitest';
import { setTags as setByLibrary } from '../../../../src/index.ts';
import type { OutputFormatId } from '../../../../src/library/media/formats.ts';
import { probe } from '../../../../src/library/media/read/probe.ts';
import { setTags } from '../../../../src/library/media/write/set-tags.ts';
import { ffprobe, hasFfmpeg, readAll, scratch, writeAll } from '../../../fixtures/media/media.ts';
import { voice } from '../../../fixtures/media/signals.ts';
import { jpegs } from '../../../fixtures/media/videos.ts';

const at = scratch();
const rate = 48_000;
const planes = [voice(2 * rate, rate, 1)];
const chapters = [{ startSeconds: 0.5, endSeconds: 2, title: 'Middle' }];
const { signal } = new AbortController();
const carriers = ['mp3', 'm4a', 'flac', 'ogg', 'opus', 'wav', 'aiff'] as const satisfies OutputFormatId[];

it.each(carriers)('%s: changes some tags and the cover, and sounds as before', async (format) => {
  const tags = { title: 'Old', artist: 'Ada', comment: 'kept' };
  const { path } = writeAll(at(`tags.${format}`), planes, rate, { format, chapters, tags });
  const before = readFileSync(path);
  const [first, second] = await jpegs(2, { width: 48, height: 32 });
  writeFileSync(at('one.jpg'), first as Buffer);
  writeFileSync(at('two.jpg'), second as Buffer);
  const [once, twice] = [at(`tags-once.${format}`), at(`tags-twice.${format}`)];
  await setTags(
    path,
    once,
    { tags: { Title: 'New ä', artist: null, album: 'Show' }, cover: at('one.jpg') },
    { signal },
  );
  const facts = await probe(once);
  expect(facts.tags).toMatchObject({ comment: 'kept', album: 'Show' });
  expect(Object.entries(facts.tags).filter(([name]) => /^(title|artist)$/iu.test(name))).toEqual([
    [expect.stringMatching(/^title$/iu), 'New ä'],
  ]);
  expect(facts.cover).toMatchObject({ codec: 'mjpeg', width: 48, height: 32 });
  expect(facts.chapters.map(({ title }) => title)).toEqual(['Middle']);
  expect(readAll(once).planes).toEqual(readAll(path).planes);
  await setTags(once, twice, { cover: at('two.jpg') }, { signal });
  expect(readFileSync(twice).includes(second as Buffer) || ['ogg', 'opus'].includes(format)).toBe(true);
  expect(readFileSync(twice).includes(first as Buffer)).toBe(false);
  const none = at(`tags-none.${format}`);
  await setTags(twice, none, { cover: null }, { signal });
  expect((await probe(none)).cover).toBeNull();
  if (hasFfmpeg) {
    const { format: read, streams } = ffprobe(once);
    const found = { ...streams.find((one) => one.codec_type === 'audio')?.tags, ...read.tags };
    expect(Object.entries(found).find(([name]) => /^title$/iu.test(name))?.[1]).toBe('New ä');
  }
  expect(readFileSync(path).equals(before)).toBe(true);
});

it('refuses what cannot be, and leaves nothing behind', async () => {
  const { path } = writeAll(at('whole.mp3'), planes, rate, { format: 'mp3' });
  const aac = writeAll(at('bare.aac'), planes, rate, { format: 'aac' }).path;
  writeFileSync(at('no-picture.jpg'), 'text'.repeat(20));
  const before = readdirSync(dirname(path));
  const refused = async (source: string, changes: object, code: string, message: RegExp): Promise<void> => {
    await expect(setTags(source, at('x.mp3'), changes, { signal })).rejects.toMatchObject({
      code,
      message: expect.stringMatching(message),
    });
  };
  await refused(aac, { tags: { title: 'x' } }, 'unsupported_format', /aac has no place for tags/u);
  await refused(path, { tags: { 'a=b': 'x' } }, 'bad_request', /without "=" but received "a=b"/u);
  await refused(path, { tags: { title: 3 } }, 'bad_request', /title but received number/u);
  await refused(path, { cover: at('no-picture.jpg') }, 'bad_request', /JPEG or PNG as cover/u);
  await refused(path, { cover: at('gone.jpg') }, 'not_found', /gone\.jpg/u);
  await expect(setTags(path, at('x.mp3'), {}, { signal: AbortSignal.abort() })).rejects.toMatchObject({
    name: 'AbortError',
  });
  await expect(setByLibrary(path, path, {})).rejects.toMatchObject({ code: 'conflict' });
  expect(readdirSync(dirname(path))).toEqual(before);
});
