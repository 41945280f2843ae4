// The tool of docs/architecture.md, "Adding a tool", is added to a copy of the sources as it stands there.
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

const root = fileURLToPath(new URL('../../', import.meta.url));
const copy = mkdtempSync(join(tmpdir(), 'earshot-new-tool-'));
const rate = 16_000;

/** Adds text behind a place in a file of the copy. */
function insert(file: string, behind: string, text: string): void {
  const path = join(copy, file);
  const before = readFileSync(path, 'utf8');
  expect(before).toContain(behind);
  writeFileSync(path, before.replace(behind, `${behind}${text}`));
}

beforeAll(() => {
  cpSync(join(root, 'src'), join(copy, 'src'), { recursive: true });
  for (const name of ['node_modules', 'build', 'models']) symlinkSync(join(root, name), join(copy, name));
  for (const name of ['package.json', 'tsconfig.json', 'oxlint.config.ts'])
    copyFileSync(join(root, name), join(copy, name));
  const guide = readFileSync(join(root, 'docs/architecture.md'), 'utf8').split('## Adding a tool')[1] ?? '';
  mkdirSync(join(copy, 'src/library/tools/find_peak'));
  const blocks = [...guide.matchAll(/^`(\w+\.ts)`[\s\S]*?```ts\n([\s\S]*?)```/gm)];
  expect(blocks.map(([, file]) => file)).toEqual(['options.ts', 'tool.ts', 'result.ts', 'run.ts']);
  for (const [, file = '', code = ''] of blocks) writeFileSync(join(copy, 'src/library/tools/find_peak', file), code);
  insert('src/library/contract/tool-ids.ts', 'export const toolSlugs = {\n', "  find_peak: 'find-peak',\n");
  insert('src/library/tools/registry.ts', 'const declared = {\n', '  find_peak: findPeak,\n');
  insert(
    'src/library/tools/registry.ts',
    "import { shownName, whatWasMeant } from '../core/names.ts';\n",
    "import { findPeak } from './find_peak/tool.ts';\n",
  );
  insert(
    'src/library/tools/results.ts',
    'export interface ToolResultById {\n',
    "  readonly find_peak: import('./find_peak/result.ts').FindPeakResult;\n",
  );
  mkdirSync(join(copy, 'scripts'));
  copyFileSync(join(root, 'scripts/write-option-types.ts'), join(copy, 'scripts/write-option-types.ts'));
  execFileSync(process.execPath, [join(copy, 'scripts/write-option-types.ts')]);
  expect(readFileSync(join(copy, 'src/library/tools/option-types.ts'), 'utf8')).toContain(
    'readonly quietest_dbfs?: number',
  );
  const sound = new Float32Array(2 * rate).fill(0.01);
  sound[1.5 * rate] = -0.5;
  writeWav(join(copy, 'clap.wav'), [sound], rate);
});
afterAll(() => rmSync(copy, { recursive: true, force: true }));

it('compiles with everything that derives from the registry', () => {
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
    [
      join(root, 'node_modules/.bin/oxlint'),
      '-f',
      'json',
      'src/library/tools/find_peak',
      'src/library/tools/registry.ts',
    ],
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
