// @module-tag nightly
import { execFile } from 'node:child_process';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { expect, it } from 'vitest';
import { root } from './pages.ts';

it('the picture of the README is what its script makes', async () => {
  const made = promisify(execFile)(process.execPath, [join(root, 'scripts/write-picture.ts'), '--check']);
  await expect(made).resolves.toBeDefined();
});
