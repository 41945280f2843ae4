import pg from 'pg';
import { expect, it } from 'vitest';
import { openDatabase } from '../../../../../src/service/adapters/postgres/database/database.ts';
import { type KeptTables, restoreTables } from '../../../../../src/service/adapters/postgres/database/table-rows.ts';
import { migrations } from '../../../../../src/service/adapters/postgres/migrations/index.ts';
import { requireMigrated } from '../../../../../src/service/adapters/postgres/migrations/run.ts';
import { quietLog, useDatabases } from '../../../../fixtures/service/database.ts';
import { slow } from '../../../../fixtures/rounds.ts';

const { emptyDatabase } = useDatabases();

async function rowsOf(url: string, statement: string): Promise<unknown[]> {
  const client = new pg.Client({ connectionString: url });
  await client.connect();
  try {
    return (await client.query(statement)).rows;
  } finally {
    await client.end();
  }
}

const row = JSON.stringify({ name: 'one', value: 'first' });

it('a restore that fails among its rows is begun again in the same database', slow, async () => {
  const url = await emptyDatabase();
  const restore = (...rows: readonly (string | Error)[]): Promise<void> =>
    restoreTables(
      url,
      {
        migrations: Object.keys(migrations),
        async *tables(): ReturnType<KeptTables['tables']> {
          yield {
            table: 'settings',
            // eslint-disable-next-line typescript/require-await
            rows: (async function* () {
              for (const each of rows) {
                if (each instanceof Error) throw each;
                yield each;
              }
            })(),
          };
        },
      },
      () => Promise.resolve(),
    );
  await expect(restore(row, new Error('no space is left'))).rejects.toThrow('no space is left');
  // A service that began here would lose its records to the next restore.
  const database = openDatabase({ url, log: quietLog });
  for (const start of [() => database.migrate(), () => requireMigrated(database.kysely)])
    await expect(start()).rejects.toMatchObject({ code: 'conflict', message: expect.stringMatching(/^A restore was/) });
  await database.close();
  // The tables are there, and no record is.
  expect(await rowsOf(url, 'select name from settings')).toEqual([]);
  await restore(row);
  expect(await rowsOf(url, 'select name, value from settings')).toEqual([{ name: 'one', value: 'first' }]);
  // What is whole is not new.
  await expect(restore(row)).rejects.toThrow(/Expected a new database but this one has \d+ tables/);
  expect(await rowsOf(url, "select from pg_tables where tablename = 'unfinished_restore'")).toEqual([]);
});
