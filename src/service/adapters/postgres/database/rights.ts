import { sql, type Kysely, type Transaction } from 'kysely';
import { lockFor } from '../../advisory-locks.ts';
import { queueSchema } from '../../queue/boss.ts';
import { migrationLockTable, migrationTable } from '../migrations/run.ts';
import type { Tables } from './schema.ts';

type Right = 'select' | 'insert' | 'update' | 'delete';

const readOnly: readonly Right[] = ['select'];
const addOnly: readonly Right[] = ['select', 'insert'];
const kept: readonly Right[] = ['select', 'insert', 'update'];
const all: readonly Right[] = ['select', 'insert', 'update', 'delete'];

/** Of no version that is left: 0.9.0 grants rights on them by name, so that the release after this one drops them. */
type OldTable = 'job_crashes' | 'poison_jobs';

/**
 * The rights of the service's role, by table. It owns none: it cannot change or truncate tables, and the ledger is
 * append-only.
 */
const rights: Readonly<Record<keyof Tables | OldTable, readonly Right[]>> = {
  accounts: kept,
  api_keys: kept,
  sessions: all,
  one_time_tokens: all,
  passkeys: all,
  known_browsers: all,
  address_changes: all,
  jobs: all,
  chains: all,
  chain_presets: all,
  account_notes: all,
  voices: all,
  voice_references: all,
  ledger: addOnly,
  free_uses: all,
  free_days: all,
  free_runs: all,
  payments: kept,
  payment_disputes: kept,
  files: all,
  file_parts: all,
  idempotency: all,
  legacy_jobs: all,
  settings: addOnly,
  worker_deaths: addOnly,
  workers: all,
  task_leases: all,
  leader: kept,
  housekeeping_rounds: all,
  ended_jobs: ['select', 'update'],
  tallies: all,
  runners: kept,
  runner_runs: all,
  rate_windows: all,
  arriving_uploads: all,
  edits: all,
  edit_versions: all,
  edit_shares: all,
  edit_comments: all,
  held_inputs: all,
  job_crashes: all,
  poison_jobs: all,
  finished_parts: all,
  program_records: all,
  program_keys: ['select', 'insert', 'delete'],
  token_keys: ['select', 'insert', 'delete'],
  webhook_endpoints: all,
  webhook_deliveries: all,
};

/** Rights on the tables of the migrator. */
const ofMigrations = [migrationTable, migrationLockTable];

/** All our tables in the schema "public". */
export const serviceTables: readonly string[] = [...Object.keys(rights), ...ofMigrations];

/** May the current role change tables? Then an attacker who takes over the service may, too. */
export async function ownsTables(kysely: Kysely<Tables>): Promise<boolean> {
  const { rows } = await sql<{ owns: boolean }>`
    select rolsuper or exists (
      select from pg_tables where schemaname = 'public' and tablename = 'ledger' and pg_has_role(tableowner, 'member')
    ) as owns from pg_roles where rolname = current_user`.execute(kysely);
  return rows[0]?.owns ?? false;
}

/** Are the tables there, and another role's? Then the current one cannot migrate them. */
export async function onlyServes(kysely: Kysely<Tables>): Promise<boolean> {
  const { rows } = await sql<{ there: boolean }>`
    select to_regclass('public.ledger') is not null as there`.execute(kysely);
  return rows[0]?.there === true && !(await ownsTables(kysely));
}

/** Rights on the queue's tables. */
const ofQueue = all;

/**
 * Gives `role` exactly these rights, if they differ. Run as the owner, after migrations.
 * @param isNewer the tables are those of a newer release, which knows their rights: nothing is taken from the role
 */
export async function grantRights(owner: Kysely<Tables>, role: string, isNewer = false): Promise<void> {
  await owner.transaction().execute(async (trx) => {
    await lockFor(trx, 'rights');
    const wanted = await wantedRights(trx);
    const { rows } = await sql<{ name: string; held: string }>`
      select format('%I.%I', nspname, relname) as name, string_agg(lower(privilege_type), ',' order by privilege_type) as held
      from pg_class join pg_namespace on pg_namespace.oid = relnamespace, aclexplode(relacl)
      where nspname in ('public', ${queueSchema}) and relkind in ('r', 'p') and grantee = ${role}::regrole
      group by 1`.execute(trx);
    const held = new Map(rows.map((row) => [row.name, row.held]));
    const changed = [...new Set([...wanted.keys(), ...held.keys()])].filter((name) =>
      isNewer ? !held.has(name) : (held.get(name) ?? '') !== (wanted.get(name) ?? []).toSorted().join(','),
    );
    const { rows: missing } = await sql`
      select from unnest(array['public', ${queueSchema}]) as name where not has_schema_privilege(${role}, name, 'usage')`.execute(
      trx,
    );
    if (changed.length === 0 && missing.length === 0) return;
    const to = sql.id(role);
    await sql`revoke create on schema public from public`.execute(trx);
    await sql`grant usage on schema public, ${sql.id(queueSchema)} to ${to}`.execute(trx);
    for (const name of changed) {
      await sql`revoke all on ${sql.raw(name)} from ${to}`.execute(trx);
      const given = wanted.get(name);
      if (given !== undefined) await sql`grant ${sql.raw(given.join(', '))} on ${sql.raw(name)} to ${to}`.execute(trx);
    }
  });
}

/** Of the tables that are there, by schema-qualified, quoted name: a newer release may have dropped some. */
async function wantedRights(trx: Transaction<Tables>): Promise<Map<string, readonly Right[]>> {
  const { rows } = await sql<{ name: string; schema: string; table: string }>`
    select format('%I.%I', nspname, relname) as name, nspname as schema, relname as table
    from pg_class join pg_namespace on pg_namespace.oid = relnamespace
    where nspname in ('public', ${queueSchema}) and relkind in ('r', 'p')`.execute(trx);
  const ours = new Map([...Object.entries(rights), ...ofMigrations.map((name) => [name, readOnly] as const)]);
  return new Map(
    rows.flatMap(({ name, schema, table }) => {
      const given = schema === queueSchema ? ofQueue : ours.get(table);
      return given === undefined ? [] : [[name, given] as const];
    }),
  );
}
