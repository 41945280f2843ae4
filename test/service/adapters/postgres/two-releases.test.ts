// Two releases side by side over one database, as in a rolling update: the newer one has migrated, and the older one
// goes on, and starts again.
import { sql } from 'kysely';
import { expect, onTestFinished, test } from 'vitest';
import { openDatabase, type Database } from '../../../../src/service/adapters/postgres/database/database.ts';
import { migrations } from '../../../../src/service/adapters/postgres/migrations/index.ts';
import { quietLog, useDatabases } from '../../../fixtures/service/database.ts';
import { migratorOf } from '../../../fixtures/service/migrator.ts';
import { slow } from '../../../fixtures/rounds.ts';
import { newAccount, newJob, paid } from '../../../fixtures/service/rows.ts';

const databases = useDatabases();

/** What a newer release did to the database. */
async function migratedFurther(name: string): Promise<{ service: Database; owner: Database }> {
  const service = await databases.freshDatabase();
  const owner = databases.asOwner(service);
  const { rows } = await service.query('select current_user as role');
  const { role } = rows[0] as { role: string };
  await owner.query('create table later_things (id text primary key)');
  await owner.query(`grant select, insert, delete on later_things to ${role}`);
  await owner.query('alter table jobs add column later_thing text');
  await owner.query('insert into schema_migrations (name, timestamp) values ($1, $2)', [
    name,
    new Date(Date.now() + 1000).toISOString(),
  ]);
  return { service, owner };
}

test('the earlier release starts again, and leaves the newer one its tables', async () => {
  const { service } = await migratedFurther('9998-later-things');
  await service.migrate();
  await service.query(`insert into later_things (id) values ('one')`);
  expect((await service.query('delete from later_things returning id')).rows).toEqual([{ id: 'one' }]);
  const stores = await databases.freshStores(service);
  const account = await stores.accounts.create({ id: 'acc_1', name: 'one', oauthSubject: null });
  expect(await stores.accounts.get(account.id)).toMatchObject({ name: 'one' });
});

test('it gives its role what is missing beside a newer release', async () => {
  const { service, owner } = await migratedFurther('9998-later-things');
  const { rows } = await service.query('select current_user as role');
  await owner.query(`revoke all on settings from ${(rows[0] as { role: string }).role}`);
  await expect(service.query('select * from settings')).rejects.toThrow();
  await service.migrate();
  await service.query('select * from settings');
});

test('it starts where the newer release has dropped tables that nothing of it reads', async () => {
  const { service, owner } = await migratedFurther('9998-fewer-tables');
  await owner.query('drop table job_crashes, poison_jobs');
  await service.migrate();
});

test('it does not start where the newer release has taken away what it uses', async () => {
  const { service } = await migratedFurther('9999-contract-jobs');
  await expect(service.migrate()).rejects.toMatchObject({
    code: 'internal_error',
    message: expect.stringContaining('9999-contract-jobs') as string,
    nextAction: expect.stringContaining('newer') as string,
  });
});

test('a migration that is missing in the middle is no newer release', async () => {
  const { service } = await migratedFurther('0003-something-else');
  await expect(service.migrate()).rejects.toThrow('0003-something-else');
});

test('the earlier release does not start the step of a chain, and does other jobs', async () => {
  const stores = await databases.freshStores();
  const { id: accountId } = await newAccount(stores, 10);
  const { job } = await stores.jobs.create(newJob(accountId, paid(1)));
  const start = `update jobs set status = 'running', attempt = attempt + 1 where id = $1 returning status`;
  await stores.database.query(`update jobs set chain_id = 'chain_1', chain_step = 0, chain_run = 0 where id = $1`, [
    job.id,
  ]);
  await expect(stores.database.query(start, [job.id])).rejects.toThrow('newer release');
  await stores.database.query(`update jobs set chain_id = null where id = $1`, [job.id]);
  expect((await stores.database.query(start, [job.id])).rows).toEqual([{ status: 'running' }]);
});

/** Rules that came to older tables, and why the earlier release does not meet them. */
const harmless: Readonly<Record<string, string>> = {
  '0003-upload-receipts file_parts.etag has no default': 'before the first release',
  '0004-true-lengths ledger: CHECK': 'allows more than the one before it',
  '0012-sign-in payments: CREATE UNIQUE INDEX payments_automatic_open': 'only automatic payments, which are new in it',
  '0016-edits files: CREATE TRIGGER edits_go_with_their_file': 'refuses nothing',
  '0028-disputes ledger: CREATE TRIGGER ledger_knows_its_payment': 'refuses nothing',
  '0030-chains jobs: CREATE TRIGGER steps_start_where_they_are_known': 'only steps of chains, which are new in it',
  '0031-webhooks files: CREATE TRIGGER webhooks_of': 'refuses nothing, and needs no rights of the role',
  '0031-webhooks jobs: CREATE TRIGGER webhooks_of': 'refuses nothing, and needs no rights of the role',
  '0032-chain-webhooks chains: CREATE TRIGGER webhooks_of': 'refuses nothing, on a table that is new in it',
  '0039-voices accounts: CREATE TRIGGER voices_of_closed_account': 'refuses nothing',
  '0040-voice-references free_runs: CREATE TRIGGER voice_references_of_refused_run': 'refuses nothing',
  '0040-voice-references jobs: CREATE TRIGGER voice_references_of_ended_job': 'refuses nothing',
};

