import { createHash } from 'node:crypto';
import { Readable } from 'node:stream';
import { expect, it } from 'vitest';
import { sql } from 'kysely';
import { newId } from '../../../../../src/service/rules/shared/ids.ts';
import { reconcile } from '../../../../../src/service/rules/operator/reconciliation.ts';
import { createMemoryObjects } from '../../../../conformance/memory-object-store.ts';
import { useDatabases } from '../../../../fixtures/service/database.ts';
import { newEmptyJob } from '../../../../../bench/scale/empty-job.ts';

const databases = useDatabases();
const folderOf = (jobId: string): string => `outputs/${createHash('sha256').update(jobId).digest('hex').slice(0, 32)}`;

it('names what a database that lost its last moments no longer knows, and books that are not right', async () => {
  const { jobs, files, accounts, ledger, reconciliation, database } = await databases.freshStores();
  const objects = createMemoryObjects();
  const put = (key: string) => objects.write(key, Readable.from(['bytes']), { maxBytes: 10 });
  const accountId = newId('acc');
  await accounts.create({ id: accountId, name: 'one', oauthSubject: null });
  await ledger.post({ accountId, kind: 'grant', credits: 10, note: null });
  const started = async (): Promise<string> => {
    const { job } = await jobs.create(newEmptyJob(accountId));
    await jobs.start(job.id, 'worker', 3);
    return job.id;
  };
  const output = (jobId: string, objectKey: string) => ({
    id: newId('file'),
    accountId,
    kind: 'output' as const,
    status: 'ready' as const,
    filename: 'out.wav',
    contentType: 'audio/wav',
    format: 'wav',
    durationSeconds: 1,
    hasVideo: false,
    hasAudio: true,
    media: null,
    upload: null,
    importHash: null,
    sourceJobId: jobId,
    objectKey,
    sizeBytes: 5,
    sha256: null,
    createdAt: new Date(),
    expiresAt: new Date(Date.now() + 86_400_000),
  });
  const [settled, running, retried] = [await started(), await started(), await started()];
  const keys = {
    settled: `${folderOf(settled)}/1-aaaaaaaa-0`,
    running: `${folderOf(running)}/1-bbbbbbbb-0`,
    // Its start is lost, too.
    ahead: `${folderOf(retried)}/2-cccccccc-0`,
    dropped: `${folderOf(settled)}/1-dddddddd-0`,
    unknown: `${folderOf('job_lost')}/1-eeeeeeee-0`,
    upload: 'originals/0123',
  };
  for (const key of Object.values(keys)) await put(key);
  const success = { result: {}, warnings: [], processedSeconds: 60, credits: 1 };
  await jobs.succeed(settled, 1, {
    ...success,
    outputs: [output(settled, keys.settled), output(settled, 'outputs/gone')],
  });

  const found = await reconcile(reconciliation, files, objects, null);
  const means = Object.fromEntries(found.unrecorded.map((each) => [each.key, [each.means, each.jobId]]));
  expect(means).toEqual({
    [keys.running]: ['not_settled', running],
    [keys.ahead]: ['not_settled', retried],
    [keys.dropped]: ['left_over', settled],
    [keys.unknown]: ['unknown_job', null],
    [keys.upload]: ['upload', null],
  });
  expect(found.objects).toBe(6);
  expect(found.missing).toMatchObject([{ jobId: settled, key: 'outputs/gone' }]);
  expect(found.books).toEqual({ accounts: [], charges: [], held: [] });
  expect((await reconcile(reconciliation, files, objects, new Date(Date.now() + 1000))).unrecorded).toEqual([]);

  // What no code of ours does.
  const owner = databases.asOwner(database);
  await sql`update accounts set balance = balance + 5`.execute(owner.kysely);
  await sql`update jobs set status = 'cancelled', finished_at = now() where id = ${running}`.execute(owner.kysely);
  await sql`update jobs set status = 'cancelled', finished_at = now() where id = ${settled}`.execute(owner.kysely);
  const { books } = await reconcile(reconciliation, files, objects, null);
  expect(books).toEqual({
    accounts: [{ accountId, balance: 14, ledgerBalance: 9, reserved: 2, ledgerReserved: 2 }],
    charges: [{ jobId: settled, status: 'cancelled', charges: 1 }],
    held: [{ jobId: running, status: 'cancelled' }],
  });
});
