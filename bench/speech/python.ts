// Peers that are Python packages, each set in a virtual environment of its own under bench/.media.
import { spawnSync } from 'node:child_process';
import { existsSync, mkdirSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';

const environments = fileURLToPath(new URL('../.media/python/', import.meta.url));

/**
 * The Python of an environment that has the packages, made on the first call; null where there is no Python or no
 * package index.
 * @param packages with their versions: `jiwer==4.0.0`
 */
export function pythonWith(name: string, packages: readonly string[]): string | null {
  const folder = join(environments, name);
  const python = join(folder, 'bin', 'python');
  const done = join(folder, [...packages].sort().join('+').replaceAll('/', '_'));
  if (existsSync(done)) return python;
  rmSync(folder, { recursive: true, force: true });
  mkdirSync(environments, { recursive: true });
  const steps: (readonly [string, readonly string[]])[] = [
    ['python3', ['-m', 'venv', folder]],
    [python, ['-m', 'pip', 'install', '--quiet', '--disable-pip-version-check', ...packages]],
  ];
  for (const [program, args] of steps) {
    const { status, stderr } = spawnSync(program, args, { encoding: 'utf8' });
    if (status === 0) continue;
    console.log(`No Python peer ${name}: ${(stderr ?? '').trim().split('\n').at(-1) ?? `${program} does not start`}`);
    return null;
  }
  writeFileSync(done, '');
  return python;
}
