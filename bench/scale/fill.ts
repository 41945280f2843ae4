// Years of use as rows, made by SQL: ended jobs, and a ledger of several rows for each.
import { sql } from 'kysely';
import { openDatabase, type Database } from '../../src/service/adapters/postgres/database/database.ts';

export interface Rows {
  /** Ended jobs; each has a reservation and a charge in the ledger. */
  readonly jobs: number;
  /** Of the ledger, at least twice the jobs; the others are adjustments by one credit. */
  readonly ledger: number;
  /** An account that has a tenth of all rows; a thousand others share the rest. */
  readonly accountId: string;
}

const accounts = 1000;
/** Rows in one statement. */
const step = 1_000_000;

const quiet = { info() {}, warn() {}, error() {} };

/** @param ownerUrl of a database that has its tables */
export async function fillTables(ownerUrl: string, { jobs, ledger, accountId }: Rows): Promise<void> {
  const owner = openDatabase({ url: ownerUrl, log: quiet, maxConnections: 1 });
  const { kysely } = owner;
  const run = async (statement: string): Promise<void> => {
    await sql.raw(statement).execute(kysely);
  };
  const account = `case when n % 10 = 0 then '${accountId}' else 'acc_' || n % ${accounts} end`;
  try {
    for (const setting of [
      'statement_timeout = 0',
      'idle_in_transaction_session_timeout = 0',
      "maintenance_work_mem = '1GB'",
    ])
      await run(`set ${setting}`);
    await run(`set synchronous_commit = off`);
    await run(`insert into accounts (id, name, balance, auto_refill)
      select 'acc_' || n, 'bench', 1000000, '{"enabled": false}' from generate_series(0, ${accounts - 1}) as n`);
    await withoutIndexes(owner, 'jobs', async () => {
      for (let from = 0; from < jobs; from += step)
        await run(`insert into jobs (id, account_id, free_subject, free_day, tool, status, inputs, options, free, price,
            attempt, progress, stage, processed_seconds, share_key, share_rank, created_at, started_at, finished_at)
          select 'job_bench' || n, ${account}, 'acc', '2026-11-21',
            (array['remove_noise', 'cut_audio', 'adjust_loudness'])[1 + n % 3], 'succeeded',
            '{"file_id": ["file_1"]}', '{}', false, 1, 1, 1, 'done', 60, ${account}, 1,
            now() - n * interval '1 second', now() - n * interval '1 second', now() - n * interval '1 second'
          from generate_series(${from}, ${Math.min(jobs, from + step) - 1}) as n`);
    });
    await withoutIndexes(owner, 'ledger', async () => {
      const move =
        (kind: string, credits: string, reserved: string, job: string) =>
        (from: number, to: number): Promise<void> =>
          run(`insert into ledger (id, account_id, kind, credits, reserved, balance, job_id, created_at)
          select 'led_${kind}_' || n, ${account}, '${kind}', ${credits}, ${reserved}, 1000000, ${job},
            now() - n * interval '1 second'
          from generate_series(${from}, ${to}) as n`);
      const kinds = [
        { count: ledger - 2 * jobs, insert: move('adjustment', 'case when n % 2 = 0 then 1 else -1 end', '0', 'null') },
        { count: jobs, insert: move('reserve', '0', '1', "'job_bench' || n") },
        { count: jobs, insert: move('charge', '-1', '-1', "'job_bench' || n") },
      ];
      for (const { count, insert } of kinds)
        for (let from = 0; from < count; from += step) await insert(from, Math.min(count, from + step) - 1);
    });
    await run('vacuum analyze jobs, ledger, accounts');
  } finally {
    await owner.close();
  }
}

/** Rows come in without the table's indexes and references, which are made again afterwards: several times as quick. */
async function withoutIndexes({ kysely }: Database, table: string, fill: () => Promise<void>): Promise<void> {
  const { rows: constraints } = await sql<{ owner: string; name: string; definition: string; kind: string }>`
    select conrelid::regclass::text as owner, quote_ident(conname) as name, pg_get_constraintdef(oid) as definition,
      contype as kind
    from pg_constraint
    where contype in ('p', 'u', 'f')
      and (conrelid = ${sql.lit(table)}::regclass or confrelid = ${sql.lit(table)}::regclass)
    order by contype = 'f'`.execute(kysely);
  const { rows: indexes } = await sql<{ name: string; definition: string }>`
    select indexrelid::regclass::text as name, pg_get_indexdef(indexrelid) as definition
    from pg_index
    where indrelid = ${sql.lit(table)}::regclass
      and not exists (select from pg_constraint where conindid = indexrelid)`.execute(kysely);
  for (const { owner, name } of constraints.toReversed())
    await sql.raw(`alter table ${owner} drop constraint ${name}`).execute(kysely);
  for (const { name } of indexes) await sql.raw(`drop index ${name}`).execute(kysely);
  await fill();
  for (const { definition } of indexes) await sql.raw(definition).execute(kysely);
  for (const { owner, name, definition } of constraints)
    await sql.raw(`alter table ${owner} add constraint ${name} ${definition}`).execute(kysely);
}
