// What people do with the command line every day: pipes, plans, presets, batches that go on, and words that they type.
import { spawnSync } from 'node:child_process';
import {
  closeSync,
  copyFileSync,
  existsSync,
  mkdirSync,
  openSync,
  readdirSync,
  readFileSync,
  statSync,
  writeFileSync,
} from 'node:fs';
import { join } from 'node:path';
import { afterEach, describe, expect, it, vi } from 'vitest';
import { presetOptions } from '../../src/cli/tool/presets.ts';
import { terminalWords } from '../../src/cli/terminal/wording.ts';
import { probe } from '../../src/index.ts';
import { requireTool, tools } from '../../src/library/tools/registry.ts';
import { earshot, jsonLines, piped, useFolder } from './support.ts';
import { mainPath } from '../fixtures/built/main-path.ts';
import { projectNode } from '../fixtures/processes/project-node.ts';
import { slow } from '../fixtures/rounds.ts';

const folder = useFolder();
afterEach(() => void vi.unstubAllEnvs());
const listing = (path: string): string[] => readdirSync(path).sort();

describe('- is standard input, and standard output behind -o', () => {
  it('nothing but the bytes comes out, what is said goes aside, and formats that seek are whole', slow, async () => {
    const cwd = folder();
    const clip = readFileSync(join(cwd, 'clip.wav'));
    const m4a = piped(cwd, ['convert', '-', '--format', 'm4a', '-o', '-'], clip);
    expect(m4a).toMatchObject({ code: 0 });
    expect(m4a.stderr).toMatch(/^stdin -> standard output \([\d.]+ kB, 12 s\): m4a, 48000 Hz, mono, \d+ kbit\/s\n$/);
    expect(await probe(m4a.stdout)).toMatchObject({ format: 'm4a', durationSeconds: 12 });
    const wav = piped(cwd, ['convert', '-', '--format', 'wav', '-o', '-', '--quiet'], m4a.stdout);
    expect(wav).toMatchObject({ code: 0, stderr: '' });
    // Header and length as in a file.
    expect(wav.stdout.readUInt32LE(4)).toBe(wav.stdout.length - 8);
    expect(listing(cwd)).toEqual(['clip.wav']);
  });

  it('without -o the file is called stdin, and reports need no file', slow, () => {
    const cwd = folder();
    const clip = readFileSync(join(cwd, 'clip.wav'));
    expect(piped(cwd, ['loudness', '-'], clip).code).toBe(0);
    expect(listing(cwd)).toEqual(['clip.wav', 'stdin.loudness.wav']);
    const { stdout } = piped(cwd, ['probe', '-', '--json'], clip);
    expect(JSON.parse(stdout.toString())).toMatchObject({ file: 'stdin', result: { path: 'stdin', format: 'wav' } });
    const report = piped(cwd, ['media-info', '-', '-o', '-'], clip);
    expect(JSON.parse(report.stdout.toString())).toMatchObject({ format: 'wav', durationSeconds: 12 });
  });

  it('pictures and peaks, too', slow, () => {
    const cwd = folder();
    const picture = piped(cwd, ['peaks', '-', '--png', '-'], readFileSync(join(cwd, 'clip.wav')));
    expect(picture.stdout.subarray(1, 4).toString()).toBe('PNG');
    expect(picture.stderr).toMatch(/^stdin -> standard output: 0:12\.00, /);
    const both = piped(cwd, ['peaks', 'clip.wav', '--png', '-', '-o', '-'], Buffer.alloc(0));
    expect(both).toMatchObject({ code: 2, stderr: expect.stringContaining('Expected - alone') as string });
    expect(listing(cwd)).toEqual(['clip.wav']);
  });

  it.each([
    [['loudness', 'clip.wav', 'clip.wav', '-o', '-'], /Expected one file for standard output but there are 2 inputs/],
    [
      ['transcribe', 'clip.wav', '-o', '-'],
      /transcribe writes json, srt, vtt, txt\. Choose one, such as --formats json/,
    ],
    [['convert', 'clip.wav', '-o', '-', '--json'], /either -o - or --json but received both/],
    [['mix', '-', '-'], /Expected - once/],
    [
      ['cut', 'clip.wav', '--ranges', '[[1,2],[3,4]]', '--mode', 'keep', '--pieces', 'separate', '-o', '-'],
      /Expected one file for standard output but the run has 2/,
    ],
  ])('%j is refused', slow, (args, message) => {
    const cwd = folder();
    const { code, stdout, stderr } = piped(cwd, args, Buffer.alloc(0));
    expect(stderr + (args.includes('--json') ? stdout.toString() : '')).toMatch(message);
    expect(code).toBe(2);
    expect(listing(cwd)).toEqual(['clip.wav']);
  });
});

