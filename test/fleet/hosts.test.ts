// @module-tag nightly
// A fleet over hosts, under load, with one trouble after the other. Each night: `npm run test:soak -- test/fleet`, or
// `npx vitest run test/fleet`. The storm of all of them at once: `npm run chaos -- --hosts`.
import { createHash } from 'node:crypto';
import { setTimeout as sleep } from 'node:timers/promises';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { leaseSeconds } from '../../src/service/rules/fleet/fleet.ts';
import { loadConfig } from '../../src/service/rules/settings/config.ts';
import type { Reconciliation } from '../../src/service/rules/operator/reconciliation.ts';
import { type Fleet, startFleet } from '../fixtures/fleet/fleet.ts';
import { whyNoNetwork } from '../fixtures/fleet/network.ts';
import { rounds } from '../fixtures/rounds.ts';
import { seeded } from '../fixtures/random.ts';
import { needS3Program } from '../fixtures/s3/server.ts';
import { until } from '../fixtures/until.ts';
import { Load } from './load.ts';

const s3Program = needS3Program();
const reason = whyNoNetwork() ?? (s3Program === null ? 'versitygw is not installed' : null);
if (reason !== null) console.log(`skipped: hosts in network namespaces: ${reason}`);

describe.skipIf(reason !== null)('a fleet over hosts', () => {
  const seed = Date.now() % 1_000_000;
  console.log(`seed ${seed}`);
  let fleet: Fleet;
  let load: Load;
  let over = false;
  let ordering: Promise<void>;

  beforeAll(async () => {
    fleet = await startFleet({
      s3Program: s3Program ?? '',
      // Five minutes apart.
      clocks: { 'api-1': 150, 'api-2': -150, 'worker-1': -150, 'worker-2': 150 },
      flags: ['--job-attempts=10'],
      credits: 10_000,
    });
    load = new Load(fleet, seeded(seed));
    await load.upload();
    ordering = load.order(
      10_000,
      () => {},
      () => over,
    );
    // It is awaited below.
    ordering.catch(() => undefined);
  });
  afterAll(async () => {
    over = true;
    await ordering?.catch(() => undefined);
    await fleet?.close();
  });

  /** So many more jobs come to their end. */
  const goesOn = async (more = 5): Promise<void> => {
    const before = load.seen.size;
    await until(`${more} more jobs have ended`, () => load.seen.size >= before + more);
  };
  const runningOn = (name: string) =>
    fleet.database.query<{ id: string; attempt: number }>(
      `select id, attempt from jobs where status = 'running' and worker_id like $1`,
      [`${name}-%`],
    );

  const reconcile = async (...words: readonly string[]): Promise<Reconciliation> =>
    JSON.parse(await fleet.command('database', 'reconcile', '--json', ...words)) as Reconciliation;

  it('a worker that is cut off and comes back settles late, and changes nothing', async () => {
    await goesOn();
    const worker = fleet.network.host('worker-1');
    let cut: readonly { readonly id: string; readonly attempt: number }[] = [];
    await until('worker-1 runs jobs', async () => (cut = await runningOn('worker-1')).length > 0);
    worker.cutOff();
    await sleep(1000 * (leaseSeconds + 2));
    // Whatever it had settled before is its own.
    await until('others have its jobs, or have ended them', async () => {
      const rows = await fleet.database.query<{ id: string; attempt: number; status: string }>(
        'select id, attempt, status from jobs where id = any($1)',
        [cut.map(({ id }) => id)],
      );
      return cut.every(({ id, attempt }) =>
        rows.some((row) => row.id === id && (row.attempt > attempt || row.status !== 'running')),
      );
    });
    worker.mend();
    await until('it has dropped what it had', () =>
      /was taken over by another worker/.test(fleet.parts['worker-1'].output()),
    );
    await goesOn();
    const charges = await fleet.database.query<{ charges: number }>(
      `select count(*)::int as charges from ledger where kind = 'charge' group by job_id having count(*) > 1`,
    );
    expect(charges).toEqual([]);
  });

  it('a database that is killed is started again', async () => {
    await fleet.database.crash();
    await sleep(2000);
    await fleet.database.start();
    await goesOn();
  });

  it('a dump that holds the oldest rows does not stop the queue', async () => {
    const endDump = await fleet.database.holdXmin();
    await goesOn(10);
    const [held] = await fleet.database.query<{ held: number }>(
      "select count(*)::int as held from pg_stat_activity where backend_xmin is not null and state = 'idle in " +
        "transaction'",
    );
    expect(held?.held).toBeGreaterThan(0);
    await endDump();
  });

  it('a store that is busy for a minute, and slow for another, fails no job', async () => {
    const longMs = 1000 * rounds(20, 60);
    await fleet.store.be('busy');
    await sleep(longMs);
    await fleet.store.be('slow');
    await sleep(longMs);
    await fleet.store.be('well');
    await goesOn();
    const failed = await fleet.database.query(`select id, error from jobs where status = 'failed'`);
    expect(failed).toEqual([]);
  });

  it('clocks five minutes apart give files their full time, and no more', async () => {
    const rows = await fleet.database.query<{ id: string; seconds: number }>(
      `select id, extract(epoch from expires_at - clock_timestamp())::float8 as seconds from files where status = 'ready'
       order by created_at desc limit 100`,
    );
    const { retentionSeconds } = loadConfig({});
    const [youngest] = await fleet.database.query<{ age: number }>(
      `select extract(epoch from clock_timestamp() - min(created_at))::float8 as age from jobs`,
    );
    for (const { id, seconds } of rows) {
      expect(seconds, id).toBeLessThan(retentionSeconds + 5);
      expect(seconds, id).toBeGreaterThan(retentionSeconds - (youngest?.age ?? 0) - 30);
    }
  });

  it('what a replica missed is found by its outputs, and runs again', async () => {
    load.deletes = false;
    await goesOn();
    const replica = await fleet.database.replicate(fleet.network.host('db-2'));
    const [primaryHost, replicaHost] = [fleet.network.host('db-1'), fleet.network.host('db-2')];
    replicaHost.cutOff();
    const cutAt = new Date();
    const before = new Set(load.seen.keys());
    await sleep(1000);
    const succeededSince = (): string[] =>
      [...load.seen.values()].filter(({ id, status }) => !before.has(id) && status === 'succeeded').map(({ id }) => id);
    await until('jobs have succeeded since', () => succeededSince().length >= 3);
    primaryHost.cutOff();
    await fleet.database.crash();
    const seen = new Map(load.seen);
    await replica.promote();
    load.database = replica;
    replicaHost.mend();
    replicaHost.takeAddress(primaryHost.address);

    const kept = new Set(
      (await replica.query<{ id: string }>(`select source_job_id as id from files where kind = 'output'`)).map(
        ({ id }) => id,
      ),
    );
    const lost = succeededSince().filter((id) => seen.has(id) && !kept.has(id));
    expect(lost.length).toBeGreaterThan(0);
    // The store's clock is this machine's; a listing has whole seconds.
    const found = await reconcile('--since', new Date(cutAt.getTime() - 2000).toISOString());
    for (const id of lost) {
      const folder = createHash('sha256').update(id).digest('hex').slice(0, 32);
      const output = found.unrecorded.find(({ key }) => key.startsWith(`outputs/${folder}/`));
      expect(output, id).toBeDefined();
      expect(['unknown_job', 'not_settled', 'left_over']).toContain(output?.means);
    }
    expect(found.books).toEqual({ accounts: [], charges: [], held: [] });
    expect(found.missing).toEqual([]);
    over = true;
    await ordering;
    await load.lookAgain();
  });

  it('all jobs have ended, each is charged once, outputs are whole and deleted ones gone', async () => {
    over = true;
    await ordering;
    const { jobs, filesChecked } = await load.reckon();
    console.log(JSON.stringify({ jobs, filesChecked, deleted: load.deleted.size, forgotten: load.forgotten.length }));
    expect(jobs['failed'] ?? 0).toBe(0);
    const { books, missing } = await reconcile();
    expect({ books, missing }).toEqual({ books: { accounts: [], charges: [], held: [] }, missing: [] });
  });
});
