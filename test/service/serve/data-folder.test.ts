import { mkdirSync, mkdtempSync, rmSync, statSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, expect, it } from 'vitest';
import { makeDataFolder } from '../../../src/service/serve/service-data.ts';
import { quietLog } from '../../fixtures/service/quiet-log.ts';

const folder = mkdtempSync(join(tmpdir(), 'earshot-data-'));
afterAll(() => rmSync(folder, { recursive: true }));

it('a new data folder is its user’s alone, also where modes mean nothing; an old one is left as it is', async () => {
  const taken: string[] = [];
  const make = (path: string): Promise<void> =>
    makeDataFolder(path, quietLog, async (each) => {
      taken.push(each);
    });
  const fresh = join(folder, 'a', 'data');
  await make(fresh);
  await make(fresh);
  expect(statSync(fresh).mode & 0o777).toBe(0o700);
  const theirs = join(folder, 'theirs');
  mkdirSync(theirs);
  await make(theirs);
  expect(taken).toEqual([fresh]);
});
