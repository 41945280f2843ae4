// All rows of the service's tables as lines of JSON, in one snapshot, and back into a new database.
import { Kysely, PostgresDialect } from 'kysely';
import pg from 'pg';
import { EarshotError } from '../../../../library/core/errors/errors.ts';
import { migrations } from '../migrations/index.ts';
import { migrationLockTable, migrationTable, runMigrations, unfinishedRestore } from '../migrations/run.ts';

/**
 * What one moment of a fleet is about. A restored one begins without it; the queue is made anew from jobs and files.
 */
const passing: ReadonlySet<string> = new Set([
  unfinishedRestore,
  'arriving_uploads',
  'file_parts',
  'finished_parts',
  'held_inputs',
  'housekeeping_rounds',
  'leader',
  'rate_windows',
  'runner_runs',
  'task_leases',
  'workers',
  migrationTable,
  migrationLockTable,
]);

/** Rows of one statement. */
const batch = 500;

/** One snapshot of the database. */
export interface Snapshot {
  /** Names of the migrations that made its tables, in order. */
  readonly migrations: readonly string[];
  /** Names of its tables, in order. */
  readonly tables: readonly string[];
  /** The rows of a table, each a line of JSON. */
  rows(table: string): AsyncGenerator<string, void>;
  /** Keys of the objects of all files that have their bytes, and of their waveforms. */
  objectKeys(): Promise<readonly string[]>;
}

const quoted = (name: string): string => `"${name.replaceAll('"', '""')}"`;

async function connect(url: string): Promise<pg.Client> {
  const client = new pg.Client({
    connectionString: url,
    application_name: 'earshot-backup',
    connectionTimeoutMillis: 10_000,
    keepAlive: true,
  });
  // A query that fails says so itself.
  client.on('error', () => {});
  await client.connect();
  // Large tables take longer than any statement of the service may.
  await client.query('set statement_timeout = 0; set idle_in_transaction_session_timeout = 0');
  return client;
}

/** Reads the tables as they are at one moment, while the service goes on. */
export async function withSnapshot<Answer>(
  url: string,
  work: (snapshot: Snapshot) => Promise<Answer>,
): Promise<Answer> {
  const client = await connect(url);
  const column = async (text: string): Promise<string[]> =>
    (await client.query<{ name: string }>(text)).rows.map(({ name }) => name);
  try {
    await client.query('begin isolation level repeatable read, read only');
    const names = await column(
      "select tablename as name from pg_tables where schemaname = 'public' order by tablename",
    );
    if (!names.includes(migrationTable))
      throw new EarshotError('bad_request', 'Expected the database of a service but there are no tables of one', {
        nextAction: 'Give --data or DATABASE_URL of the service.',
      });
    const answer = await work({
      migrations: await column(`select name from ${migrationTable} order by name`),
      tables: names.filter((name) => !passing.has(name)),
      async *rows(table) {
        const columns = await column(
          `select quote_ident(attname) as name from pg_attribute
            where attrelid = 'public.${quoted(table)}'::regclass and attnum > 0 and not attisdropped
              and attgenerated = '' order by attnum`,
        );
        await client.query(
          `declare backup_rows no scroll cursor for select row_to_json(kept)::text as name
            from (select ${columns.join(', ')} from public.${quoted(table)}) as kept`,
        );
        for (;;) {
          const rows = await column(`fetch ${batch} from backup_rows`);
          yield* rows;
          if (rows.length < batch) break;
        }
        await client.query('close backup_rows');
      },
      objectKeys: () =>
        column(
          `select object_key as name from files where object_key is not null and status in ('processing', 'ready')
            union select peaks_key from files where peaks_key is not null order by name`,
        ),
    });
    await client.query('commit');
    return answer;
  } finally {
    await client.end();
  }
}

/** A back-up's tables. */
export interface KeptTables {
  readonly migrations: readonly string[];
  /** Each table once, with its rows. */
  tables(): AsyncIterable<{ readonly table: string; readonly rows: AsyncIterable<string> }>;
}

/**
 * Fills a new database, or one in which a restore has failed: makes the tables as the back-up's migrations did, and
 * brings all rows in, or nothing. The next start migrates further.
 * @param ownerUrl of a role that owns the database
 * @param restoreFiles is called once the database is known to be new, and before records name the files
 * @throws EarshotError conflict when the database has tables of a service already; bad_request for a back-up of a newer
 *   release
 */
