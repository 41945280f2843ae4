// label_audio: tags and chapters as another program reads them; no sample and no packet changes.
import { readFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { labelAudio } from '../../../../src/library/tools/label_audio/tool.ts';
import { probe } from '../../../../src/library/media/read/probe.ts';
import { readTags } from '../../../../src/library/media/write/read-tags.ts';
import { writeAs } from '../../../../src/library/media/write/written-form.ts';
import { ffmpeg, ffprobe, needFfmpeg, readAll, scratch, thrownBy } from '../../../fixtures/media/media.ts';
import { writeWav } from '../../../fixtures/media/pcm-files.ts';
import { runTool, type ToolRun } from '../../../fixtures/media/run-context.ts';
import { voice } from '../../../fixtures/media/signals.ts';
import { slow } from '../../../fixtures/rounds.ts';

const at = scratch();
const rate = 44_100;
const source = writeWav(at('talk.wav'), [voice(3 * rate, rate)], rate);
const label = (path: string, options: object): Promise<ToolRun> => runTool(labelAudio, path, options, at('work-'));
const chapters = [
  { start_seconds: 1.5, title: 'Two' },
  { start_seconds: 0, title: 'One' },
];

describe('labels', () => {
  it.for([
    ['talk.mp3', ['-c:a', 'libmp3lame']],
    ['talk.m4b', ['-c:a', 'aac', '-f', 'mp4']],
    ['talk.opus', ['-c:a', 'libopus']],
    ['talk.flac', ['-c:a', 'flac']],
    ['talk.mkv', ['-f', 'lavfi', '-i', 'testsrc=s=64x48:r=10:d=3', '-c:a', 'aac']],
  ] as const)('of %s are those that were asked for, and its samples stay', slow, async ([name, codec], context) => {
    needFfmpeg(context);
    const file = at(name);
    ffmpeg('-i', source, ...codec, '-metadata', 'artist=Ann', '-metadata', 'genre=Test', file);
    const run = await label(file, { title: 'On walking', album: 'Show', genre: '', chapters });
    expect(run.outputs[0]).toMatchObject({ filename: name, format: name.split('.').at(-1) });
    expect(run.result).toMatchObject({ tags: expect.objectContaining({ title: 'On walking' }), chapterCount: 2 });
    const facts = probe(run.path);
    // Matroska has its names in capitals.
    const tags = Object.fromEntries(Object.entries(facts.tags).map(([tag, value]) => [tag.toLowerCase(), value]));
    expect(tags).toMatchObject({ title: 'On walking', album: 'Show', artist: 'Ann' });
    expect(tags).not.toHaveProperty('genre');
    expect(facts.chapters.map(({ startSeconds, title }) => [startSeconds, title])).toEqual([
      [0, 'One'],
      [1.5, 'Two'],
    ]);
    expect(ffprobe(run.path).format.format_name).toBe(ffprobe(file).format.format_name);
    expect(readAll(run.path).planes).toEqual(readAll(file).planes);
  });

  it('are taken away by an empty text and an empty list, and others stay', async () => {
    const first = await label(source, { title: 'On walking', artist: 'Ann', chapters });
    const { result, path } = await label(first.path, { title: '', chapters: [] });
    expect(result).toEqual({ tags: expect.objectContaining({ artist: 'Ann' }), chapterCount: 0, hasCover: false });
    expect(probe(path).tags).not.toHaveProperty('title');
    const kept = await label(first.path, { date: '2026' });
    expect(kept.result).toMatchObject({ chapterCount: 2, tags: { title: 'On walking', date: '2026' } });
  });

  it('have a cover that takes the place of the one before, byte for byte', async (context) => {
    needFfmpeg(context);
    const covers = ['red', 'blue'].map((color) => ({ path: at(`${color}.png`), name: `${color}.png` }));
    for (const { path, name } of covers)
      ffmpeg('-f', 'lavfi', '-i', `color=${name.slice(0, -4)}:s=32x32`, '-frames:v', '1', path);
    let path = source;
    for (const cover of covers) {
      const inputs = { file_id: [{ path, name: 'talk.wav' }], cover_file_id: [cover] };
      const run = await runTool(labelAudio, inputs, {}, at('work-'));
      expect(run.result).toMatchObject({ hasCover: true });
      ({ path } = run);
    }
    const { pictures } = readTags(probe(path));
    expect(pictures.map(({ data }) => data.equals(readFileSync(covers[1]!.path)))).toEqual([true]);
  });

  it('in a chain are in the form that the chain asks for, with the same samples', async () => {
    try {
      writeAs('working');
      const run = await label(source, { title: 'On walking', chapters });
      const sound = readAll(run.path);
      expect(sound.facts).toMatchObject({
        format: 'wav',
        audio: { codec: 'pcm_f32le' },
        tags: { title: 'On walking' },
      });
      expect(sound.facts.chapters).toHaveLength(2);
      expect(sound.planes).toEqual(readAll(source).planes);
    } finally {
      writeAs(null);
    }
  });

  it('that say nothing, and chapters behind the end, are refused', async () => {
    const file = { path: source, name: 'talk.wav' };
    expect(labelAudio.refuse({ file_id: [file] }, {})).toMatchObject([{ code: 'bad_request' }]);
    expect(labelAudio.refuse({ file_id: [file] }, { title: '' })).toEqual([]);
    const late = [{ start_seconds: 4, title: 'Late' }];
    expect(await thrownBy(() => label(source, { chapters: late }))).toMatchObject({ code: 'bad_request' });
  });
});
