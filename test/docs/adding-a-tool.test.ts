// The tool and the language of docs/extending.md are added to a copy of the sources as that page has them.
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
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { writeWav } from '../fixtures/media/pcm-files.ts';
import { slowIt } from '../fixtures/rounds.ts';

const root = fileURLToPath(new URL('../../', import.meta.url));
const copy = mkdtempSync(join(tmpdir(), 'earshot-new-tool-'));
const rate = 16_000;

beforeAll(() => {
  cpSync(join(root, 'src'), join(copy, 'src'), { recursive: true });
  for (const name of ['node_modules', 'build', 'models']) symlinkSync(join(root, name), join(copy, name));
  for (const name of ['package.json', 'tsconfig.json', 'oxlint.config.ts'])
    copyFileSync(join(root, name), join(copy, name));
  const page = readFileSync(join(root, 'docs/extending.md'), 'utf8');
  const guide = page.split('## Adding a tool')[1] ?? '';
  mkdirSync(join(copy, 'src/library/tools/find_peak'));
  const blocks = [...guide.matchAll(/^`(\w+\.ts)`[\s\S]*?```ts\n([\s\S]*?)```/gm)];
  expect(blocks.map(([, file]) => file)).toEqual(['options.ts', 'tool.ts', 'result.ts', 'run.ts']);
  for (const [, file = '', code = ''] of blocks) writeFileSync(join(copy, 'src/library/tools/find_peak', file), code);
  const language = /One file, `([^`]+)`[\s\S]*?```ts\n([\s\S]*?)```/.exec(page);
  writeFileSync(join(copy, language?.[1] ?? ''), language?.[2] ?? '');
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
});
afterAll(() => rmSync(copy, { recursive: true, force: true }));

slowIt('compiles with everything that derives from the registry', () => {
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

it('is a command and runs in a job process', () => {
  const cli = (...args: string[]): string =>
    execFileSync(process.execPath, [join(copy, 'src/cli/main.ts'), ...args], { cwd: copy, encoding: 'utf8' });
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
