// @module-tag slow
import { execFile } from 'node:child_process';
import { promisify } from 'node:util';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { restoreTables } from '../../../src/service/adapters/postgres/database/table-rows.ts';
import { migrations } from '../../../src/service/adapters/postgres/migrations/index.ts';
import { mainPath } from '../../fixtures/built/main-path.ts';
import { type SmallS3, startSmallS3 } from '../../fixtures/s3/small-server.ts';
import { useDatabases } from '../../fixtures/service/database.ts';

const { emptyDatabase } = useDatabases();
let bucket: SmallS3;
beforeAll(async () => {
  bucket = await startSmallS3();
});
afterAll(() => bucket.stop());

const earshot = async (...args: readonly string[]): Promise<{ readonly code: number; readonly text: string }> =>
  promisify(execFile)(process.execPath, [mainPath, ...args], {
    env: {
      ...process.env,
      EARSHOT_S3_ENDPOINT: bucket.endpoint,
      EARSHOT_S3_ACCESS_KEY_ID: 'id',
      EARSHOT_S3_SECRET_ACCESS_KEY: 'secret',
    },
  }).then(
    ({ stdout }) => ({ code: 0, text: stdout }),
    (thrown: { code: number; stderr: string }) => ({ code: thrown.code, text: thrown.stderr }),
  );

it('a back-up goes into a bucket under a name with the time, and comes back from there', async () => {
  const [from, to] = [await emptyDatabase(), await emptyDatabase()];
  const kept = { migrations: Object.keys(migrations), async *tables() {} };
  await restoreTables(from, kept, () => Promise.resolve());
  const flags = ['--without-files', '--json', '--database-url', from];
  expect(await earshot('backup', 's3://bucket/one.tar', ...flags)).toMatchObject({
    code: 2,
    text: expect.stringContaining('Expected a folder of a bucket, with / at its end') as string,
  });
  const made = await earshot('backup', 's3://bucket/earshot/', ...flags);
  expect(made).toMatchObject({ code: 0 });
  const { archive, rows } = JSON.parse(made.text) as { readonly archive: string; readonly rows: number };
  expect(archive).toMatch(/^s3:\/\/bucket\/earshot\/earshot-\d{4}-\d\d-\d\dT[\d-]+Z\.tar$/);
  const restored = await earshot('restore', archive, '--json', '--database-url', to);
  expect(restored).toMatchObject({ code: 0 });
  expect(JSON.parse(restored.text)).toMatchObject({ rows, objects: null });
  expect((await earshot('restore', 's3://bucket/none.tar', '--database-url', to)).text).toContain('There is no s3://');
});
