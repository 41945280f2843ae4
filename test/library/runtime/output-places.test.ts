// One name for one output, no output in the place of an input, nothing replaced that was not asked for.
import { linkSync, readdirSync, readFileSync, symlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { expectedNames, outputFilename } from '../../../src/library/runtime/files/output-names.ts';
import { requireTool } from '../../../src/library/tools/registry.ts';
import { createEngine } from '../../../src/index.ts';
import { makeDemoClip } from '../../fixtures/media/demo-clip.ts';
import { fixtureTool } from '../../fixtures/tools/source.ts';
import { listing, rejection, useEngines } from './support.ts';
import { slow } from '../../fixtures/rounds.ts';

const { engine, folder } = useEngines();

describe('names', () => {
  const named = (tool: string, suggested: string, inputs: readonly string[]): string =>
    outputFilename(requireTool(tool), suggested, inputs);

  it.each([
    ['adjust_loudness', 'talk.wav', ['talk.wav'], 'talk.loudness.wav'],
    ['convert_audio', 'a.b.flac', ['a.b.wav'], 'a.b.convert.flac'],
    ['cut_audio', 'talk-2.mp3', ['talk.mp3'], 'talk-2.cut.mp3'],
    ['remove_fillers', 'talk.json', ['talk.wav'], 'talk.remove-fillers.json'],
    // Players load subtitles that are called like the film.
    ['transcribe_audio', 'film.srt', ['film.mkv'], 'film.srt'],
    ['align_script', 'film.srt', ['film.mkv', 'film.txt'], 'film.srt'],
    ['align_script', 'film.srt', ['film.mkv', 'Film.SRT'], 'film.align-script.srt'],
  ])('%s calls %s of %j %s', (tool, suggested, inputs, name) => expect(named(tool, suggested, inputs)).toBe(name));

  it.each([
    ['adjust_loudness', ['/x/talk.WAV'], { output_format: 'same' }, undefined, ['talk.loudness.wav']],
    ['adjust_loudness', ['talk.wav'], { output_format: 'mp3' }, undefined, ['talk.loudness.mp3']],
    ['transcribe_audio', ['film.mkv'], {}, ['srt', 'txt'], ['film.srt', 'film.txt']],
    ['align_script', ['film.mkv', 'film.srt'], {}, ['srt', 'vtt'], ['film.align-script.srt', 'film.vtt']],
    ['level_speakers', ['a.wav', 'b.flac'], { output_format: 'same' }, undefined, ['a.level-speakers.wav']],
    ['cut_audio', ['a.wav'], { output: 'separate' }, undefined, []],
    ['analyze_audio', ['a.wav'], {}, undefined, []],
  ])('of %s %j %j are known beforehand', (tool, inputs, options, formats, names) =>
    expect(expectedNames(requireTool(tool), inputs, options, formats)).toEqual(names),
  );

  it('of an input whose name no folder takes are known beforehand, too', slow, async () => {
    const cwd = folder();
    writeFileSync(join(cwd, 'live_talk.convert.wav'), 'mine');
    await using library = createEngine({ concurrency: 1, tempDir: folder() });
    const named = { data: makeDemoClip(), name: 'live/talk.flac' };
    const stages = new Set<string>();
    const control = { outputDir: cwd, onProgress: ({ stage }: { stage: string }) => void stages.add(stage) };
    const thrown = await rejection(library.run('convert_audio', named, { format: 'wav' }, control));
    expect([thrown.code, ...stages]).toEqual(['conflict', 'queued']);
    const { outputs } = await library.run('convert_audio', named, { format: 'flac' }, { outputDir: cwd });
    expect(outputs.map(({ filename }) => filename)).toEqual(['live_talk.convert.flac']);
  });

  it('are those of a real run', slow, async () => {
    const cwd = folder();
    const input = join(cwd, 'talk.wav');
    writeFileSync(input, makeDemoClip());
    await using library = createEngine({ concurrency: 1, tempDir: folder() });
    const { outputs } = await library.run('adjust_loudness', input, {}, { outputDir: cwd });
    expect(outputs.map(({ path, filename }) => [path, filename])).toEqual([
      [join(cwd, 'talk.loudness.wav'), 'talk.loudness.wav'],
    ]);
    expect(readFileSync(input)).toEqual(makeDemoClip());
    const { outputs: streams } = await library.stream('adjust_loudness', input);
    for (const { stream } of streams) stream.destroy();
    expect(streams.map(({ filename }) => filename)).toEqual(['talk.loudness.wav']);
    // Known beforehand, refused beforehand.
    const stages: string[] = [];
    const control = { outputDir: cwd, onProgress: ({ stage }: { stage: string }) => stages.push(stage) };
    expect(await rejection(library.run('adjust_loudness', input, {}, control))).toMatchObject({ code: 'conflict' });
    expect(stages).toEqual(['queued']);
  });
});

describe('an output that is an input', () => {
  const original = 'the original';
  const places: Record<string, (cwd: string, input: string) => string> = {
    'by its name': (_cwd, input) => input,
    'by another spelling': (cwd) => `${cwd}/../${cwd.split('/').at(-1)}/./in.txt`,
    'behind a symbolic link': (cwd, input) => {
      symlinkSync(input, join(cwd, 'link.txt'));
      return join(cwd, 'link.txt');
    },
    'in a linked folder': (cwd) => {
      symlinkSync(cwd, join(cwd, 'elsewhere'));
      return join(cwd, 'elsewhere', 'in.txt');
    },
    'under a second name of the file': (cwd, input) => {
      linkSync(input, join(cwd, 'other.txt'));
      return join(cwd, 'other.txt');
    },
  };

  it.each(Object.keys(places))('is refused %s, also with overwrite, before the work', async (how) => {
    const cwd = folder();
    const input = join(cwd, 'in.txt');
    writeFileSync(input, original);
    const output = places[how]?.(cwd, input) ?? '';
    for (const overwrite of [true, false]) {
      const stages: string[] = [];
      const control = { output, overwrite, onProgress: ({ stage }: { stage: string }) => stages.push(stage) };
      const thrown = await rejection(engine().run(fixtureTool, [input], { behaviour: 'write' }, control));
      expect(thrown).toMatchObject({ code: 'bad_request', details: { field: 'output' } });
      expect(thrown.message).toMatch(/ is an input of this run$/);
      expect(stages).toEqual(['queued']);
    }
    expect(readFileSync(input, 'utf8')).toBe(original);
  });

  it('is refused under a name that the run gives it, also with overwrite', async () => {
    const cwd = folder();
    const input = join(cwd, 'result.cut.txt');
    writeFileSync(input, original);
    const control = { outputDir: cwd, overwrite: true };
    const thrown = await rejection(engine().run(fixtureTool, [input], { behaviour: 'write' }, control));
    expect(thrown).toMatchObject({ code: 'bad_request' });
    const named = { ...control, nameOutput: () => 'result.cut.txt' };
    expect(await rejection(engine().run(fixtureTool, [input], { behaviour: 'write' }, named))).toMatchObject({
      code: 'bad_request',
    });
    expect(readFileSync(input, 'utf8')).toBe(original);
    expect(listing(cwd)).toEqual(['result.cut.txt']);
  });

  it('is found where the file system does not tell capitals apart', async () => {
    const cwd = folder();
    const input = join(cwd, 'In.txt');
    writeFileSync(input, original);
    // Such a system finds the file under both names; here a second name of it plays that part.
    linkSync(input, join(cwd, 'in.TXT'));
    const control = { output: join(cwd, 'in.TXT'), overwrite: true };
    await rejection(engine().run(fixtureTool, [input], { behaviour: 'write' }, control));
    expect(readFileSync(join(cwd, 'in.TXT'), 'utf8')).toBe(original);
  });
});

describe('a file that is there', () => {
  it('is refused unless overwrite asks for it, and before the work where its name is known', async () => {
    const cwd = folder();
    const output = join(cwd, 'there.txt');
    writeFileSync(output, 'mine');
    const write = (control: object): Promise<unknown> =>
      engine().run(fixtureTool, [], { behaviour: 'write' }, { output, ...control });
    const stages: string[] = [];
    const onProgress = ({ stage }: { stage: string }): void => void stages.push(stage);
    for (const control of [{ onProgress }, { onProgress, overwrite: false }]) {
      const thrown = await rejection(write(control));
      expect(thrown).toMatchObject({ code: 'conflict', details: { path: output } });
      expect(String((thrown as Error & { nextAction?: string }).nextAction)).toContain('overwrite: true');
    }
    expect(new Set(stages)).toEqual(new Set(['queued']));
    expect(readFileSync(output, 'utf8')).toBe('mine');
    await write({ overwrite: true });
    expect(readFileSync(output, 'utf8')).toBe('hello');
  });

  it('among several outputs keeps all of them from being published', async () => {
    const outputDir = folder();
    writeFileSync(join(outputDir, 'same.cut-2.txt'), 'mine');
    expect(await rejection(engine().run(fixtureTool, [], { behaviour: 'two' }, { outputDir }))).toMatchObject({
      code: 'conflict',
    });
    expect(readdirSync(outputDir)).toEqual(['same.cut-2.txt']);
  });
});