describe.runIf(existsSync('/dev/full'))('a standard output that is full', () => {
  it.each([
    ['of a report', ['media-info', 'clip.wav']],
    ['of bytes', ['convert', 'clip.wav', '--format', 'mp3', '-o', '-']],
    ['of the help', ['--help']],
  ])('%s is told in a sentence', slow, (_, args) => {
    const full = openSync('/dev/full', 'w');
    const { status, stderr } = spawnSync(process.execPath, [mainPath, ...args], {
      cwd: folder(),
      stdio: ['ignore', full, 'pipe'],
      encoding: 'utf8',
    });
    closeSync(full);
    expect(status).toBe(1);
    expect(stderr).toMatch(/^earshot: Standard output cannot be written: no space is left on the device\. /);
    expect(stderr).not.toMatch(/\n\s+at |node:/);
  });
});

describe('--dry-run', () => {
  it('says inputs, options with their defaults, steps and outputs, and does nothing', slow, async () => {
    const cwd = folder();
    const run = await earshot(cwd, ['loudness', 'clip.wav', '--target', 'streaming', '--dry-run']);
    expect(run).toMatchObject({ code: 0, stderr: '' });
    expect(run.stdout).toBe(
      [
        'loudness clip.wav: Set loudness',
        '  File     clip.wav (wav, 0:12.00)',
        '  Options  --target streaming',
        '           --output-format same (default)',
        '  Steps    Measure loudness and true peak',
        '           Apply one gain to reach -14 LUFS and limit the peaks',
        '           Write the sound in the format of the input',
        '  Output   clip.loudness.wav',
        '',
      ].join('\n'),
    );
    expect(listing(cwd)).toEqual(['clip.wav']);
  });

  it('says that a tool cannot run here', slow, async () => {
    const environment = { EARSHOT_RECOGNISER: 'hf:nobody/whisper-none' };
    const run = await earshot(folder(), ['transcribe', 'clip.wav', '--dry-run'], { environment });
    expect(run.code).toBe(1);
    expect(run.stdout).toMatch(/^ {2}Would fail +\S.*hf:nobody\/whisper-none/m);
  });

  it('as JSON, for every input, and with what would be refused', async () => {
    const cwd = folder();
    writeFileSync(join(cwd, 'empty.wav'), '');
    const run = await earshot(cwd, ['cut', 'clip.wav', 'empty.wav', '--ranges', '[[0,99]]', '--dry-run', '--json']);
    expect(run.code).toBe(1);
    const [plan, error] = jsonLines(run);
    expect(plan).toMatchObject({
      type: 'plan',
      file: 'clip.wav',
      tool: 'cut_audio',
      inputs: { file_id: ['clip.wav'] },
      options: { ranges: [[0, 99]], mode: 'remove', crossfade_ms: 20 },
      plan: { refusals: [{ code: 'ranges_outside' }] },
      outputs: [join(cwd, 'clip.cut.wav')],
    });
    expect(error).toMatchObject({ type: 'error', error: { code: 'file_invalid' } });
    expect(listing(cwd)).toEqual(['clip.wav', 'empty.wav']);
  });
});

