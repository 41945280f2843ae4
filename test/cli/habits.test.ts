// @module-tag slower
// What people type who come from other programs.
import { copyFileSync, mkdirSync, readdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { checkEnding } from '../../src/cli/tool/endings.ts';
import { expandInputs } from '../../src/cli/tool/expand-inputs.ts';
import { probe } from '../../src/index.ts';
import { requireTool, tools } from '../../src/library/tools/registry.ts';
import { earshot, jsonLines, useFolder } from './support.ts';

const folder = useFolder();

describe('the name behind -o', () => {
  const check = (tool: string, given: object, input: string, output: string, formats?: readonly string[]): void =>
    checkEnding(requireTool(tool), requireTool(tool).parseOptions(given), formats, input, output);

  it.each<[string, object, string, string, RegExp]>([
    ['convert', {}, 'a.wav', 'x.aac', /ends in \.mp3, \.wav, .*, which convert can write, but received x\.aac/],
    ['convert', {}, 'a.wav', 'x.AIFF', /but received x\.AIFF/],
    ['convert', { format: 'flac' }, 'a.wav', 'x.mp3', /ends in \.flac for -o because of --format flac/],
    ['loudness', { output_format: 'wav' }, 'a.wav', 'x.flac', /because of --output-format wav/],
    ['loudness', {}, 'a.wav', 'x.ogg', /ends in \.wav, \.mp3, \.m4a, \.flac/],
    ['cut', { ranges: [[0, 1]] }, 'a.wav', 'x.mp3', /ends in \.wav for -o, which cut can write/],
    ['media-info', {}, 'a.wav', 'x.mp3', /ends in \.json/],
    ['check', {}, 'a.wav', 'x.wav', /ends in \.json for -o, the format of a report/],
    ['sync', { find_only: true }, 'a.wav', 'x.wav', /ends in \.json/],
    ['remove-fillers', { dry_run: true }, 'a.wav', 'x.wav', /ends in \.json/],
    ['remove-silence', {}, 'film.mkv', 'film.mp4', /ends in \.mkv/],
  ])('%s %j of %s as %s is refused', (tool, given, input, output, message) => {
    expect(() => check(tool, given, input, output)).toThrow(message);
  });

  it.each<[string, object, string, string]>([
    ['convert', { format: 'm4a' }, 'a.wav', 'book.m4b'],
    ['convert', { format: 'ogg' }, 'a.wav', 'a.oga'],
    ['convert', {}, 'a.wav', 'take.v2'],
    ['convert', {}, 'a.wav', 'take'],
    ['loudness', {}, 'a.aiff', 'b.aif'],
    ['loudness', {}, 'film.mov', 'other.mp4'],
    ['loudness', {}, 'old.avi', 'new.mkv'],
    ['cut', { ranges: [[0, 1]] }, 'stdin', 'x.mp3'],
    ['media-info', {}, 'a.wav', 'report.json'],
    ['check', {}, 'a.wav', 'report.json'],
    ['sync', { find_only: true }, 'a.wav', 'plan.json'],
    ['remove-fillers', { dry_run: true }, 'a.wav', 'cuts.json'],
  ])('%s %j of %s as %s is fine', (tool, given, input, output) => check(tool, given, input, output));

  it('of several formats is one of those that are written', () => {
    check('transcribe', {}, 'a.wav', 'a.srt', ['srt', 'vtt']);
    expect(() => check('transcribe', {}, 'a.wav', 'a.srt', ['vtt'])).toThrow(/\.vtt for -o because of --formats vtt/);
  });

  it('chooses the format, also by a name of the same kind, and is refused before the work as wrong usage', async () => {
    const cwd = folder();
    expect((await earshot(cwd, ['convert', 'clip.wav', '-o', 'book.m4b'])).code).toBe(0);
    expect(await probe(join(cwd, 'book.m4b'))).toMatchObject({ format: 'm4a' });
    const run = await earshot(cwd, ['convert', 'clip.wav', '-o', 'x.aiff']);
    expect(run).toMatchObject({ code: 2, stdout: '' });
    expect(run.stderr).toMatch(/^earshot: Expected a name that ends in .*\. Choose one of them\.\n$/);
    expect(readdirSync(cwd).sort()).toEqual(['book.m4b', 'clip.wav']);
  });
});

describe('folders and patterns', () => {
  it('are the recordings in them, in the order in which people count', () => {
    const cwd = folder();
    const at = (...names: string[]): string => join(cwd, ...names);
    const found = (typed: string[]): string[] => expandInputs(typed).map(({ path }) => path);
    mkdirSync(at('in'));
    for (const name of ['part10.mp3', 'part2.MP3', 'notes.txt', '.hidden.wav', 'cover.jpg'])
      writeFileSync(at('in', name), '');
    mkdirSync(at('in', 'inner.wav'));
    expect(found([at('in'), '-'])).toEqual([at('in', 'part2.MP3'), at('in', 'part10.mp3'), '-']);
    expect(found([at('in', 'part*'), at('gone.wav')])).toEqual([
      at('in', 'part2.MP3'),
      at('in', 'part10.mp3'),
      at('gone.wav'),
    ]);
    // A file that is called like a pattern is that file.
    writeFileSync(at('take[1].wav'), '');
    expect(found([at('take[1].wav')])).toEqual([at('take[1].wav')]);
    mkdirSync(at('empty'));
    expect(() => expandInputs([at('empty')])).toThrow(/no audio or video file in the folder/);
    expect(() => expandInputs([at('*.xyz')])).toThrow(/No file matches/);
  });

  it('are a batch on the command line', async () => {
    const cwd = folder();
    mkdirSync(join(cwd, 'in'));
    for (const name of ['a.wav', 'b.wav']) copyFileSync(join(cwd, 'clip.wav'), join(cwd, 'in', name));
    const run = await earshot(cwd, ['convert', 'in', '*.wav', '--format', 'flac', '-o', 'out/', '--dry-run', '--json']);
    expect(run.stderr).toBe('');
    expect(jsonLines(run).map(({ outputs }) => outputs)).toEqual(
      ['a', 'b', 'clip'].map((name) => [join(cwd, 'out', `${name}.convert.flac`)]),
    );
  });
});

describe('words', () => {
  it('of other programs name the same commands', async () => {
    const cwd = folder();
    const planned = async (args: readonly string[]): Promise<unknown> =>
      jsonLines(await earshot(cwd, [...args, '--dry-run', '--json']))[0]?.['tool'];
    expect(await planned(['normalize', 'clip.wav'])).toBe('adjust_loudness');
    expect(await planned(['denoise', 'clip.wav'])).toBe('remove_noise');
    expect(await planned(['trim', 'clip.wav', '--ranges', '0:01-0:02'])).toBe('cut_audio');
    expect(await planned(['merge', 'clip.wav', 'clip.wav'])).toBe('join_audio');
    expect(await planned(['subtitles', 'clip.wav'])).toBe('transcribe_audio');
  });

  it('of a tool in the help are one sentence', () => {
    for (const { summary } of tools) {
      expect(summary.length).toBeLessThan(80);
      expect(summary).toMatch(/^[A-Z][^.]*[^.]$/);
    }
  });

  it('in errors name flags as they are typed, one-word ones too', async () => {
    const cwd = folder();
    const said = async (...args: string[]): Promise<string> => (await earshot(cwd, args)).stderr;
    expect(await said('loudness', 'clip.wav', '--target', 'loud')).toMatch(/for --target but received loud\./);
    expect(await said('cut', 'clip.wav', '--ranges', 'x')).toMatch(/for --ranges but received x\. Write .* 0:10-0:20/);
    expect(await said('cut', 'clip.wav', '--ranges')).toBe(
      'earshot: Expected a value for --ranges but received none\n',
    );
    expect(await said('convert', 'clip.wav', '--bitrate-kbps', '5')).toMatch(/for --bitrate-kbps but received 5\./);
  });

  it('for a text file say that it is one', async () => {
    const cwd = folder();
    writeFileSync(join(cwd, 'notes.wav'), 'Only words, größer.\n'.repeat(500));
    const run = await earshot(cwd, ['loudness', 'notes.wav']);
    expect(run).toMatchObject({ code: 1 });
    expect(run.stderr).toMatch(/notes\.wav: Expected an audio or video file but this is a text file\./);
  });
});

it('--target takes a number, and --model a recogniser that is named when it is not there', async () => {
  const cwd = folder();
  const plan = await earshot(cwd, ['loudness', 'clip.wav', '--target', '-19', '--dry-run', '--json']);
  expect(jsonLines(plan)[0]).toMatchObject({ options: { target: 'custom', custom_lufs: -19 } });
  const run = await earshot(cwd, ['transcribe', 'clip.wav', '--model', 'hf:nobody/whisper-none']);
  expect(run).toMatchObject({ code: 1 });
  expect(run.stderr).toContain('hf:nobody/whisper-none');
  expect((await earshot(cwd, ['transcribe', '--help'])).stdout).toContain('--model <name>');
});

it('--verbose says stages and where an error came from, on standard error', async () => {
  const cwd = folder();
  const run = await earshot(cwd, ['loudness', 'clip.wav', '--verbose']);
  expect(run.stdout).toMatch(/^clip\.wav -> clip\.loudness\.wav /);
  for (const stage of ['queued', 'measuring', 'encoding', 'checking', 'done'])
    expect(run.stderr).toMatch(new RegExp(`^\\[\\d+\\.\\d\\d s\\] clip\\.wav: ${stage}$`, 'm'));
  const failed = await earshot(cwd, ['loudness', 'gone.wav', '--verbose']);
  expect(failed.stderr).toMatch(/not_found .*\n.*EarshotError/);
});

it('--version is of the program, before and behind a command', async () => {
  const [before, behind] = await Promise.all([
    earshot(folder(), ['--version']),
    earshot(folder(), ['loudness', '--version']),
  ]);
  expect(before).toMatchObject({ code: 0, stdout: expect.stringMatching(/^\d+\.\d+\.\d+\n$/) as string });
  expect(behind).toEqual(before);
});
