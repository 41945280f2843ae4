import { openDatabase } from '../../../../src/service/adapters/postgres/database/database.ts';
import { createWorkQueue } from '../../../../src/service/adapters/queue/work-queue.ts';
import { createLease } from '../../../fixtures/service/lease.ts';
import { quietLog } from '../../../fixtures/service/quiet-log.ts';

/** A worker that takes jobs, says so, and never finishes one. Arguments: database URL, slots. */
const [url = '', slots = '1'] = process.argv.slice(2);
const database = openDatabase({ url, log: quietLog });
const queue = createWorkQueue(database, createLease(database));
await queue.work('job', Number(slots), async (id) => {
  process.stdout.write(`${id}\n`);
  await new Promise((resolve) => {
    setTimeout(resolve, 3_600_000);
  });
});
