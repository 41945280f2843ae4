// A copy of the sources and of some tests, to be tried with another addon than this checkout's: so the ordinary one
// stays as it is, and the library needs no way to be told of another.
import { cpSync, existsSync, mkdirSync, rmSync, symlinkSync } from 'node:fs';
import { dirname, join, resolve } from 'node:path';
import { fileURLToPath } from 'node:url';

const root = dirname(dirname(fileURLToPath(import.meta.url)));
const ofProject = ['package.json', 'tsconfig.json', 'vitest.config.ts', 'binding.gyp', 'native', 'src', 'models'];
const ofTests = ['sharing.ts', 'slow-first.ts', 'run-folder.ts', 'fixtures', 'recordings'];

/**
 * @param copy the folder, which is emptied first
 * @param more what else is copied: "test/library/kernels", "scripts/build-native.mjs"
 */
export function copyForTests(copy, more) {
  rmSync(copy, { recursive: true, force: true });
  mkdirSync(copy, { recursive: true });
  for (const name of [...ofProject, ...ofTests.map((each) => join('test', each)), ...more])
    if (existsSync(join(root, name))) cpSync(join(root, name), join(copy, name), { recursive: true });
  // The recordings that tests look for beside the checkout; those tests say so themselves where there are none.
  const recordings = resolve(root, '..', 'shared');
  const link = join(dirname(copy), 'shared');
  rmSync(link, { force: true });
  if (existsSync(recordings)) symlinkSync(recordings, link);
}
