// What all test files of a run share, and what becomes of it: vitest's global set-up.
import { chmodSync, existsSync, mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import type { TestProject } from 'vitest/node';
import { quickFolder } from './fixtures/quick-folder.ts';

declare module 'vitest' {
  export interface ProvidedContext {
    /** See test/fixtures/service/database-server.ts. */
    databaseFolder: string;
  }
}

/**
 * A folder for temporary files that is gone after the run: processes of test files are ended from outside, so that what
 * they wanted to remove at their end would stay.
 */
export function setup({ provide }: TestProject): () => Promise<void> {
  const folder = mkdtempSync(join(tmpdir(), 'earshot-tests-'));
  // As /tmp: a database that is not to run as root runs as another user.
  chmodSync(folder, 0o1777);
  process.env['TMPDIR'] = folder;
  const databaseFolder = mkdtempSync(join(quickFolder(), 'earshot-tests-database-'));
  chmodSync(databaseFolder, 0o1777);
  provide('databaseFolder', databaseFolder);
  const pidFile = join(databaseFolder, 'postgres', 'postmaster.pid');
  const endDatabase = (): void => {
    try {
      process.kill(Number(readFileSync(pidFile, 'utf8').split('\n')[0]), 'SIGQUIT');
    } catch {
      // Nobody needed it, or it has ended.
    }
  };
  // When this process ends without its hooks.
  const atExit = (): void => {
    endDatabase();
    for (const each of [folder, databaseFolder]) rmSync(each, { recursive: true, force: true, maxRetries: 3 });
  };
  process.once('exit', atExit);
  return async () => {
    endDatabase();
    for (let tries = 0; existsSync(pidFile) && tries < 100; tries += 1) await sleep(50);
    for (const each of [folder, databaseFolder]) await rm(each, { recursive: true, force: true, maxRetries: 3 });
    process.off('exit', atExit);
  };
}
