// @module-tag slow
// The tool, the language, the field of REST, the family of recognisers and the setting of docs/extending.md are added
// to a copy of the sources as that page has them, and a second tool by what the page says.
import { execFileSync, spawnSync } from 'node:child_process';
import {
  copyFileSync,
  cpSync,
  mkdirSync,
  mkdtempSync,
  readFileSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { writeWav } from '../fixtures/media/pcm-files.ts';
import { slower } from '../fixtures/rounds.ts';
import { reverseAudio } from './reverse-audio.ts';

const root = fileURLToPath(new URL('../../', import.meta.url));
const copy = mkdtempSync(join(tmpdir(), 'earshot-new-tool-'));
const rate = 16_000;

beforeAll(() => {
  cpSync(join(root, 'src'), join(copy, 'src'), { recursive: true });
  for (const name of ['node_modules', 'build', 'native', 'prebuilt', 'models'])
    symlinkSync(join(root, name), join(copy, name));
  for (const name of ['package.json', 'tsconfig.json', 'oxlint.config.ts'])
    copyFileSync(join(root, name), join(copy, name));
  const page = readFileSync(join(root, 'docs/extending.md'), 'utf8');
  const guide = page.split('## Adding a tool')[1] ?? '';
  mkdirSync(join(copy, 'src/library/tools/find_peak'));
  const blocks = [...guide.matchAll(/^`(\w+\.ts)`[\s\S]*?```ts\n([\s\S]*?)```/gm)];
  expect(blocks.map(([, file]) => file)).toEqual(['options.ts', 'tool.ts', 'result.ts', 'run.ts']);
  for (const [, file = '', code = ''] of blocks) writeFileSync(join(copy, 'src/library/tools/find_peak', file), code);
  mkdirSync(join(copy, 'src/library/tools/reverse_audio'));
  for (const [file, code] of Object.entries(reverseAudio))
    writeFileSync(join(copy, 'src/library/tools/reverse_audio', file), code);
  const language = /One file, `([^`]+)`[\s\S]*?```ts\n([\s\S]*?)```/.exec(page);
  writeFileSync(join(copy, language?.[1] ?? ''), language?.[2] ?? '');
  followRecipe(page, 'Adding a field to the REST API');
  followRecipe(page, 'Adding a family of recognisers');
  followRecipe(page, 'Adding an object store');
  mkdirSync(join(copy, 'scripts'));
  for (const script of ['write-lists.ts', 'write-option-types.ts', 'write-result-schemas.ts', 'write-made.ts'])
    copyFileSync(join(root, 'scripts', script), join(copy, 'scripts', script));
  for (const script of ['write-lists.ts', 'write-option-types.ts', 'write-result-schemas.ts'])
    execFileSync(process.execPath, [join(copy, 'scripts', script)]);
  expect(readFileSync(join(copy, 'src/library/tools/option-types.ts'), 'utf8')).toContain(
    'readonly quietest_dbfs?: number',
  );
  const sound = new Float32Array(2 * rate).fill(0.01);
  sound[1.5 * rate] = -0.5;
  writeWav(join(copy, 'clap.wav'), [sound], rate);
  // Louder from second to second, as noise: turned around it is as much quieter.
  const swell = new Float32Array(6 * rate).map((_, at) => Math.sin(at * at) * 10 ** (Math.floor(at / rate) / 3 - 2));
  writeWav(join(copy, 'swell.wav'), [swell], rate);
});
/** Each block belongs to the file that is named last before it: a new file, or a change with lines that are there. */
function followRecipe(page: string, title: string): void {
  const [, recipe = ''] = page.split(`## ${title}\n`);
  const [own = ''] = recipe.split(/^## /m);
  let path = '';
  let changes = 0;
  for (const [, file, kind, code = ''] of own.matchAll(/^`(src\/[^`]+)`$|^```(ts|diff)\n([\s\S]*?)^```$/gm)) {
    if (file !== undefined) path = join(copy, file);
    if (kind === 'ts') {
      mkdirSync(dirname(path), { recursive: true });
      writeFileSync(path, code);
    }
    if (kind !== 'diff') continue;
    const lines = code.trimEnd().split('\n');
    const side = (left: string): string =>
      lines
        .filter((line) => line[0] !== left)
        .map((line) => line.slice(1))
        .join('\n');
    const before = readFileSync(path, 'utf8');
    expect(before.split(side('+')).length, `${path} has once:\n${side('+')}`).toBe(2);
    writeFileSync(
      path,
      before.replace(side('+'), () => side('-')),
    );
    changes += 1;
  }
  expect(changes, title).toBeGreaterThan(1);
}

afterAll(() => rmSync(copy, { recursive: true, force: true }));

it('compiles with everything that derives from the registry', slower, () => {
  const project = join(copy, 'tsconfig.new-tool.json');
  writeFileSync(project, JSON.stringify({ extends: './tsconfig.json', include: ['src'] }));
  const { stdout, status } = spawnSync(process.execPath, [join(root, 'node_modules/.bin/tsc'), '-p', project], {
    cwd: copy,
    encoding: 'utf8',
  });
  expect(`${status} ${stdout}`).toBe('0 ');
});

it('keeps to the import directions and makes no circle', () => {
  const { stdout } = spawnSync(
    process.execPath,
    [join(root, 'node_modules/.bin/oxlint'), '-f', 'json', 'src/library/tools', 'src/library/speech/fillers'],
    { cwd: copy, encoding: 'utf8' },
  );
  expect((JSON.parse(stdout) as { diagnostics: unknown[] }).diagnostics).toEqual([]);
});

const cli = (...args: string[]): string =>
  execFileSync(process.execPath, [join(copy, 'src/cli/main.ts'), ...args], { cwd: copy, encoding: 'utf8' });

it('a tool that turns sound around is four files, and its report compares no level over time', () => {
  expect(Object.keys(reverseAudio)).toHaveLength(4);
  cli('reverse', 'swell.wav', '--report', 'swell.html');
  const report = readFileSync(join(copy, 'swell.html'), 'utf8');
  expect(report).toContain('Waveform after');
  expect(report).not.toContain('level over time');
  expect(report).not.toContain('<h2>Places cut');
});

it('is a command and runs in a job process', () => {
  expect(cli('find-peak', '--help')).toContain('--quietest-dbfs');
  const events = cli('find-peak', 'clap.wav', '--json')
    .trim()
    .split('\n')
    .map((line) => JSON.parse(line) as { result?: object });
  const { result } = events.at(-1) ?? {};
  expect(result).toEqual({ peakDbfs: -6.02, atSeconds: 1.5 });
});

it('a language of fillers is one that remove_fillers takes', () => {
  const help = execFileSync(process.execPath, [join(copy, 'src/cli/main.ts'), 'remove-fillers', '--help'], {
    cwd: copy,
    encoding: 'utf8',
  });
  expect(help).toMatch(/\bko, ca\b/);
});

it('a field of REST, a family of recognisers and a setting are where people look for them', () => {
  const code = `
    const { FileRecord } = await import('./src/service/http/interface/schemas.ts');
    const { recogniserFiles } = await import('./src/library/models/recogniser-files.ts');
    const { loadConfig } = await import('./src/service/rules/settings/config.ts');
    const files = ['config.json', 'vocab.txt', 'canary-encoder.int8.onnx', 'canary-decoder.int8.onnx'];
    console.log(JSON.stringify({
      field: FileRecord.properties.sha256['x-open-point'],
      family: recogniserFiles(files, 'quantized', 'a/b').family,
      setting: loadConfig({ EARSHOT_S3_STORAGE_CLASS: 'GLACIER_IR' }).s3StorageClass,
    }));`;
  const said = execFileSync(process.execPath, ['--input-type=module', '-e', code], { cwd: copy, encoding: 'utf8' });
  expect(JSON.parse(said)).toEqual({ field: true, family: 'canary', setting: 'GLACIER_IR' });
});
