// A worker whose tool does nothing. Argument: address of the database.
import { openDatabase } from '../../src/service/adapters/postgres/database/database.ts';
import { createHeartbeat } from '../../src/service/adapters/postgres/shared/heartbeat.ts';
import { createPostgresStores } from '../../src/service/adapters/postgres/stores.ts';
import { createEnqueuer } from '../../src/service/adapters/queue/enqueue.ts';
import { createWorkQueue } from '../../src/service/adapters/queue/work-queue.ts';
import { newWorkerId } from '../../src/service/rules/worker/worker.ts';

const log = { info() {}, warn() {}, error() {} };
const database = openDatabase({ url: process.argv[2] ?? '', log, maxConnections: 2 });
const id = newWorkerId();
const facts = { id, host: 'bench', version: '0', roles: ['worker'], labels: [], slots: 16, connections: 4 } as const;
const heartbeat = createHeartbeat(database, { ...facts, build: '', models: [] }, () => ({ running: 0, load: 0 }));
const { jobs } = createPostgresStores(database, await createEnqueuer(database));
const queue = createWorkQueue(database, heartbeat);
await queue.work('job', 16, async (job) => {
  const turn = await jobs.turn(job, id);
  const started = turn === null ? null : await jobs.start(job, id, 3, turn.attempt);
  if (started === null) return;
  const outcome = { outputs: [], result: {}, warnings: [], processedSeconds: 60, credits: 1 };
  await jobs.succeed(job, started.attempt, outcome);
});
process.send?.('ready');
process.once('SIGTERM', () => process.exit(0));
