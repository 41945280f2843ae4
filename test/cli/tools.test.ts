import { spawnSync } from 'node:child_process';
import { copyFileSync, mkdirSync, readFileSync, readdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { complainInCi } from '../fixtures/missing-part.ts';
import { probe } from '../../src/index.ts';
import { recording } from '../fixtures/recordings.ts';
import { tools } from '../../src/library/tools/registry.ts';
import { mainPath } from '../fixtures/built/main-path.ts';
import { earshot, jsonLines, useFolder, writeLongSilence } from './support.ts';
import { slow, slower } from '../fixtures/rounds.ts';

const folder = useFolder();
const listing = (path: string): string[] => readdirSync(path).sort();

describe('help', () => {
  it('lists every tool that can run, and names the others', slow, async () => {
    const { code, stdout, stderr } = await earshot(folder(), ['--help']);
    expect({ code, stderr }).toEqual({ code: 0, stderr: '' });
    const missing: string[] = [];
    for (const { slug, summary, unavailable } of tools) {
      if (await unavailable()) missing.push(slug);
      else
        expect(stdout.replaceAll(/\n {10,}/g, ' ')).toMatch(
          new RegExp(`^  ${slug}(\\|[a-z-]+)? \\[options\\].* ${summary}$`, 'm'),
        );
    }
    expect(stdout.match(/^Not available here: (.*) \(run one to see why\)$/m)?.[1]?.split(', ') ?? []).toEqual(missing);
    for (const slug of missing) expect(stdout).not.toContain(`  ${slug} [`);
    for (const command of ['probe', 'peaks', 'demo', 'tools'])
      expect(stdout).toMatch(new RegExp(`^  ${command} `, 'm'));
  });

  it('of a tool names flags, ranges, choices, defaults and examples', async () => {
    const { code, stdout } = await earshot(folder(), ['convert', '--help']);
    expect(code).toBe(0);
    const flat = stdout.replaceAll(/\s+/g, ' ');
    expect(flat).toContain(
      '--format <value> Format of the output (one of mp3, wav, m4a, flac, ogg, opus; default: mp3)',
    );
    expect(flat).toContain('(integer between 16 and 320)');
    expect(flat).toContain(
      'earshot convert interview.wav --format opus --bitrate-kbps 48 --channels mono -o interview.opus',
    );
  });

  it(
    'of a tool whose weights are not there says so and shows no examples, and running it fails with that',
    slow,
    async () => {
      const environment = { EARSHOT_RECOGNISER: 'hf:nobody/whisper-none' };
      const help = await earshot(folder(), ['transcribe', '--help'], { environment });
      expect(help.code).toBe(0);
      expect(help.stdout.replaceAll(/\s+/g, ' ')).toContain('`earshot models add hf:nobody/whisper-none`');
      expect(help.stdout).not.toContain('Examples');
      const run = await earshot(folder(), ['transcribe', 'clip.wav'], { environment });
      expect(run.code).toBe(1);
      expect(run.stderr).toContain('hf:nobody/whisper-none');
      const there = await earshot(folder(), ['transcribe', '--help']);
      expect(there.stdout).toContain('Examples');
      expect(there.stdout).toContain('--formats <list>');
    },
  );

  it('transcribe --live prints sentences as they are finished, and -o chooses the file', slower, async () => {
    const cwd = folder();
    copyFileSync(recording('jfk.wav'), join(cwd, 'jfk.wav'));
    const run = await earshot(cwd, ['transcribe', 'jfk.wav', '--live', '--no-speaker-labels', '-o', 'out.srt']);
    expect(run).toMatchObject({ code: 0, stderr: '' });
    expect(run.stdout).toMatch(/^\[0:00\.\d\d\] And so,? my fellow Americans/);
    expect(run.stdout).toMatch(/jfk\.wav -> out\.srt \(\d+ bytes\): Whisper base, English, 22 words$/m);
    expect(listing(cwd)).toEqual(['clip.wav', 'jfk.wav', 'out.srt']);
    const lines = jsonLines(
      await earshot(cwd, ['transcribe', 'jfk.wav', '--live', '--json', '--no-speaker-labels', '--formats', 'txt,vtt']),
    );
    const types = lines.map(({ type }) => type).filter((type) => type !== 'progress');
    expect(types.at(-1)).toBe('result');
    expect(types[0]).toBe('part');
    expect(listing(cwd)).toEqual(['clip.wav', 'jfk.txt', 'jfk.vtt', 'jfk.wav', 'out.srt']);
    const refused = await earshot(cwd, ['transcribe', 'jfk.wav', '--formats', 'txt']);
    expect(refused.code).not.toBe(0);
    expect(refused.stderr).toContain('jfk.txt exists already');
  });

  it('--version is the package version, and tools lists them as JSON', slow, async () => {
    const { version } = JSON.parse(readFileSync(new URL('../../package.json', import.meta.url), 'utf8')) as {
      version: string;
    };
    expect(await earshot(folder(), ['--version'])).toEqual({ code: 0, stdout: `${version}\n`, stderr: '' });
    const { stdout } = await earshot(folder(), ['tools', '--json']);
    expect((JSON.parse(stdout) as { id: string }[]).map(({ id }) => id)).toEqual(tools.map(({ id }) => id));
  });
});

describe('one file', () => {
  it('is written beside the input, and a second run is refused until -y', async () => {
    const cwd = folder();
    const first = await earshot(cwd, ['loudness', 'clip.wav']);
    expect(first).toMatchObject({ code: 0, stderr: '' });
    expect(first.stdout).toMatch(
      /^clip\.wav -> clip\.loudness\.wav \(1\.2 MB, 12 s\): podcast \(-16 LUFS\), -[\d.]+ LUFS to -1[56][\d.]* LUFS, true peak -[\d.]+ dBTP\n$/,
    );
    expect(listing(cwd)).toEqual(['clip.loudness.wav', 'clip.wav']);
    const second = await earshot(cwd, ['loudness', 'clip.wav']);
    expect(second.code).toBe(1);
    expect(second.stderr).toMatch(
      /^earshot: The file .*clip\.loudness\.wav exists already\. Use -y to replace it, or choose another name with -o\.\n$/,
    );
    expect((await earshot(cwd, ['loudness', 'clip.wav', '-y'])).code).toBe(0);
    expect(listing(cwd)).toEqual(['clip.loudness.wav', 'clip.wav']);
  });

  it('is called by id, with snake_case flags, to an exact output', slow, async () => {
    const cwd = folder();
    const run = await earshot(cwd, [
      'convert_audio',
      'clip.wav',
      '--format=flac',
      '--sample_rate',
      '16000',
      '--channels',
      'mono',
      '-o',
      'small.flac',
    ]);
    expect(run).toMatchObject({ code: 0, stderr: '' });
    expect((await probe(join(cwd, 'small.flac'))).audio).toMatchObject({
      codec: 'flac',
      sampleRate: 16000,
      channels: 1,
    });
    expect(listing(cwd)).toEqual(['clip.wav', 'small.flac']);
  });

  it('is written in the format that the name of the output asks for', slow, async () => {
    const cwd = folder();
    const run = await earshot(cwd, ['convert', 'clip.wav', '-o', 'small.ogg']);
    expect(run).toMatchObject({ code: 0, stderr: '' });
    expect((await probe(join(cwd, 'small.ogg'))).audio).toMatchObject({ codec: 'vorbis' });
  });

  it('takes negative numbers', slow, async () => {
    const run = await earshot(folder(), [
      'loudness',
      'clip.wav',
      '--target',
      'custom',
      '--custom-lufs',
      '-23',
      '--json',
    ]);
    const result = jsonLines(run).at(-1) as { result: { output: { integratedLufs: number } } };
    expect(result.result.output.integratedLufs).toBeCloseTo(-23, 0);
  });

  it('is never replaced by its own output', slow, async () => {
    const cwd = folder();
    const before = readFileSync(join(cwd, 'clip.wav'));
    const run = await earshot(cwd, ['loudness', 'clip.wav', '-o', './clip.wav', '-y']);
    expect(run.code).toBe(2);
    expect(run.stderr).toMatch(/would replace an input/);
    expect((await earshot(cwd, ['media-info', 'clip.wav', '-o', 'clip.wav', '-y'])).code).toBe(2);
    expect(listing(cwd)).toEqual(['clip.wav']);
    // In its own folder, too, it gets a name of its own.
    expect((await earshot(cwd, ['loudness', 'clip.wav', '-o', '.', '-y'])).code).toBe(0);
    expect(listing(cwd)).toEqual(['clip.loudness.wav', 'clip.wav']);
    expect(readFileSync(join(cwd, 'clip.wav')).equals(before)).toBe(true);
  });

  it('is analysed into a readable report', slow, async () => {
    const { code, stdout, stderr } = await earshot(folder(), ['media-info', 'clip.wav']);
    expect({ code, stderr }).toEqual({ code: 0, stderr: '' });
    expect(stdout).toMatch(/^clip\.wav\n {2}Format +wav, 1\.2 MB, 768 kbit\/s\n {2}Length +0:12\.00\n/);
    expect(stdout).toMatch(/Integrated loudness +-[\d.]+ LUFS\n/);
    expect(stdout).toMatch(/True peak +-[\d.]+ dBTP\n/);
    expect(stdout).toMatch(/Silence +\d+ stretches, [\d.]+ s in all/);
    expect(stdout).toMatch(/ACX audiobook +fail\n {4}RMS +fail: -[\d.]+ dB, wanted -23 to -18\n {4}Peak +pass/);
    const columns = stdout
      .split('\n')
      .filter((line) => /^ {2}[A-Z]/.test(line))
      .map((line) => /^ {2}\S.*?\s{2,}(?=\S)/.exec(line)?.[0].length);
    expect(new Set(columns).size).toBe(1);
  });

  it('is analysed into a JSON file with -o', slow, async () => {
    const cwd = folder();
    expect((await earshot(cwd, ['media-info', 'clip.wav', '-o', 'report.json'])).code).toBe(0);
    expect(JSON.parse(readFileSync(join(cwd, 'report.json'), 'utf8'))).toMatchObject({
      format: 'wav',
      durationSeconds: 12,
    });
  });
});

describe('--json', () => {
  it('writes progress and one result, and nothing on stderr', slow, async () => {
    const cwd = folder();
    const run = await earshot(cwd, ['convert', 'clip.wav', '--json']);
    expect(run).toMatchObject({ code: 0, stderr: '' });
    const lines = jsonLines(run);
    const progress = lines.filter(({ type }) => type === 'progress');
    expect(progress[0]).toEqual({
      type: 'progress',
      file: 'clip.wav',
      progress: 0,
      stage: 'queued',
      estimatedSecondsLeft: null,
    });
    expect(progress.at(-1)).toMatchObject({ progress: 1, stage: 'done' });
    expect(lines.at(-1)).toMatchObject({
      type: 'result',
      file: 'clip.wav',
      tool: 'convert_audio',
      outputs: [
        { path: join(cwd, 'clip.convert.mp3'), filename: 'clip.convert.mp3', contentType: 'audio/mpeg', format: 'mp3' },
      ],
      warnings: [],
    });
  });

  it('writes the error object', async () => {
    const run = await earshot(folder(), ['convert', 'nope.wav', '--json']);
    expect(run).toMatchObject({ code: 1, stderr: '' });
    expect(jsonLines(run).at(-1)).toMatchObject({
      type: 'error',
      file: 'nope.wav',
      error: {
        code: 'not_found',
        message: 'There is no file nope.wav',
        retryable: false,
        nextAction: 'Check the path or the id.',
      },
    });
  });
});

describe('a batch', () => {
  it('goes on when one input fails, says so, and answers 1', slow, async () => {
    const cwd = folder();
    copyFileSync(join(cwd, 'clip.wav'), join(cwd, 'second.wav'));
    writeFileSync(join(cwd, 'broken.wav'), 'this is no sound');
    writeFileSync(join(cwd, 'empty.wav'), '');
    const run = await earshot(cwd, [
      'convert',
      'clip.wav',
      'broken.wav',
      'second.wav',
      'empty.wav',
      '--format',
      'flac',
      '--jobs',
      '2',
      '-o',
      'out/',
    ]);
    expect(run.code).toBe(1);
    expect(listing(join(cwd, 'out'))).toEqual(['clip.convert.flac', 'second.convert.flac']);
    const lines = run.stderr.trimEnd().split('\n');
    const [errors, table] = [lines.slice(0, 2), lines.slice(2, -1)];
    expect(errors.some((line) => line.startsWith('earshot: ') && line.includes('broken.wav'))).toBe(true);
    expect(errors.some((line) => line.includes('empty.wav: The file is empty'))).toBe(true);
    expect(table.map((line) => line.split(/ {2,}/).slice(0, 2).join(' '))).toEqual([
      '',
      'File Result',
      'clip.wav done',
      'broken.wav failed',
      'second.wav done',
      'empty.wav failed',
    ]);
    expect(table[2]).toMatch(/ +[\d.]+ s +out\/clip\.convert\.flac$/);
    expect(table[5]).toMatch(/empty\.wav: The file is empty/);
    expect(lines.at(-1)).toMatch(/^2 done, 2 failed in [\d.]+ s$/);
  });

  it('numbers outputs of inputs with the same name', slow, async () => {
    const cwd = folder();
    mkdirSync(join(cwd, 'other'));
    copyFileSync(join(cwd, 'clip.wav'), join(cwd, 'other', 'clip.wav'));
    const run = await earshot(cwd, ['convert', 'clip.wav', 'other/clip.wav', '--format', 'flac', '-o', 'out']);
    expect(run.code).toBe(0);
    expect(listing(join(cwd, 'out'))).toEqual(['clip.convert-2.flac', 'clip.convert.flac']);
    // What macOS and Windows take for one name is one here, too.
    copyFileSync(join(cwd, 'clip.wav'), join(cwd, 'other', 'Clip.wav'));
    expect((await earshot(cwd, ['convert', 'clip.wav', 'other/Clip.wav', '--format', 'wav', '-o', 'two'])).code).toBe(
      0,
    );
    expect(listing(join(cwd, 'two'))).toEqual(['Clip.convert-2.wav', 'clip.convert.wav']);
  });

  it('wants a folder for its outputs', slow, async () => {
    const run = await earshot(folder(), ['convert', 'clip.wav', 'clip.wav', '-o', 'clip.wav']);
    expect(run.code).toBe(2);
    expect(run.stderr).toMatch(/Expected a folder for -o because there are several inputs, but clip\.wav is a file/);
  });
});

describe('wrong usage answers 2', () => {
  it.each([
    [['lodness', 'x.wav'], /unknown command 'lodness'\n\(Did you mean loudness\?\)/],
    [['convert', 'clip.wav', '--bitrat', '64'], /unknown option '--bitrat'\n\(Did you mean --bitrate-kbps\?\)/],
    [
      ['convert', 'clip.wav', '--bitrate-kbps', '5'],
      /^earshot: Expected integer between 16 and 320 for --bitrate-kbps but received 5\. /,
    ],
    [
      ['convert', 'clip.wav', '--format', 'wma'],
      /^earshot: Expected one of mp3, wav, m4a, flac, ogg, opus for --format but received wma\. /,
    ],
    [['loudness', 'clip.wav', '--target', 'custom'], /for --custom-lufs because target is custom/],
    [['convert'], /^earshot: Expected files but received none/],
    [['convert', 'clip.wav', '--jobs', 'many'], /Expected integer between 1 and 999 for --jobs but received many/],
    [['mix', '.'], /Expected 2 to 20 files for .* but received 1/],
  ])('%j', slow, async (args, message) => {
    const cwd = folder();
    const run = await earshot(cwd, args);
    expect(run.stderr).toMatch(message);
    expect(run.code).toBe(2);
    expect(listing(cwd)).toEqual(['clip.wav']);
  });
});

describe('an interrupt', () => {
  it('answers 130 and leaves no partial file', slow, async () => {
    const cwd = folder();
    writeLongSilence(join(cwd, 'long.wav'), 60);
    const run = await earshot(cwd, ['convert', 'long.wav', 'clip.wav', '--json', '-o', 'out'], {
      interruptWhen: /"stage":"converting"/,
    });
    expect(run.code).toBe(130);
    expect(listing(join(cwd, 'out'))).toEqual([]);
    expect(listing(cwd)).toEqual(['clip.wav', 'long.wav', 'out']);
  });
});

const hasScript = spawnSync('script', ['-qec', 'true', '/dev/null']).status === 0;
if (!hasScript) {
  const reason = 'there is no `script` command to make a terminal with';
  complainInCi(reason);
  console.warn(`the progress bar is not tested: ${reason}`);
}

describe('on a terminal', () => {
  it.runIf(hasScript)('there is a progress bar', slow, () => {
    const cwd = folder();
    writeLongSilence(join(cwd, 'long.wav'), 5);
    const { stdout, status } = spawnSync(
      'script',
      ['-qec', `${process.execPath} ${mainPath} convert long.wav`, '/dev/null'],
      { cwd, encoding: 'utf8', env: { ...process.env, TERM: 'xterm' } },
    );
    expect(status).toBe(0);
    expect(stdout).toMatch(/long\.wav \[=* *\] \d+% converting/);
    expect(stdout).toContain('long.wav -> long.convert.mp3');
    // The cursor is shown again.
    expect(stdout.lastIndexOf('\u001B[?25h')).toBeGreaterThan(stdout.lastIndexOf('\u001B[?25l'));
  });

  it.runIf(hasScript)('a batch shows several bars, and every result line', slow, () => {
    const cwd = folder();
    const names = ['one', 'two', 'three'];
    for (const name of names) writeLongSilence(join(cwd, `${name}.wav`), 5);
    writeFileSync(join(cwd, 'empty.wav'), '');
    const { stdout, status } = spawnSync(
      'script',
      ['-qec', `${process.execPath} ${mainPath} convert one.wav two.wav three.wav empty.wav --jobs 2`, '/dev/null'],
      { cwd, encoding: 'utf8', env: { ...process.env, TERM: 'xterm' } },
    );
    expect(status).toBe(1);
    for (const name of names) expect(stdout).toContain(`${name}.wav -> ${name}.convert.mp3`);
    expect(stdout).toContain('empty.wav: The file is empty');
    expect(stdout).toContain('3 done, 1 failed in');
  });
});
