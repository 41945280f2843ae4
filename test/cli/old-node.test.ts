// What somebody reads whose Node is too old, or who has not installed yet: one sentence with what to do. And every
// place that names the oldest Node names the same one.
import { spawnSync } from 'node:child_process';
import { copyFileSync, cpSync, globSync, mkdirSync, readFileSync, rmSync, utimesSync, writeFileSync } from 'node:fs';
import { delimiter, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { describe, expect, it } from 'vitest';
import { mainPath } from '../fixtures/built/main-path.ts';
import { useFolder } from './support.ts';
import { slow } from '../fixtures/rounds.ts';

const root = fileURLToPath(new URL('../../', import.meta.url));
const read = (path: string): string => readFileSync(join(root, path), 'utf8');
const { engines, version } = JSON.parse(read('package.json')) as { engines: { node: string }; version: string };
const oldest = engines.node.replace('>=', '');
const folder = useFolder();

/** Runs a module under a Node that says it is another. */
function runAs(node: string, ...args: string[]) {
  const versions = `{ ...process.versions, node: ${JSON.stringify(node)} }`;
  const pretend = `Object.defineProperty(process, 'versions', { value: ${versions} })`;
  const { status, stdout, stderr } = spawnSync(
    process.execPath,
    ['--import', `data:text/javascript,${encodeURIComponent(pretend)}`, ...args],
    { encoding: 'utf8' },
  );
  return { status, stdout, stderr };
}

describe('the command line on a Node that is too old', () => {
  it.each(['20.20.2', '18.0.0', '22.11.0', '22.9.1'])('%s: says so in one sentence and ends', (node) => {
    expect(runAs(node, mainPath, '--version')).toEqual({
      status: 1,
      stdout: '',
      stderr:
        `earshot needs Node ${oldest} or newer; this is ${node}. Install a newer one (https://nodejs.org/) and run ` +
        'the command again.\n',
    });
  });

  it.each([`${oldest}.0`, '22.21.1', '23.0.0', '24.0.0', '100.0.0'])('%s is none', slow, (node) => {
    expect(runAs(node, mainPath, '--version')).toEqual({ status: 0, stdout: `${version}\n`, stderr: '' });
  });

  it.runIf(process.env['EARSHOT_TEST_BUILT'])('also a real one, where the machine has one', slow, () => {
    const places = (process.env['PATH'] ?? '').split(delimiter).map((place) => join(place, 'node'));
    const real = [...new Set(places)].flatMap((path) => {
      const { stdout } = spawnSync(path, ['-p', 'process.versions.node'], { encoding: 'utf8' });
      return /^(?:1[6-9]|2[01])\./.test(stdout ?? '') ? [{ path, node: stdout.trim() }] : [];
    });
    if (real.length === 0) console.log('No Node from 16 to 21 on PATH: tried with a pretended version only');
    for (const { path, node } of real) {
      const { status, stderr } = spawnSync(path, [mainPath, '--version'], { encoding: 'utf8' });
      expect(stderr.startsWith(`earshot needs Node ${oldest} or newer; this is ${node}. `)).toBe(true);
      expect([status, stderr.split('\n').length]).toEqual([1, 2]);
    }
  });

  it('is told before anything is loaded that such a Node cannot load', () => {
    expect(readFileSync(mainPath, 'utf8')).not.toMatch(/^\s*import\s*[{*'"\w]|^\s*export\b.*\bfrom\b/m);
  });
});

describe.each(['index', 'server', 'sound'])('the library on a Node that is too old (%s)', (entry) => {
  const suffix = process.env['EARSHOT_TEST_BUILT'] ? `dist/${entry}.js` : `src/${entry}.ts`;
  const imported = (node: string) =>
    runAs(
      node,
      '--input-type=module',
      '--eval',
      `import(${JSON.stringify(new URL(suffix, new URL('../../', import.meta.url)))})
        .then(() => console.log('loaded'), (error) => console.log(error.message));`,
    ).stdout;

  it('says so when it is imported', slow, () => {
    expect(imported('22.11.0')).toBe(`earshot needs Node ${oldest} or newer; this is 22.11.0\n`);
    expect(imported(`${oldest}.0`)).toBe('loaded\n');
  });
});

it('./earshot in a checkout without packages says what to run', () => {
  const cwd = folder();
  copyFileSync(join(root, 'earshot'), join(cwd, 'earshot'));
  const { status, stdout, stderr } = spawnSync(join(cwd, 'earshot'), ['--version'], { encoding: 'utf8' });
  expect({ status, stdout, stderr }).toEqual({ status: 1, stdout: '', stderr: 'earshot: run npm ci first\n' });
});

it('./earshot runs what was built, and the sources once one of them is newer', () => {
  const cwd = folder();
  for (const path of ['src/cli', 'dist/cli', 'scripts', 'node_modules/.bin'])
    mkdirSync(join(cwd, path), { recursive: true });
  copyFileSync(join(root, 'earshot'), join(cwd, 'earshot'));
  writeFileSync(join(cwd, 'node_modules/.bin/node'), '#!/bin/sh\necho "$@"\n', { mode: 0o755 });
  const files = ['src/cli/main.ts', 'package-lock.json', 'dist/cli/main.js'];
  for (const path of files) writeFileSync(join(cwd, path), '');
  const changed = (path: string, at: number): void => utimesSync(join(cwd, path), at, at);
  const runs = (): string => spawnSync(join(cwd, 'earshot'), ['--version'], { encoding: 'utf8' }).stdout;
  for (const path of ['src', 'src/cli', 'scripts', ...files]) changed(path, 1000);
  changed('dist/cli/main.js', 2000);
  expect(runs()).toBe(`--disable-warning=ExperimentalWarning ${cwd}/dist/cli/main.js --version\n`);
  changed('src/cli/main.ts', 3000);
  expect(runs()).toBe(`--disable-warning=ExperimentalWarning ${cwd}/src/cli/main.ts --version\n`);
  changed('src/cli/main.ts', 1000);
  rmSync(join(cwd, 'dist'), { recursive: true });
  expect(runs()).toContain('/src/cli/main.ts');
});

it('npm start in a checkout without packages says the same', () => {
  const cwd = folder();
  cpSync(join(root, 'scripts/start.mjs'), join(cwd, 'scripts/start.mjs'), { recursive: true });
  writeFileSync(join(cwd, 'package.json'), JSON.stringify({ scripts: JSON.parse(read('package.json')).scripts }));
  const { status, stderr } = spawnSync('npm', ['start', '--silent'], { cwd, encoding: 'utf8' });
  expect({ status, stderr }).toEqual({ status: 1, stderr: 'earshot: run npm ci first\n' });
});

describe('the oldest Node', () => {
  it(`is ${oldest} for the packages, the build and what people read`, () => {
    const lock = JSON.parse(read('package-lock.json')) as { packages: Record<string, { engines?: object }> };
    expect(lock.packages['']?.engines).toEqual(engines);
    expect(read('scripts/bundle.mjs')).toContain(`target: 'node${oldest}'`);
    expect(read('README.md')).toContain(`Node ${oldest} or newer`);
    expect(read('CONTRIBUTING.md')).toContain(`Node ${oldest} or newer`);
  });

  it('is named nowhere else by another number', () => {
    const pages = ['README.md', 'CONTRIBUTING.md', ...globSync('docs/**/*.md', { cwd: root })];
    expect(pages.length).toBeGreaterThan(10);
    for (const page of pages) {
      for (const [named, from] of read(page).matchAll(/Node (\d[\d.]*\d)(?: or newer|,? (?:and|to) )/g))
        expect(from, `${page}: ${named}`).toBe(oldest);
      expect(read(page), page).not.toMatch(/Node (?:1\d|2[01])\b/);
    }
  });
});
