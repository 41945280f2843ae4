import { existsSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { expect, it } from 'vitest';
import { outsideArchive, ownAddress, packagePath, unfitPlace } from '../../../../src/library/core/running-files.ts';

const asked: string[] = [];
const finds =
  (is: boolean) =>
  (path: URL): boolean => {
    asked.push(fileURLToPath(path));
    return is;
  };

it('a checkout and an installation are whole', () => {
  expect(unfitPlace(ownAddress, null, existsSync)).toBe(null);
  expect(asked.splice(0)).toEqual([]);
  expect(unfitPlace('file:///srv/node_modules/earshot/dist/library/chunks/start.js', null, finds(true))).toBe(null);
  expect(asked.splice(0)).toEqual(['/srv/node_modules/earshot/dist/library/runtime/job/job-process.js']);
  expect(
    unfitPlace(new URL('src/library/core/running-files.ts', `file://${packagePath('')}`).href, null, finds(true)),
  ).toBe(null);
  expect(asked.splice(0)).toEqual([packagePath('src/library/runtime/job/job-process.ts')]);
});

it('one without its files is told to take them along', () => {
  const why = unfitPlace('file:///srv/node_modules/earshot/dist/library/chunks/start.js', null, finds(false));
  expect(why).toMatch(
    /earshot is at .*, but .*\/dist\/library\/runtime\/job\/job-process\.js.*outputFileTracingIncludes.*asarUnpack/,
  );
});

it.each([
  ['one file', null, 'file:///srv/app.mjs', /esbuild `external.*Rollup.*webpack.*Next\.js/],
  ['one file, which lies where ours would', null, 'file:///srv/dist/app.js', /esbuild/],
  ['a program', null, 'file:///$bunfs/root/app', /esbuild/],
  ['CommonJS, which has no address', null, undefined, /esbuild/],
  [
    'what webpack makes, which says where it came from',
    'webpack',
    `file:///x/dist/library/chunks/start.js`,
    /external: webpack/,
  ],
] as const)('a bundle of %s is told what to set', (_, bundler, from, names) => {
  const why = unfitPlace(from, bundler, finds(true));
  expect(why).toMatch(/was bundled/);
  expect(why).toMatch(names);
});

it('what lies in an archive of Electron is used from beside it', () => {
  const electron = { ...process.versions, electron: '40.1.0' };
  for (const [path, outside] of [
    ['/opt/My App/resources/app.asar/node_modules/earshot/dist/index.js', '/app.asar.unpacked/node_modules/'],
    ['C:\\App\\resources\\app.asar\\node_modules\\x.node', '\\app.asar.unpacked\\node_modules\\'],
    ['file:///opt/resources/other.asar/dist/library/chunks/start.js', '/other.asar.unpacked/dist/'],
  ] as const) {
    expect(outsideArchive(path, electron)).toContain(outside);
    expect(outsideArchive(path, process.versions)).toBe(path);
  }
  for (const path of ['/opt/app.asar.unpacked/x.js', '/opt/asar/x.js', '/opt/app.asar'])
    expect(outsideArchive(path, electron)).toBe(path);
});