test('migrations only add: the earlier release can write and read all that it did', slow, async () => {
  const url = await databases.emptyDatabase();
  const database = openDatabase({ url, log: quietLog });
  onTestFinished(() => database.close());
  const migrator = migratorOf(database);
  const found: string[] = [];
  let before: Catalogue | null = null;
  for (const name of Object.keys(migrations).toSorted()) {
    const { error } = await migrator.migrateTo(name);
    expect(error).toBeUndefined();
    const after = await readCatalogue(database);
    if (before !== null && !name.includes('-contract-'))
      found.push(...takenAway(before, after).map((fault) => `${name} ${fault}`));
    before = after;
  }
  const reasons = Object.keys(harmless);
  expect(found.filter((fault) => !reasons.some((start) => fault.startsWith(start)))).toEqual([]);
  expect(reasons.filter((start) => !found.some((fault) => fault.startsWith(start)))).toEqual([]);
});

interface Catalogue {
  /** By "table.column". */
  readonly columns: ReadonlyMap<
    string,
    { readonly type: string; readonly needsValue: boolean; readonly nullable: boolean }
  >;
  /** What may refuse a row, as "table: definition", with the columns that it is about. */
  readonly rules: ReadonlyMap<string, readonly string[]>;
}

async function readCatalogue({ kysely }: Database): Promise<Catalogue> {
  const { rows: columns } = await sql<{ name: string; type: string; nullable: boolean; given: boolean }>`
    select relname || '.' || attname as name, format_type(atttypid, atttypmod) as type, not attnotnull as nullable,
      atthasdef or attidentity <> '' as given
    from pg_attribute join pg_class on pg_class.oid = attrelid join pg_namespace on pg_namespace.oid = relnamespace
    where nspname = 'public' and relkind = 'r' and attnum > 0 and not attisdropped`.execute(kysely);
  const { rows: rules } = await sql<{ rule: string; columns: string[] }>`
    with rules (relation, definition, keys) as (
      select conrelid, pg_get_constraintdef(oid), conkey::int[] from pg_constraint
        where connamespace = 'public'::regnamespace and contype in ('c', 'f', 'u', 'x')
      union all select tgrelid, pg_get_triggerdef(oid), tgattr::int[] from pg_trigger where not tgisinternal
      union all select indrelid, pg_get_indexdef(indexrelid), indkey::int[] from pg_index
        join pg_class on pg_class.oid = indexrelid
        where indisunique and relnamespace = 'public'::regnamespace
    )
    select relation::regclass || ': ' || definition as rule, array(
      select relation::regclass || '.' || attname from pg_attribute where attrelid = relation and attnum = any(keys)
    ) as columns from rules`.execute(kysely);
  return {
    columns: new Map(
      columns.map(({ name, type, nullable, given }) => [name, { type, nullable, needsValue: !nullable && !given }]),
    ),
    rules: new Map(rules.map(({ rule, columns: about }) => [rule, about])),
  };
}

function takenAway(before: Catalogue, after: Catalogue): string[] {
  const tables = new Set([...before.columns.keys()].map((name) => name.split('.')[0]));
  const isOfBefore = (name: string, separator: string): boolean => tables.has(name.split(separator)[0] ?? '');
  return [
    ...[...before.columns].flatMap(([name, { type, nullable }]) => {
      const now = after.columns.get(name);
      if (now === undefined) return [`${name} is gone`];
      if (now.type !== type) return [`${name} was ${type}, and is ${now.type}`];
      return nullable && !now.nullable ? [`${name} may no longer be null`] : [];
    }),
    ...[...after.columns].flatMap(([name, { needsValue }]) =>
      !before.columns.has(name) && isOfBefore(name, '.') && needsValue ? [`${name} has no default`] : [],
    ),
    // Those about new columns alone are met by their defaults.
    ...[...after.rules]
      .filter(([rule]) => !before.rules.has(rule) && isOfBefore(rule, ': '))
      .filter(([, about]) => about.length === 0 || about.some((column) => before.columns.has(column)))
      .map(([rule]) => rule),
  ].toSorted();
}

test('a process without the owner’s address starts on a migrated database, and on no other', async () => {
  const { url, ...of } = await databases.freshDatabase();
  const service = openDatabase({ url, log: quietLog });
  onTestFinished(() => service.close());
  await service.migrate();
  await databases.asOwner({ url, ...of }).query(`delete from schema_migrations where name = '0026-leader'`);
  await expect(service.migrate()).rejects.toMatchObject({
    message: 'Expected a migrated database, but it lacks 0026-leader',
    nextAction: expect.stringContaining('earshot database migrate') as string,
  });
});
