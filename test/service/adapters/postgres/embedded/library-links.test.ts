import { existsSync, mkdirSync, mkdtempSync, readlinkSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, expect, it } from 'vitest';
import { linkLibraries } from '../../../../../src/service/adapters/postgres/embedded/embedded-install.ts';

let folder = '';
afterEach(() => rmSync(folder, { recursive: true, force: true }));

/** A package of PostgreSQL's programs as it is installed without scripts. */
function unpacked(): string {
  folder = mkdtempSync(join(tmpdir(), 'earshot-postgres-'));
  mkdirSync(join(folder, 'native', 'lib'), { recursive: true });
  writeFileSync(join(folder, 'native', 'lib', 'libicuuc.so.60.2'), 'a library');
  const links = ['libicuuc.so.60', 'libicuuc.so'].map((name) => ({
    source: 'native/lib/libicuuc.so.60.2',
    target: `native/lib/${name}`,
  }));
  writeFileSync(join(folder, 'native', 'pg-symlinks.json'), JSON.stringify(links));
  return folder;
}

it('makes the links that no install script has made, and leaves those that are there', () => {
  const place = unpacked();
  symlinkSync('libicuuc.so.60.2', join(place, 'native', 'lib', 'libicuuc.so'));
  for (let times = 0; times < 2; times++) linkLibraries(place);
  for (const name of ['libicuuc.so.60', 'libicuuc.so']) {
    expect(readlinkSync(join(place, 'native', 'lib', name))).toBe('libicuuc.so.60.2');
    expect(existsSync(join(place, 'native', 'lib', name))).toBe(true);
  }
});

it('a package without a list has no links', () => {
  const place = unpacked();
  rmSync(join(place, 'native', 'pg-symlinks.json'));
  linkLibraries(place);
  expect(existsSync(join(place, 'native', 'lib', 'libicuuc.so'))).toBe(false);
});

it('says what to do where nothing can be written', () => {
  const place = unpacked();
  rmSync(join(place, 'native', 'lib'), { recursive: true });
  expect(() => linkLibraries(place)).toThrow(/Cannot create the links of PostgreSQL's libraries/);
});
