// @module-tag slow
// Tags that one container names otherwise than another, read by Debian's ffprobe.
import { beforeEach, expect, it } from 'vitest';
import { probe } from '../../../../src/library/media/read/probe.ts';
import { planOutput, openPlannedOutput } from '../../../../src/library/media/write/output.ts';
import { ffmpeg, ffprobe, needFfmpeg, readAll, scratch } from '../../../fixtures/media/media.ts';

const at = scratch();
beforeEach(needFfmpeg);

const given = {
  title: 'A talk',
  comment: 'A remark',
  description: 'What it is about',
  publisher: 'A press',
  language: 'deu',
  MUSICBRAINZ_ALBUMID: '66c662b6-6e2f-4930-8610-912e24c63ed1',
};

async function converted(source: string, format: 'm4a' | 'flac' | 'opus' | 'ogg' | 'mp3'): Promise<string> {
  const facts = await probe(source);
  const { planes, format: sound } = readAll(source);
  const { path, sink } = openPlannedOutput(at('.'), facts, planOutput(facts, format), sound, {
    name: `from-${source.split('.').at(-1)}`,
    threads: null,
  });
  sink.write({ planes, frames: planes[0]?.length ?? 0 });
  await sink.finish();
  return path;
}

/** Names in lower case, without what is between words. */
const tagsOf = (path: string): Record<string, string> => {
  const { format, streams } = ffprobe(path);
  return Object.fromEntries(
    Object.entries({ ...streams.find((one) => one.codec_type === 'audio')?.tags, ...format.tags }).map(
      ([key, value]) => [key.toLowerCase().replaceAll(/[ _]/gu, ''), value],
    ),
  );
};

it('M4A keeps publisher, identifiers and language, and they go on from there', async () => {
  const mp3 = at('given.mp3');
  ffmpeg(
    '-f',
    'lavfi',
    '-i',
    'sine=d=0.2',
    ...Object.entries(given).flatMap(([key, value]) => ['-metadata', `${key}=${value}`]),
    mp3,
  );
  const m4a = await converted(mp3, 'm4a');
  const wanted = {
    title: given.title,
    comment: given.comment,
    description: given.description,
    publisher: given.publisher,
    language: 'deu',
    musicbrainzalbumid: given.MUSICBRAINZ_ALBUMID,
  };
  expect(tagsOf(m4a)).toMatchObject(wanted);
  expect(ffprobe(m4a).format.tags).toHaveProperty('MusicBrainz Album Id');
  expect((await probe(m4a)).audio?.language).toBe('deu');
  for (const format of ['flac', 'opus', 'ogg', 'mp3'] as const) {
    const { comment, description, ...rest } = wanted;
    const out = await converted(m4a, format);
    expect(tagsOf(out), format).toMatchObject(rest);
    // Our own reading: ffmpeg takes a description in Vorbis comments for a comment.
    expect((await probe(out)).tags, format).toMatchObject({ comment, description });
    if (format !== 'mp3') expect(ffprobe(out).format.tags ?? {}).not.toHaveProperty('ECMMENT');
    const back = await converted(out, 'm4a');
    expect(tagsOf(back), format).toMatchObject(wanted);
  }
});
