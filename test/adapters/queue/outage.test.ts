import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { expect, test } from 'vitest';
import { openDatabase } from '../../../src/adapters/postgres/database.ts';
import { startEmbeddedPostgres } from '../../../src/adapters/postgres/embedded.ts';
import { createPostgresStores } from '../../../src/adapters/postgres/stores.ts';
import { createEnqueuer } from '../../../src/adapters/queue/enqueue.ts';
import { createWorkQueue } from '../../../src/adapters/queue/work-queue.ts';
import { quietLog } from '../../fixtures/service/quiet-log.ts';
import { newAccount, newJob, paid } from '../../fixtures/service/rows.ts';

test('a kill -9 of the database under a worker: nothing runs twice at a time, and work goes on with the next server', async () => {
  const folder = await mkdtemp(join(tmpdir(), 'earshot-outage-'));
  const options = { dataDir: join(folder, 'postgres'), log: quietLog, settings: { fsync: 'off' } };
  let server = await startEmbeddedPostgres(options);
  const database = openDatabase({ ...server, log: quietLog });
  await database.migrate();
  const enqueuer = await createEnqueuer(database.url, quietLog);
  const stores = createPostgresStores(database, enqueuer);
  const queue = createWorkQueue(database);
  try {
    const { id: accountId } = await newAccount(stores, 100);
    const create = async (): Promise<string> => (await stores.jobs.create(newJob(accountId, paid(1)))).job.id;
    const long = await create();
    const active: string[] = [];
    const calls: string[] = [];
    let mostAtOnce = 0;
    await queue.work('job', 2, async (id) => {
      calls.push(id);
      active.push(id);
      mostAtOnce = Math.max(mostAtOnce, active.filter((each) => each === id).length);
      if (id === long && calls.filter((each) => each === long).length === 1) await sleep(10_000);
      active.splice(active.indexOf(id), 1);
    });
    while (!calls.includes(long)) await sleep(5);

    const exit = new Promise((resolve) => server.onExit(resolve));
    process.kill(server.pid, 'SIGKILL');
    await exit;
    await expect(create()).rejects.toMatchObject({
      code: 'internal_error',
      message: 'The database cannot be reached at the moment',
    });
    // Longer than a heartbeat: to the queue the worker looks dead.
    await sleep(6500);
    server = await startEmbeddedPostgres(options);
    const next = await create();
    const began = performance.now();
    while (!calls.includes(next)) {
      await sleep(5);
      expect(performance.now() - began).toBeLessThan(8000);
    }
    while (active.length > 0) await sleep(5);
    expect(mostAtOnce).toBe(1);
  } finally {
    await queue.stop(0);
    await stores.close();
    await enqueuer.close();
    await database.close();
    await server.stop();
    await rm(server.socketDir, { recursive: true, force: true });
    await rm(folder, { recursive: true, force: true, maxRetries: 3 });
  }
});