export async function restoreTables(
  ownerUrl: string,
  kept: KeptTables,
  restoreFiles: () => Promise<void>,
): Promise<void> {
  const unknown = kept.migrations.filter((name) => migrations[name] === undefined);
  if (unknown.length > 0)
    throw new EarshotError(
      'bad_request',
      `Expected a back-up of this release or an earlier one, but its tables were made by a newer one (${unknown.join(', ')})`,
      { nextAction: 'Restore it with the release that made it.' },
    );
  const client = await connect(ownerUrl);
  try {
    const found = await tableNames(client);
    if (found.length > 0 && !found.includes(unfinishedRestore))
      throw new EarshotError('conflict', `Expected a new database but this one has ${found.length} tables`, {
        nextAction: 'Restore into a new data folder, or a database without tables.',
      });
    await restoreFiles();
    await client.query(`create table if not exists public.${unfinishedRestore} ()`);
    await migrateTo(ownerUrl, kept.migrations);
    await client.query('begin');
    await withoutRules(client, async () => {
      const names = await tableNames(client);
      const emptied = names.filter((name) => !passing.has(name)).map((name) => `public.${quoted(name)}`);
      await client.query(`truncate ${emptied.join(', ')}`);
      for await (const { table, rows } of kept.tables()) {
        if (!names.includes(table) || passing.has(table))
          throw new EarshotError('file_invalid', `Expected a table of the service but the back-up has ${table}`);
        await fill(client, table, rows);
      }
    });
    await setSequences(client);
    await client.query(`drop table public.${unfinishedRestore}`);
    await client.query('commit');
  } finally {
    await client.end();
  }
}

async function migrateTo(ownerUrl: string, names: readonly string[]): Promise<void> {
  const pool = new pg.Pool({ connectionString: ownerUrl, max: 2, application_name: 'earshot-owner' });
  const owner = new Kysely<unknown>({ dialect: new PostgresDialect({ pool }) });
  try {
    await runMigrations(owner, Object.fromEntries(Object.entries(migrations).filter(([name]) => names.includes(name))));
  } finally {
    await owner.destroy();
  }
}

const tableNames = async (client: pg.Client): Promise<string[]> =>
  (
    await client.query<{ name: string }>(
      "select tablename as name from pg_tables where schemaname = 'public' order by tablename",
    )
  ).rows.map(({ name }) => name);

/** Rows come in any order, and what triggers wrote is among them: both rules wait until all are there. */
async function withoutRules(client: pg.Client, work: () => Promise<void>): Promise<void> {
  const { rows: keys } = await client.query<{ tableName: string; name: string; definition: string }>(
    `select conrelid::regclass::text as "tableName", quote_ident(conname) as name,
        pg_get_constraintdef(oid) as definition
      from pg_constraint where contype = 'f' and connamespace = 'public'::regnamespace order by oid`,
  );
  const tables = (await tableNames(client)).map((name) => `public.${quoted(name)}`);
  for (const { tableName, name } of keys) await client.query(`alter table ${tableName} drop constraint ${name}`);
  for (const table of tables) await client.query(`alter table ${table} disable trigger user`);
  await work();
  for (const table of tables) await client.query(`alter table ${table} enable trigger user`);
  for (const { tableName, name, definition } of keys)
    await client.query(`alter table ${tableName} add constraint ${name} ${definition}`);
}

async function fill(client: pg.Client, table: string, rows: AsyncIterable<string>): Promise<void> {
  let waiting: string[] = [];
  let columns = '';
  const write = async (): Promise<void> => {
    const [first] = waiting;
    if (first === undefined) return;
    columns ||= Object.keys(JSON.parse(first) as object)
      .map(quoted)
      .join(', ');
    await client.query(
      `insert into public.${quoted(table)} (${columns}) overriding system value
        select ${columns} from json_populate_recordset(null::public.${quoted(table)}, $1::json)`,
      [`[${waiting.join(',')}]`],
    );
    waiting = [];
  };
  for await (const row of rows) {
    waiting.push(row);
    if (waiting.length === batch) await write();
  }
  await write();
}

/** Each counter goes on behind the largest number that was taken from it. */
async function setSequences(client: pg.Client): Promise<void> {
  const { rows } = await client.query<{ sequence: string; tableName: string; columnName: string }>(
    `select pg_get_serial_sequence(format('public.%I', table_name), column_name) as sequence,
        format('public.%I', table_name) as "tableName", quote_ident(column_name) as "columnName"
      from information_schema.columns where table_schema = 'public'
        and pg_get_serial_sequence(format('public.%I', table_name), column_name) is not null`,
  );
  for (const { sequence, tableName, columnName } of rows)
    await client.query(
      `select setval($1, coalesce((select max(${columnName}) from ${tableName}), 1),
        exists (select from ${tableName}))`,
      [sequence],
    );
}
