import { sql, type Kysely } from 'kysely';
import { Migrator, type Migration } from 'kysely/migration';
import { EarshotError } from '../../../../library/core/errors/errors.ts';
import { migrations } from './index.ts';

export const migrationTable = 'schema_migrations';
export const migrationLockTable = 'schema_migrations_lock';
/**
 * Is there from a restore's first table to its last row: what failed between leaves no records, and may be begun again.
 */
export const unfinishedRestore = 'unfinished_restore';

/** Of migrations that take away or change what the previous release uses. All others only add. */
const contracting = /^\d{4}-contract-/;

/**
 * Brings our tables up to date. A newer release may have migrated the database already: the previous release keeps
 * working beside it, and may start again, as long as nothing was taken away that it uses. So migrations only add. What
 * takes away comes a release later and is named "NNNN-contract-...", by which older releases know that they must not
 * start.
 * @param known of this release
 * @returns names of migrations of a newer release, in order
 * @throws EarshotError internal_error if a newer release took away what this one uses; whatever the database throws
 */
export async function runMigrations<Schema>(
  owner: Kysely<Schema>,
  known: Readonly<Record<string, Migration>> = migrations,
): Promise<readonly string[]> {
  let newer: readonly string[] = [];
  const migrator = new Migrator({
    db: owner,
    provider: {
      // Called with the lock held.
      async getMigrations() {
        newer = newerOf(await applied(owner), known);
        return { ...known, ...Object.fromEntries(newer.map((name) => [name, { up: () => Promise.resolve() }])) };
      },
    },
    migrationTableName: migrationTable,
    migrationLockTableName: migrationLockTable,
  });
  const { error } = await migrator.migrateToLatest();
  if (error !== undefined) throw error;
  return newer;
}

/**
 * A service's records in the tables of half a restore would be lost to the next restore, which empties them.
 * @throws EarshotError conflict
 */
export async function requireRestored<Schema>(kysely: Kysely<Schema>): Promise<void> {
  const { rows } = await sql<{ found: boolean }>`
    select to_regclass(${`public.${unfinishedRestore}`}) is not null as found`.execute(kysely);
  if (rows[0]?.found !== true) return;
  throw new EarshotError('conflict', 'A restore was begun in this database and has not ended: it has no records', {
    nextAction: 'Run earshot restore with the archive again, or take another database or data folder.',
  });
}

/**
 * For a process without the owner's address.
 * @throws EarshotError internal_error if migrations of this release are missing, or a newer release took away what this
 *   one uses
 */
export async function requireMigrated<Schema>(
  kysely: Kysely<Schema>,
  known: Readonly<Record<string, Migration>> = migrations,
): Promise<void> {
  await requireRestored(kysely);
  const names = await applied(kysely);
  newerOf(names, known);
  const missing = Object.keys(known).filter((name) => !names.includes(name));
  if (missing.length > 0)
    throw new EarshotError('internal_error', `Expected a migrated database, but it lacks ${missing.join(', ')}`, {
      nextAction: 'Run earshot database migrate with DATABASE_OWNER_URL, then start again.',
    });
}

async function applied<Schema>(kysely: Kysely<Schema>): Promise<readonly string[]> {
  const { rows } = await sql<{ name: string }>`
    select name from ${sql.table(migrationTable)} order by name`.execute(kysely);
  return rows.map(({ name }) => name);
}

/** @throws EarshotError internal_error if a newer release took away what this one uses */
function newerOf(names: readonly string[], known: Readonly<Record<string, Migration>>): readonly string[] {
  const last = Object.keys(known).toSorted().at(-1) ?? '';
  const newer = names.filter((name) => name > last && known[name] === undefined);
  const contracts = newer.filter((name) => contracting.test(name));
  if (contracts.length > 0) throw tooOld(contracts);
  return newer;
}

const tooOld = (contracts: readonly string[]): EarshotError =>
  new EarshotError(
    'internal_error',
    `A newer version of Earshot has changed the database so that this version cannot use it (${contracts.join(', ')})`,
    { nextAction: 'Start the version that the other processes of the service run, or a newer one.' },
  );
