import { describe, expect, it } from 'vitest';
import { keptByWindows, refuseUnkeptName } from '../../../../src/library/core/machine/windows-names.ts';

/** As written, and as Windows keeps it. */
const changed = [
  ['a:b.wav', 'a_b.wav'],
  ['what? <1>|"2"*.mp3', 'what_ _1___2__.mp3'],
  ['con.wav', 'con_.wav'],
  ['NUL', 'NUL_'],
  ['com1.txt', 'com1_.txt'],
  ['LPT³.tar.gz', 'LPT³_.tar.gz'],
  ['aux .flac', 'aux_ .flac'],
  ['CONOUT$', 'CONOUT$_'],
  ['talk.wav. .', 'talk.wav'],
  ['talk ', 'talk'],
  ['con. ', 'con_'],
  ['...', ''],
] as const;
const kept = ['talk.wav', '.hidden', 'console.wav', 'com10.wav', 'a.con', 'nullable', 'größe 1.5.ogg', 'aux1'];

describe('names on Windows', () => {
  it.each(changed)('%j becomes %j', (name, safe) => {
    expect(keptByWindows(name)).toBe(safe);
    expect(keptByWindows(safe)).toBe(safe);
    expect(() => refuseUnkeptName(name, 'output', 'win32')).toThrow(/^A file cannot be named /);
    for (const system of ['linux', 'darwin'] as const)
      expect(() => refuseUnkeptName(name, 'output', system)).not.toThrow();
  });

  it.each(kept)('%j stays', (name) => {
    expect(keptByWindows(name)).toBe(name);
    expect(() => refuseUnkeptName(name, 'output', 'win32')).not.toThrow();
  });

  it('says why one is refused', () => {
    const why = (name: string): string => {
      try {
        refuseUnkeptName(name, 'output', 'win32');
        return 'taken';
      } catch (thrown) {
        return (thrown as Error).message;
      }
    };
    expect(why('a:b')).toBe('A file cannot be named a:b: Windows does not allow ":" in names');
    expect(why('a.')).toBe('A file cannot be named a.: Windows drops dots and spaces at the end of a name');
    expect(why('com1.txt')).toBe('A file cannot be named com1.txt: COM1 is a device on Windows, with any extension');
  });
});
