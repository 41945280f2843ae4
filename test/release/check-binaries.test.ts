import { execFileSync } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { faultsOf } from '../../scripts/release/check-binaries.mjs';
import { readElf } from '../../scripts/release/elf.mjs';
import { addonExports } from '../../scripts/release/platform.mjs';

const place = mkdtempSync(join(tmpdir(), 'earshot-binaries-'));
afterAll(() => rmSync(place, { recursive: true, force: true }));

const compile = (name: string, source: string, ...args: string[]): string => {
  const from = join(place, `${name}.c`);
  const to = join(place, name);
  writeFileSync(from, source);
  execFileSync('cc', ['-shared', '-fPIC', '-nostdlib', '-o', to, from, ...args]);
  return to;
};

/** Stands for a system's library: it has one function, of this version. */
function systemLibrary(soname: string, version: string): string {
  const list = join(place, `${soname}.${version}.map`);
  writeFileSync(list, `${version} { global: newest; local: *; };\n`);
  return compile(
    `${soname}.${version}`,
    'int newest(void) { return 1; }',
    `-Wl,-soname,${soname}`,
    `-Wl,--version-script=${list}`,
  );
}

const exporting = addonExports.map((name) => `int ${name}(void) { return newest(); }`).join('\n');
const asking = `extern int newest(void);\n${exporting}`;

const checked = (path: string, system?: string): string[] => faultsOf('earshot.node', readFileSync(path), system);

describe.runIf(process.platform === 'linux')('reading binaries', () => {
  it('agrees with readelf on the addon that was built here', () => {
    const addon = resolve('prebuilt/earshot.node');
    const elf = readElf(readFileSync(addon));
    const said = execFileSync('readelf', ['-W', '-d', '-V', '--dyn-syms', addon], {
      encoding: 'utf8',
      env: { ...process.env, LC_ALL: 'C' },
      maxBuffer: 2 ** 26,
    });
    const all = (pattern: RegExp) => [...said.matchAll(pattern)].map(([, found]) => found ?? '');
    const rows = [...said.matchAll(/^ +\d+: [0-9a-f]+ +\S+ +\S+ +(LOCAL|GLOBAL|WEAK|UNIQUE) +\S+ +(\S+) (\S+)/gm)];
    expect(elf.machine).toBe(process.arch);
    expect(elf.libraries).toEqual(all(/\(NEEDED\).*\[(.+)\]/g));
    expect(elf.versions).toEqual([...new Set(all(/0x[0-9a-f]+: +Name: (\S+) +Flags/g))]);
    expect(elf.exported).toEqual(
      rows.flatMap(([, bind, index, name]) => (bind !== 'LOCAL' && index !== 'UND' ? [name ?? ''] : [])),
    );
    const without = rows.flatMap(([, bind, index, name]) =>
      bind === 'GLOBAL' && index === 'UND' && !name?.includes('@') ? [name ?? ''] : [],
    );
    expect(elf.asked).toEqual(without);
    expect(elf.asked).toContain('napi_create_function');
  });

  it('refuses what is no ELF file', () => {
    expect(() => readElf(Buffer.from('MZ'))).toThrow('Expected an ELF file');
  });
});

describe.runIf(process.platform === 'linux')('what may be published', () => {
  let good: string;
  beforeAll(() => {
    good = compile('good.node', asking, systemLibrary('libc.so.6', 'GLIBC_2.28'));
  });

  it('is content with what the oldest system has', () => {
    expect(checked(good, `linux-${process.arch}`)).toEqual([]);
  });

  it('names a symbol of a newer glibc; 2.4 is older than 2.28', () => {
    expect(checked(compile('old.node', asking, systemLibrary('libc.so.6', 'GLIBC_2.4')))).toEqual([]);
    expect(checked(compile('new.node', asking, systemLibrary('libc.so.6', 'GLIBC_2.29')))).toEqual([
      'needs glibc 2.29, newer than 2.28',
    ]);
  });

  it('names the C++ library of the system', () => {
    expect(checked(compile('cxx.node', asking, systemLibrary('libstdc++.so.6', 'GLIBCXX_3.4.29')))).toEqual([
      'is linked with libstdc++.so.6',
      "needs GLIBCXX_3.4.29, which is not glibc's",
    ]);
  });

  it('names folders that are searched, names that are shown or asked for, and paths of this machine', () => {
    const text = `${asking}\nextern int mystery(void);\nextern int napi_create_function(void);
      const char *operator_new(void) { return "${join(process.cwd(), 'native/x.cc')}" + mystery() + napi_create_function(); }`;
    const library = systemLibrary('libc.so.6', 'GLIBC_2.28');
    const faults = checked(compile('bad.node', text, library, '-Wl,-rpath,/opt/lib')).join('\n');
    expect(faults).toContain('looks for libraries in /opt/lib');
    expect(faults).toContain('exports operator_new (1 names too many)');
    expect(faults).toContain('asks for mystery, which');
    expect(faults).toContain(`holds a path of this machine, ${process.cwd()}`);
    expect(faults).not.toContain('napi_create_function');
  });

  it('names an entry point that is missing, and the wrong processor', () => {
    const empty = compile('empty.node', 'extern int newest(void);\nstatic int (*keep)(void) = newest;');
    expect(checked(empty)).toContain('does not export napi_register_module_v1');
    expect(checked(good, 'win32-x64')).toEqual([`is for linux-${process.arch}, expected win32-x64`]);
  });
});
