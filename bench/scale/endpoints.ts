// What requests read and write, with many rows: p99 of the stores' calls behind the endpoints, and their plans.
import { sql } from 'kysely';
import { newEmptyJob } from './empty-job.ts';
import { ms, openScaleDatabase, quantile, type ScaleDatabase } from './progress.ts';

const accountsOfBench = 1000;

/** @param jobs rows of ended jobs; the ledger gets two for each */
export async function measureEndpoints(jobs: number): Promise<void> {
  await using scale = await openScaleDatabase(4);
  const began = performance.now();
  await fill(scale, jobs);
  const { database, stores } = scale;
  const { rows } = await sql<{
    bytes: string;
  }>`select pg_size_pretty(pg_database_size(current_database())) as bytes`.execute(database.kysely);
  console.log(
    `\n${jobs} jobs and ${2 * jobs} ledger rows, ${rows[0]?.bytes}, made in ${Math.round((performance.now() - began) / 1000)} s`,
  );
  const account = (n: number): string => `acc_${n % accountsOfBench}`;
  const job = (n: number): string => `job_${(n * 7919) % jobs}`;
  const page = { cursor: null, limit: 20 };
  const calls: Readonly<Record<string, (n: number) => Promise<unknown>>> = {
    'GET /jobs/{id}': (n) => stores.jobs.getSummary(job(n)),
    'GET /jobs': (n) => stores.jobs.list(account(n), { tool: null }, page),
    'GET /jobs?tool=': (n) => stores.jobs.list(account(n), { tool: 'cut_audio' }, page),
    'GET /account/ledger': (n) => stores.ledger.list(account(n), page, true),
    'GET /account': (n) => stores.accounts.get(account(n)),
    'GET /files': (n) => stores.files.list(account(n), { kind: null }, page),
    'POST /jobs': (n) =>
      stores.jobs.create({ ...newEmptyJob(account(n)), idempotency: { key: `bench ${n}`, requestHash: 'x' } }),
    '/metrics, jobs': () => stores.jobs.counts(),
  };
  console.log('| behind | median | p99 | slowest |');
  console.log('|---|---|---|---|');
  for (const [name, call] of Object.entries(calls)) {
    const times: number[] = [];
    for (let n = 0; n < 300; n += 1) {
      const at = performance.now();
      await call(n);
      times.push(performance.now() - at);
    }
    console.log(`| ${name} | ${ms(quantile(times, 0.5))} | ${ms(quantile(times, 0.99))} | ${ms(Math.max(...times))} |`);
  }
  await printPlans(scale);
}

async function fill({ urls, database }: ScaleDatabase, jobs: number): Promise<void> {
  const { openDatabase } = await import('../../src/service/adapters/postgres/database.ts');
  const owner = openDatabase({ url: urls.ownerUrl, log: { info() {}, warn() {}, error() {} }, maxConnections: 1 });
  const { kysely } = owner;
  try {
    await sql`set statement_timeout = 0`.execute(kysely);
    await sql`set synchronous_commit = off`.execute(kysely);
    await sql`insert into accounts (id, name, balance, auto_refill)
      select 'acc_' || n, 'bench', 1000000, '{"enabled": false}' from generate_series(0, ${sql.lit(accountsOfBench - 1)}) as n`.execute(
      kysely,
    );
    const step = 1_000_000;
    for (let from = 0; from < jobs; from += step) {
      const to = Math.min(jobs, from + step) - 1;
      await sql`insert into jobs (id, account_id, free_subject, free_day, tool, status, inputs, options, free, price, attempt,
          progress, stage, processed_seconds, share_key, share_rank, created_at, started_at, finished_at)
        select 'job_' || n, 'acc_' || n % ${sql.lit(accountsOfBench)}, 'acc', '2026-11-21',
          (array['remove_noise', 'cut_audio', 'adjust_loudness'])[1 + n % 3], 'succeeded',
          '{"file_id": ["file_1"]}', '{}', false, 1, 1, 1, 'done', 60, 'acc_' || n % ${sql.lit(accountsOfBench)}, 1,
          now() - n * interval '1 second', now() - n * interval '1 second', now() - n * interval '1 second'
        from generate_series(${sql.lit(from)}, ${sql.lit(to)}) as n`.execute(kysely);
      await sql`insert into ledger (id, account_id, kind, credits, reserved, balance, job_id, created_at)
        select 'led_' || n || '_' || kind, 'acc_' || n % ${sql.lit(accountsOfBench)}, kind, credits, reserved, 1000000,
          'job_' || n, now() - n * interval '1 second'
        from generate_series(${sql.lit(from)}, ${sql.lit(to)}) as n,
          (values ('reserve', 0, 1), ('charge', -1, -1)) as moves (kind, credits, reserved)`.execute(kysely);
    }
    await sql`vacuum analyze jobs, ledger, accounts`.execute(kysely);
  } finally {
    await owner.close();
  }
  await database.ping();
}

/** The statements behind lists and lookups, as the server carries them out. */
async function printPlans({ database }: ScaleDatabase): Promise<void> {
  const statements: Readonly<Record<string, ReturnType<typeof sql>>> = {
    'a job': sql`select * from jobs where id = 'job_7'`,
    'a page of jobs': sql`select id from jobs where account_id = 'acc_7' order by created_at desc, id desc limit 21`,
    'a page of one tool': sql`select id from jobs where account_id = 'acc_7' and tool = 'cut_audio'
      order by created_at desc, id desc limit 21`,
    'a page of the ledger': sql`select id from ledger where account_id = 'acc_7' and credits <> 0
      order by position desc limit 21`,
    'jobs of an account that are open': sql`select count(*) from jobs where account_id = 'acc_7' and status in ('queued', 'running')`,
    'the front of the fair queue': sql`select min(share_rank) from jobs where status = 'queued'`,
    'contents that are over': sql`select id from jobs where finished_at <= now() - interval '1 day' and finished_at is not null
      and (options <> '{}'::jsonb or result is not null) limit 1000`,
    'rows that are over': sql`select id from jobs where finished_at < now() - interval '365 days' limit 1000`,
  };
  for (const [name, statement] of Object.entries(statements)) {
    const { rows } = await sql<{
      'QUERY PLAN': string;
    }>`explain (analyze, costs off, timing off, summary off, buffers off) ${statement}`.execute(database.kysely);
    console.log(`\n${name}:\n${rows.map((row) => `  ${Object.values(row).join('')}`).join('\n')}`);
  }
}
