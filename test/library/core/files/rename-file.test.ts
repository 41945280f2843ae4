// Windows by a stand-in: its rename says EPERM for as long as somebody has the file open.
import { chmodSync, existsSync, mkdirSync, readFileSync, renameSync, writeFileSync } from 'node:fs';
import { rename } from 'node:fs/promises';
import { join } from 'node:path';
import { beforeEach, describe, expect, it } from 'vitest';
import { EarshotError } from '../../../../src/library/core/errors/errors.ts';
import { pathError } from '../../../../src/library/core/errors/file-errors.ts';
import { renameFile, renameFileSync } from '../../../../src/library/core/files/rename-file.ts';
import { temporaryFolder } from '../../../fixtures/temporary-folder.ts';

let folder = '';
let from = '';
let to = '';
beforeEach(() => {
  folder = temporaryFolder('earshot-rename-');
  [from, to] = [join(folder, 'new'), join(folder, 'old')];
  writeFileSync(from, 'new');
  writeFileSync(to, 'old');
});

const refusal = (code: string): Error => Object.assign(new Error(`${code}: operation not permitted`), { code });

/** Refuses `times` times, then renames. */
function opened(times: number, code: string) {
  let calls = 0;
  const isOpen = (): boolean => ++calls <= times;
  return {
    calls: () => calls,
    later: async (one: string, other: string) => {
      if (isOpen()) throw refusal(code);
      await rename(one, other);
    },
    now: (one: string, other: string) => {
      if (isOpen()) throw refusal(code);
      renameSync(one, other);
    },
  };
}

describe.each(['EPERM', 'EACCES', 'EBUSY'])('a file that is open on Windows (%s)', (code) => {
  it('is replaced when it is let go of', async () => {
    const { later, calls } = opened(3, code);
    await renameFile(from, to, { system: 'win32', rename: later });
    expect(calls()).toBe(4);
    expect(readFileSync(to, 'utf8')).toBe('new');
    writeFileSync(from, 'newer');
    renameFileSync(from, to, { system: 'win32', rename: opened(2, code).now });
    expect(readFileSync(to, 'utf8')).toBe('newer');
    expect(existsSync(from)).toBe(false);
  });

  it('is in use where nobody lets go', async () => {
    const { later, now } = opened(Infinity, code);
    const ways = { system: 'win32', patienceMilliseconds: 50 } as const;
    const thrown = await renameFile(from, to, { ...ways, rename: later }).catch((error: unknown) => error);
    const told = pathError(thrown, to, 'output') as EarshotError;
    expect(told).toBeInstanceOf(EarshotError);
    expect(told.message).toBe(`${to} is in use`);
    expect(() => renameFileSync(from, to, { ...ways, rename: now })).toThrow('in use by another process');
    expect(readFileSync(to, 'utf8')).toBe('old');
  });

  it('is not waited for where a folder or a file that may not be written is there', async () => {
    const { later, calls } = opened(Infinity, code);
    mkdirSync(join(folder, 'folder'));
    await expect(renameFile(from, join(folder, 'folder'), { system: 'win32', rename: later })).rejects.toThrow(code);
    expect(calls()).toBe(1);
    chmodSync(to, 0o444);
    // Root may write it all the same.
    if (process.getuid?.() === 0) return;
    await expect(renameFile(from, to, { system: 'win32', rename: later })).rejects.toThrow(code);
    expect(calls()).toBe(2);
  });

  it('is refused at once elsewhere', async () => {
    const { later, calls } = opened(1, code);
    await expect(renameFile(from, to, { system: 'linux', rename: later })).rejects.toMatchObject({ code });
    expect(calls()).toBe(1);
  });
});

it('what is missing is not waited for', async () => {
  await expect(renameFile(join(folder, 'none'), to, { system: 'win32' })).rejects.toMatchObject({ code: 'ENOENT' });
});