describe('batches', () => {
  it('--skip-existing leaves what is there and makes the rest', slow, async () => {
    const cwd = folder();
    copyFileSync(join(cwd, 'clip.wav'), join(cwd, 'second.wav'));
    writeFileSync(join(cwd, 'clip.convert.flac'), 'mine');
    const args = ['convert', 'clip.wav', 'second.wav', '--format', 'flac', '--skip-existing'];
    const run = await earshot(cwd, args);
    expect(run.code).toBe(0);
    expect(run.stdout).toMatch(/^second\.wav -> second\.convert\.flac /);
    expect(run.stderr).toMatch(/^1 done, 0 failed, 1 skipped in /m);
    expect(readFileSync(join(cwd, 'clip.convert.flac'), 'utf8')).toBe('mine');
    const written = statSync(join(cwd, 'second.convert.flac')).mtimeMs;
    expect(
      jsonLines(await earshot(cwd, [...args.slice(0, 2), ...args.slice(3), '--dry-run', '--json']))[0],
    ).toMatchObject({
      skipped: true,
    });
    const again = await earshot(cwd, [...args, '--json']);
    expect(jsonLines(again).map(({ type, file }) => [type, file])).toEqual([
      ['skipped', 'clip.wav'],
      ['skipped', 'second.wav'],
    ]);
    expect((await earshot(cwd, args)).stderr).toMatch(/^0 done, 0 failed, 2 skipped in /m);
    expect(statSync(join(cwd, 'second.convert.flac')).mtimeMs).toBe(written);
    expect((await earshot(cwd, [...args, '-y'])).stderr).toMatch(/either --overwrite or --skip-existing/);
  });

  it('--quiet says errors only, and reports that are nowhere else', slow, async () => {
    const cwd = folder();
    writeFileSync(join(cwd, 'empty.wav'), '');
    const run = await earshot(cwd, ['loudness', 'clip.wav', 'empty.wav', '-q']);
    expect(run).toMatchObject({ code: 1, stdout: '' });
    expect(run.stderr).toMatch(/^earshot: empty\.wav: The file is empty[^\n]*\n$/);
    expect((await earshot(cwd, ['media-info', 'clip.wav', '--quiet'])).stdout).toContain('Integrated loudness');
  });

  it('level-speakers levels tracks alone, and says where to', slow, async () => {
    const cwd = folder();
    copyFileSync(join(cwd, 'clip.wav'), join(cwd, 'guest.wav'));
    const run = await earshot(cwd, ['level-speakers', '--tracks', 'clip.wav', 'guest.wav']);
    expect(run).toMatchObject({ code: 0 });
    expect(run.stdout).toMatch(
      /^clip\.wav -> clip\.level-speakers\.wav .*, guest\.level-speakers\.wav .*: podcast \(-16 LUFS\), together -1/,
    );
    const none = await earshot(cwd, ['level-speakers']);
    expect(none).toMatchObject({ code: 2, stderr: expect.stringContaining('Expected at least one file') as string });
  });
});

