import { mkdtemp, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { openStartupLog } from '../../../../../src/service/adapters/postgres/embedded/embedded-sockets.ts';

test('two starts at the same time do not write over each other’s lines', async () => {
  const folder = await mkdtemp(join(tmpdir(), 'earshot-startup-log-'));
  try {
    const path = join(folder, 'startup.log');
    const [one, other] = [await openStartupLog(path), await openStartupLog(path)];
    await one.write('FATAL:  lock file "postmaster.pid" already exists\n');
    await other.write('LOG:  redirecting\n');
    await one.close();
    await other.close();
    expect(await readFile(path, 'utf8')).toBe('FATAL:  lock file "postmaster.pid" already exists\nLOG:  redirecting\n');
    await (await openStartupLog(path)).close();
    expect(await readFile(path, 'utf8')).toBe('');
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
});
