// The tests of what is native, with the addon that cross.mjs builds for this system in place of the one that was built
// here (`npm run test:cross`). Arguments are test files to run instead.
import { spawnSync } from 'node:child_process';
import { cpSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { copyForTests } from '../copy-for-tests.mjs';
import { crossBuild } from './cross.mjs';
import { ownPlatform } from './platform.mjs';

const root = fileURLToPath(new URL('../..', import.meta.url));
const copy = join(root, 'build/cross-tests/project');
const folders = ['test/library/kernels', 'test/library/pcm', 'test/library/dsp'];
const built = await crossBuild(ownPlatform);
copyForTests(copy, folders);
cpSync(built, join(copy, 'prebuilt'), { recursive: true });
const given = process.argv.slice(2);
const { status } = spawnSync(
  process.execPath,
  [join(root, 'node_modules/vitest/vitest.mjs'), 'run', '--root', copy, ...(given.length > 0 ? given : folders)],
  { cwd: copy, stdio: 'inherit' },
);
process.exit(status ?? 1);