describe('--preset', () => {
  const presets = (cwd: string, content: unknown): void =>
    writeFileSync(join(cwd, 'earshot.presets.json'), typeof content === 'string' ? content : JSON.stringify(content));
  const planned = async (cwd: string, args: readonly string[]) =>
    jsonLines(await earshot(cwd, [...args, '--dry-run', '--json']))[0];

  it('is what was kept under the name; what is typed counts more, with what hangs on it', slow, async () => {
    const cwd = folder();
    presets(cwd, {
      house: {
        loudness: { target: 'custom', 'custom-lufs': -19, output_format: 'flac' },
        mix: { tracks: [{ role: 'voice' }, { role: 'music', 'volume-db': -9 }] },
      },
    });
    expect(await planned(cwd, ['loudness', 'clip.wav', '--preset', 'house'])).toMatchObject({
      options: { target: 'custom', custom_lufs: -19, output_format: 'flac' },
      outputs: [join(cwd, 'clip.loudness.flac')],
    });
    expect(await planned(cwd, ['loudness', 'clip.wav', '--preset', 'house', '--target', 'podcast'])).toMatchObject({
      options: { target: 'podcast', output_format: 'flac' },
    });
    expect(await planned(cwd, ['mix', 'clip.wav', 'clip.wav', '--preset', 'house'])).toMatchObject({
      options: {
        tracks: [
          { role: 'voice', volume_db: 0 },
          { role: 'music', volume_db: -9 },
        ],
      },
    });
    // The one of the user, where the folder has none of that name.
    const config = join(cwd, 'config');
    mkdirSync(join(config, 'earshot'), { recursive: true });
    writeFileSync(join(config, 'earshot/presets.json'), JSON.stringify({ mine: { convert: { format: 'opus' } } }));
    const environment = { XDG_CONFIG_HOME: config };
    const run = await earshot(cwd, ['convert', 'clip.wav', '--preset', 'mine'], { environment });
    expect(run.stdout).toMatch(/clip\.convert\.opus .*: opus, /);
  });

  it.each([
    [{ other: {} }, /^There is no preset house in .*; there is other$/],
    [{ house: { convert: {} } }, /The preset house has no options for loudness, only for convert$/],
    [{ house: { loudness: { targt: 'podcast' } } }, /Unknown option targt for house, loudness; did you mean target\?/],
    [{ house: { loudnes: {} } }, /Unknown command loudnes in house/],
    [{ house: { loudness: 'podcast' } }, /Expected an object with options for house, loudness/],
    ['{', /earshot\.presets\.json: Expected JSON but /],
    [null, /Expected an object with a preset under each name/],
  ])('%j is refused', (content, message) => {
    const cwd = folder();
    presets(cwd, content);
    vi.stubEnv('EARSHOT_PRESETS', join(cwd, 'earshot.presets.json'));
    expect(() => presetOptions('house', requireTool('loudness'))).toThrow(message);
  });

  it('without any file says where one would be', async () => {
    const cwd = folder();
    const environment = { XDG_CONFIG_HOME: join(cwd, 'none') };
    const run = await earshot(cwd, ['loudness', 'clip.wav', '--preset', 'house'], { environment });
    expect(run.code).toBe(2);
    expect(run.stderr).toMatch(
      /There are no presets: neither .*earshot\.presets\.json nor .*none\/earshot\/presets\.json exists/,
    );
  });
});

describe('words', () => {
  it('of a terminal are those that people type', () => {
    expect(terminalWords('Expected nothing for custom_lufs, script_file_id or file_id: run remove_noise first')).toBe(
      'Expected nothing for --custom-lufs, --script or the file: run remove-noise first',
    );
    expect(terminalWords('my_own_name.wav stays')).toBe('my_own_name.wav stays');
  });

  it('one name for the place of a result, and the commands of before are told', slow, async () => {
    const cwd = folder();
    const run = await earshot(cwd, ['cut', 'clip.wav', '--ranges', '[[0,1]]', '--output', 'separate']);
    expect(run).toMatchObject({ code: 2, stderr: expect.stringContaining('Use --pieces separate;') as string });
    expect((await earshot(cwd, ['adjust_loudness', 'clip.wav', '--dry_run'])).stdout).toMatch(/^loudness clip\.wav: /);
  });

  it('of the help of all tools are none that only programs which send requests know', slow, () => {
    // One process for all of them.
    const script = `import { runCli } from ${JSON.stringify(new URL('../../src/cli/program.ts', import.meta.url).href)};
      for (const slug of ${JSON.stringify(tools.map(({ slug }) => slug))})
        await runCli([slug, '--help'], new AbortController().signal);`;
    const { stdout } = spawnSync(projectNode, ['--input-type=module', '-e', script], { encoding: 'utf8' });
    expect(stdout.match(/-o, --output <path>/g)).toHaveLength(tools.length);
    expect(stdout.replaceAll(/\s+/g, ' ')).toContain('volume-db: Gain of the track');
    expect(stdout.match(/\b[a-z]+_[a-z_]+\b|\bHTTP\b|\bslug\b|\bendpoint\b|\brequest\b|\bAPI\b/g)).toBe(null);
  });
});
