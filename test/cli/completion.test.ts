// Completion scripts are made from the program's own definitions; bash's is tried in bash.
import { execFileSync, spawnSync } from 'node:child_process';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { beforeAll, describe, expect, it } from 'vitest';
import { tools } from '../../src/library/tools/registry.ts';
import { mainPath } from '../fixtures/built/main-path.ts';
import { earshot, useFolder } from './support.ts';

const folder = useFolder();
const scripts: Record<string, string> = {};
const shells = ['bash', 'zsh', 'fish'] as const;

beforeAll(() => {
  for (const shell of shells)
    scripts[shell] = execFileSync(process.execPath, [mainPath, 'completion', shell], { encoding: 'utf8' });
});

/** What bash offers for each line, its last word being the one to complete. */
function offered(cwd: string, lines: readonly (readonly string[])[]): string[][] {
  const script = join(cwd, 'try.bash');
  const calls = lines.map((words) => `try ${words.map((word) => `'${word}'`).join(' ')}`);
  writeFileSync(
    script,
    `${scripts['bash']}\ntry() { COMP_WORDS=("$@"); COMP_CWORD=$(($# - 1)); _earshot; echo "\${COMPREPLY[*]}"; }\n` +
      `${calls.join('\n')}\n`,
  );
  const { stdout, stderr } = spawnSync('bash', ['--norc', script], { cwd, encoding: 'utf8' });
  expect(stderr).toBe('');
  return stdout
    .trimEnd()
    .split('\n')
    .map((line) => line.split(' ').filter((word) => word !== ''));
}

describe('bash', () => {
  it('completes commands, flags, values and files', () => {
    const cwd = folder();
    const [commands, flags, values, typed, files, free, inner, path] = offered(cwd, [
      ['earshot', 'lou'],
      ['earshot', 'convert', 'clip.wav', '--bit'],
      ['earshot', 'loudness', '--target', ''],
      ['earshot', 'loudness', 'clip.wav', '--target', 'pod'],
      ['earshot', 'loudness', 'cl'],
      ['earshot', 'loudness', '--custom-lufs', ''],
      ['earshot', 'models', 'in'],
      ['earshot', 'convert', '-o', 'cl'],
    ]);
    expect(commands).toEqual(['loudness']);
    expect(flags).toEqual(['--bitrate-kbps']);
    expect(values).toEqual(['podcast', 'streaming', 'broadcast', 'audiobook', 'custom']);
    expect(typed).toEqual(['podcast']);
    expect(files).toEqual(['clip.wav']);
    expect(free).toEqual([]);
    expect(inner).toEqual(['install']);
    expect(path).toEqual(['clip.wav']);
  });

  it('is told where a shell is not known', async () => {
    const { code, stderr } = await earshot(folder(), ['completion', 'tcsh']);
    expect(code).toBe(2);
    expect(stderr).toContain('Allowed choices are bash, zsh, fish');
  });
});

describe.each(shells)('%s', (shell) => {
  it('has every command and every option of a tool', () => {
    for (const { slug, options } of tools) {
      expect(scripts[shell]).toContain(slug);
      for (const { enum: values = [] } of Object.values(options.properties ?? {}))
        for (const value of values) expect(scripts[shell]).toContain(String(value));
    }
    for (const flag of ['output', 'skip-existing', 'custom-lufs', 'pieces', 'list-cuts'])
      expect(scripts[shell]).toMatch(new RegExp(`(--|-l )${flag}\\b`));
  });
});
