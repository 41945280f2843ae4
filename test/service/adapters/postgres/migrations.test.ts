import { createHash } from 'node:crypto';
import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { buffer } from 'node:stream/consumers';
import { sql } from 'kysely';
import { expect, onTestFinished, test } from 'vitest';
import { openDatabase, type Database } from '../../../../src/service/adapters/postgres/database/database.ts';
import { inPieces, numbered } from '../../../conformance/object-store.ts';
import { quietLog, useDatabases } from '../../../fixtures/service/database.ts';
import { migratorOf } from '../../../fixtures/service/migrator.ts';
import { createFilesHost, never, tokenOf } from '../../rules/files/host.ts';
import { slow } from '../../../fixtures/rounds.ts';

const databases = useDatabases();

/** A database as the version with that last migration left it. */
async function databaseAt(last: string): Promise<Database> {
  const url = await databases.emptyDatabase();
  const database = openDatabase({ url, log: quietLog });
  onTestFinished(() => database.close());
  const { error } = await migratorOf(database).migrateTo(last);
  expect(error).toBeUndefined();
  return database;
}

test('uploads in parts that were under way go on after the upgrade, and end as one file', slow, async () => {
  const database = await databaseAt('0002-job-contents');
  const { kysely } = database;
  const whole = numbered(25);
  const plan = { mode: 'multipart', partSizeBytes: 10, partCount: 3 };
  const insert = async (id: string, changes: { status?: string; objectKey?: string; mode?: string } = {}) => {
    const { status = 'awaiting_upload', objectKey = null, mode = plan.mode } = changes;
    await sql`insert into files (id, account_id, kind, status, filename, content_type, size_bytes, has_video, has_audio, upload, object_key, expires_at)
      values (${id}, 'acc_1', 'original', ${status}, 'talk.wav', 'audio/wav', ${whole.length}, false, false, ${JSON.stringify({ ...plan, mode })}::jsonb, ${objectKey}, now() + interval '1 hour')`.execute(
      kysely,
    );
  };
  await sql`insert into accounts (id, name, auto_refill) values ('acc_1', 'old', '{"enabled": false}')`.execute(kysely);
  await insert('file_UnderWay');
  await insert('file_NoPartYet');
  await insert('file_Joined', { status: 'processing', objectKey: 'originals/joined' });
  await insert('file_Single', { mode: 'single' });
  await sql`insert into file_parts (file_id, number, size_bytes) values ('file_UnderWay', 1, 10), ('file_UnderWay', 3, 5), ('file_Joined', 1, 10)`.execute(
    kysely,
  );

  await database.migrate();

  const host = await createFilesHost(await databases.freshStores(database));
  const { files } = host.stores;
  const mark = createHash('sha256').update('file_UnderWay').digest('hex').slice(0, 32);
  expect((await files.get('file_UnderWay'))?.uploadId).toBe(`uploads~${mark}`);
  for (const id of ['file_NoPartYet', 'file_Joined', 'file_Single']) expect((await files.get(id))?.uploadId).toBeNull();
  expect(await files.listParts('file_UnderWay')).toEqual([
    { number: 1, sizeBytes: 10, etag: '' },
    { number: 3, sizeBytes: 5, etag: '' },
  ]);

  // As the earlier version's store on disk left it.
  const folder = join(host.folder, 'objects', 'uploads', `uploads~${mark}`);
  mkdirSync(folder, { recursive: true });
  writeFileSync(join(folder, 'bytes'), Buffer.concat([whole.subarray(0, 10), Buffer.alloc(10), whole.subarray(20)]));
  for (const marker of ['part-1-0-10', 'part-3-20-5']) writeFileSync(join(folder, marker), '');

  const account = await host.stores.accounts.get('acc_1');
  if (account === null) throw new Error('The account is not there');
  for (const [id, parts] of [
    ['file_UnderWay', [2]],
    ['file_NoPartYet', [1, 2, 3]],
  ] as const) {
    const { multipart } = await host.files.name(account, id, { filename: 'talk.wav', sizeBytes: whole.length });
    const token = tokenOf(multipart?.completeUrl);
    await expect(host.files.completeUpload(token)).rejects.toMatchObject({
      details: { missingParts: parts },
    });
    for (const part of parts) {
      const bytes = whole.subarray((part - 1) * 10, part * 10);
      await host.files.acceptPart(token, part, inPieces(bytes), bytes.length, never);
    }
    const { status, objectKey } = await host.files.completeUpload(token);
    expect(status).toBe('processing');
    expect((await buffer(await host.objects.read(objectKey ?? ''))).equals(whole)).toBe(true);
  }
  expect(host.onDisk()).toHaveLength(2);
});

test('a job that runs while the free API arrives is settled as ordered, and old visitors keep their uses', async () => {
  const database = await databaseAt('0004-true-lengths');
  const { kysely } = database;
  await sql`insert into accounts (id, name, auto_refill, balance, reserved) values ('acc_1', 'old', '{"enabled": false}', 100, 10)`.execute(
    kysely,
  );
  const day = new Date().toISOString().slice(0, 10);
  const job = (id: string, account: string | null, price: number) =>
    sql`insert into jobs (id, account_id, free_subject, free_day, tool, status, inputs, options, free, price, billed_seconds, credits_per_minute, attempt, share_key, share_rank)
      values (${id}, ${account}, ${account ?? 'somebody'}, ${day}, 'remove_noise', 'running', '{"file_id": ["file_1"]}', '{}', ${price === 0}, ${price}, 600, 1, 1, 'x', 1)`.execute(
      kysely,
    );
  await job('job_Paid', 'acc_1', 10);
  await job('job_Free', null, 0);
  await sql`insert into ledger (id, account_id, kind, credits, reserved, balance, job_id) values ('led_1', 'acc_1', 'reserve', 0, 10, 100, 'job_Paid')`.execute(
    kysely,
  );
  await sql`insert into free_uses (subject, day, tool, taken) values ('somebody', ${day}, 'remove_noise', 2)`.execute(
    kysely,
  );

  await database.migrate();

  const stores = await databases.freshStores(database);
  const success = { outputs: [], result: {}, warnings: [], processedSeconds: 600, credits: 10 };
  expect(await stores.jobs.succeed('job_Paid', 1, success)).toBe(true);
  expect(await stores.accounts.get('acc_1')).toMatchObject({ balance: 90, reserved: 0 });
  // Ordered before there was a budget: nothing of it is given back.
  expect(await stores.jobs.fail('job_Free', 1, { code: 'no_audio', message: 'silent' })).toBe(true);
  expect(await stores.freeUses.taken({ id: 'somebody', day })).toEqual({ remove_noise: 1 });
  expect((await stores.freeRuns.overview(day, new Date())).seconds).toBe(0);
});
