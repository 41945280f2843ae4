// Folders that come and go at the same time: mkdir with parents says ENOTDIR where one of them goes meanwhile.
import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { makeFolder, removeEmptyFolders } from '../../../../src/service/adapters/disk/folders.ts';
import { temporaryFolder } from '../../../fixtures/temporary-folder.ts';

const top = temporaryFolder('earshot-folders-');

it('a folder is made while others remove its parents', async () => {
  const path = join(top, 'outputs', 'shared');
  const codes = new Set<string | undefined>();
  // Without another try 250 of 80,000 fail so, by 6 that make and remove.
  await Promise.all(
    Array.from({ length: 6 }, async (_, worker) => {
      for (let round = 0; round < 500; round += 1)
        await (worker % 2 === 0 ? makeFolder(path) : removeEmptyFolders(path, top)).catch((thrown: unknown) =>
          codes.add((thrown as NodeJS.ErrnoException).code),
        );
    }),
  );
  // What was made may be gone before its entry is flushed: `publish` begins again then.
  expect([...codes].filter((code) => code !== 'ENOENT')).toEqual([]);
});

it('a file in the way is told as one', async () => {
  mkdirSync(join(top, 'a'));
  writeFileSync(join(top, 'a', 'file'), 'x');
  await expect(makeFolder(join(top, 'a', 'file', 'b'))).rejects.toMatchObject({ code: 'ENOTDIR' });
});
