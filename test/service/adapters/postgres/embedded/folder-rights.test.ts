import { expect, it } from 'vitest';
import { keepPrivate } from '../../../../../src/service/adapters/postgres/embedded/folder-rights.ts';
import { quietLog } from '../../../../fixtures/service/quiet-log.ts';

const folder = 'D:\\data\\postgres';

it('leaves a folder to its user, the system and administrators', async () => {
  const ran: string[] = [];
  await keepPrivate(folder, quietLog, async (program, args) => {
    ran.push([program.split(/[\\/]/).at(-1), ...args].join(','));
    return { stdout: '"nt authority\\network service","S-1-5-20"\r\n' };
  });
  expect(ran).toEqual([
    'whoami.exe,/user,/fo,csv,/nh',
    'icacls.exe,D:\\data\\postgres,/inheritance:r,/grant:r,*S-1-5-20:(OI)(CI)F,*S-1-5-18:(OI)(CI)F,*S-1-5-32-544:(OI)(CI)F',
  ]);
});

it.each([
  ['whoami names nobody', async () => ({ stdout: 'ERROR\r\n' })],
  ['there is no such program', () => Promise.reject(new Error('ENOENT'))],
])('warns where %s', async (_, run) => {
  const warnings: string[] = [];
  await keepPrivate(folder, { ...quietLog, warn: (__, text) => void warnings.push(text) }, run);
  expect(warnings).toEqual(['Other users of this computer may be able to read this folder']);
});
