// The service behind PgBouncer in transaction mode, with a direct address beside it.
import { sql } from 'kysely';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { openDatabase, type Database } from '../../../../../src/service/adapters/postgres/database/database.ts';
import { createPostgresStores } from '../../../../../src/service/adapters/postgres/stores.ts';
import { createLeadership } from '../../../../../src/service/adapters/postgres/shared/leadership.ts';
import { createEnqueuer } from '../../../../../src/service/adapters/queue/enqueue.ts';
import { createWorkQueue } from '../../../../../src/service/adapters/queue/work-queue.ts';
import { addUp } from '../../../../../src/service/commands/fleet-doctor.ts';
import { createLease, useDatabases } from '../../../../fixtures/service/database.ts';
import { findPgBouncer, startPgBouncer, type Pooler } from '../../../../fixtures/service/pgbouncer.ts';
import { quietLog } from '../../../../fixtures/service/quiet-log.ts';
import { newAccount, newJob, paid } from '../../../../fixtures/service/rows.ts';
import { until } from '../../../../fixtures/until.ts';

const program = findPgBouncer();
if (program === null) console.log('skipped: pgbouncer is not installed (apt-get install pgbouncer)');
const databases = useDatabases();

describe.skipIf(program === null)('behind a pooler in transaction mode', () => {
  let pooler: Pooler;
  let database: Database;
  let direct: string;
  beforeAll(async () => {
    ({ url: direct } = await databases.freshDatabase());
    // Two sessions: the next statement of a client is soon in another one.
    pooler = await startPgBouncer(program ?? '', direct, 2);
    database = openDatabase({ url: pooler.urlOf(direct), directUrl: direct, log: quietLog, maxConnections: 2 });
  });
  afterAll(async () => {
    await database?.close();
    await pooler?.stop();
  });

  test('jobs run and are charged, changes are heard, progress is written, one process leads', async () => {
    const enqueuer = await createEnqueuer(database);
    const stores = createPostgresStores(database, enqueuer);
    const lease = createLease(database);
    const queue = createWorkQueue(database, lease);
    const account = await newAccount(stores, 100);
    const attempts = new Map<string, number>();
    await queue.work('job', 4, async (id) => {
      const job = await stores.jobs.start(id, lease.workerId, 3);
      attempts.set(id, (attempts.get(id) ?? 0) + 1);
      const report = { progress: 0.5, stage: 'half', estimatedSecondsLeft: null };
      expect(await lease.report(id, job?.attempt ?? 0, report)).toEqual({ current: true, cancelRequested: false });
      const done = { outputs: [], result: {}, warnings: [], processedSeconds: 60, credits: 2 };
      expect(await stores.jobs.succeed(id, job?.attempt ?? 0, done)).toBe(true);
    });
    await database.listener.connected();
    const ids = await Promise.all(
      Array.from({ length: 12 }, async () => (await stores.jobs.create(newJob(account.id, paid(2)))).job.id),
    );
    const heard = stores.changes.next(ids.at(-1) ?? '', 30_000);
    await until('all have ended', async () => (await stores.jobs.counts()).succeeded === 12);
    await heard;
    expect([...attempts.values()]).toEqual(Array.from({ length: 12 }, () => 1));
    expect(await stores.accounts.get(account.id)).toMatchObject({ balance: 76, reserved: 0 });
    expect(await createLeadership(database, lease.workerId).lead()).not.toBeNull();
    await queue.stop(0);
    await lease.stop();
    await stores.close();
    await enqueuer.close();
  });

  test('the doctor adds up: behind the pooler only the listening connections count', () => {
    const fleet = [
      ...Array.from({ length: 4 }, () => ({ roles: ['api'], connections: 18 })),
      ...Array.from({ length: 50 }, () => ({ roles: ['worker'], connections: 4 })),
    ];
    const allowed = { most: 100, reserved: 3, open: 10 };
    expect(addUp(fleet, allowed, false)).toMatchObject({ state: 'broken', facts: { direct: 278, throughPooler: 0 } });
    expect(addUp(fleet, allowed, true)).toMatchObject({ state: 'limited', facts: { direct: 60, throughPooler: 218 } });
    expect(addUp(fleet.slice(0, 10), allowed, true)).toMatchObject({ state: 'fine', facts: { apis: 4, workers: 6 } });
  });

  test('the role keeps the limits of a statement that the pooler does not pass on', async () => {
    const { rows } = await sql<{ limit: string }>`select current_setting('statement_timeout') as limit`.execute(
      database.kysely,
    );
    expect(rows).toEqual([{ limit: '1min' }]);
  });
});
