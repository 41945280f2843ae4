// `earshot doctor --fleet`: compares the connections of the fleet with the database's limit.
import { sql } from 'kysely';
import { EarshotError } from '../../library/core/errors/errors.ts';
import { openDatabase } from '../adapters/postgres/database/database.ts';
import { createFleet } from '../adapters/postgres/fleet/fleet.ts';
import { loadConfig } from '../rules/settings/config.ts';
import { externalDatabase } from '../serve/service-data.ts';

/** A finding as `earshot doctor` prints it. */
interface Finding {
  readonly subject: string;
  readonly state: 'fine' | 'limited' | 'broken';
  readonly says: string;
  readonly nextAction?: string;
  readonly facts?: object;
}

/** Above this share of the limit a rolling update does not fit, since old and new processes run side by side. */
const comfortable = 0.5;
/** Connections of launchers during migrations, and of the operator's commands. */
const passingConnections = 6;

interface Allowed {
  readonly most: number;
  readonly reserved: number;
  readonly open: number;
}

/** Findings on the database of the settings in the environment. */
export async function fleetConnections(): Promise<readonly Finding[]> {
  const urls = externalDatabase(loadConfig(process.env));
  if (urls === null)
    return [
      {
        subject: 'fleet',
        state: 'limited',
        says: 'none: the embedded database serves this machine alone',
        nextAction: 'set DATABASE_URL to the database of the fleet',
      },
    ];
  const direct = urls.directUrl ?? urls.url;
  const database = openDatabase({ url: direct, log: { info() {}, warn() {}, error() {} }, maxConnections: 1 });
  try {
    // Runners have no connections.
    const workers = (await createFleet(database, null).list()).filter(
      ({ state, connections }) => state !== 'lost' && connections > 0,
    );
    const { rows } = await sql<Allowed>`select current_setting('max_connections')::int as most,
      current_setting('superuser_reserved_connections')::int
        + coalesce(nullif(current_setting('reserved_connections', true), ''), '0')::int as reserved,
      (select count(*)::int from pg_stat_activity where backend_type = 'client backend') as open`.execute(
      database.kysely,
    );
    const [allowed = { most: 0, reserved: 0, open: 0 }] = rows;
    return [addUp(workers, allowed, direct !== urls.url)];
  } catch (thrown) {
    const { message, cause } = EarshotError.from(thrown);
    const says = cause instanceof Error ? cause.message : message;
    return [{ subject: 'fleet', state: 'broken', says, nextAction: 'check DATABASE_URL and DATABASE_DIRECT_URL' }];
  } finally {
    await database.close();
  }
}

/** @param isPooled only the listening connection of each process reaches the database itself */
export function addUp(
  workers: readonly { readonly roles: readonly string[]; readonly connections: number }[],
  { most, reserved, open }: Allowed,
  isPooled: boolean,
): Finding {
  const all = workers.reduce((sum, { connections }) => sum + connections, 0);
  const direct = (isPooled ? workers.length : all) + passingConnections;
  const usable = most - reserved;
  const machines = workers.filter(({ roles }) => roles.includes('worker')).length;
  const pooled = isPooled ? `, and at most ${all - workers.length} to the pooler` : '';
  const says =
    `${workers.length - machines} APIs and ${machines} workers open at most ${direct} connections to the database` +
    `${pooled}; it allows ${usable} (${most} less ${reserved} reserved ones), ${open} are open now`;
  const facts = {
    apis: workers.length - machines,
    workers: machines,
    direct,
    throughPooler: isPooled ? all - workers.length : 0,
    most,
    reserved,
    open,
  };
  const subject = 'connections';
  const help = isPooled
    ? 'raise max_connections'
    : 'raise max_connections, or put PgBouncer in front: DATABASE_URL to it, DATABASE_DIRECT_URL past it';
  if (direct > usable) return { subject, state: 'broken', says, nextAction: help, facts };
  if (direct > comfortable * usable)
    return { subject, state: 'limited', says: `${says}: too many for a rolling update`, nextAction: help, facts };
  return { subject, state: 'fine', says, facts };
}
