import { setTimeout as sleep } from 'node:timers/promises';
import { CamelCasePlugin, Kysely, PostgresDialect, type Transaction } from 'kysely';
import pg from 'pg';
import { noRoomToKeep } from '../../../../library/core/errors/disk-full.ts';
import { EarshotError } from '../../../../library/core/errors/errors.ts';
import type { Log } from '../../../rules/shared/log.ts';
import { installQueue } from '../../queue/boss.ts';
import { createListener, type Listener } from './listener.ts';
import { requireMigrated, requireRestored, runMigrations } from '../migrations/run.ts';
import { grantRights, onlyServes } from './rights.ts';
import type { Tables } from './schema.ts';
import { getTypeParser } from './type-parsers.ts';

/** How one process connects to the database. */
export interface DatabaseOptions {
  /**
   * postgres://user:password@host:port/name. May be a pooler in transaction mode if `directUrl` names the database
   * itself.
   */
  readonly url: string;
  /** The same database without a pooler: for notifications. Default: `url`. */
  readonly directUrl?: string;
  /** The same database with the role that owns the tables, for migrations, without a pooler. Default: `directUrl`. */
  readonly ownerUrl?: string;
  readonly log: Log;
  /** Most connections. Default: 16. */
  readonly maxConnections?: number;
}

/** One process's connections to the database. They are opened lazily: the server need not be running yet. */
export interface Database {
  /**
   * For single statements; use `transaction` for several.
   * @internal Not part of the public API.
   */
  readonly kysely: Kysely<Tables>;
  /** The given address, for further connections. */
  readonly url: string;
  readonly log: Log;
  /** The connection for notifications. */
  readonly listener: Listener;
  /**
   * Runs raw SQL, such as the queue's, on the same connections.
   * @internal
   */
  query(text: string, values?: readonly unknown[]): Promise<pg.QueryResult>;
  /**
   * The same on a separate connection, so that it neither waits for ledger transactions nor delays them.
   * @internal
   */
  queryAside(text: string, values: readonly unknown[]): Promise<pg.QueryResult>;
  /**
   * Runs the migrations of our schema and the queue's, as their owner, and grants the role of `url` its rights. Safe to
   * call from several processes at once, also of the previous and the next release: see migrations/run.ts. Without an
   * owner's address, a role that does not own the tables only looks whether they are up to date.
   * @throws EarshotError internal_error when they are not, or a newer release took away what this one uses
   */
  migrate(): Promise<void>;
  /** One round trip. @throws EarshotError internal_error while the server is unreachable */
  ping(): Promise<void>;
  /**
   * Runs a transaction, and retries it after a deadlock or serialization failure: `work` may run several times.
   * @internal
   */
  transaction<Answer>(work: (trx: Transaction<Tables>) => Promise<Answer>): Promise<Answer>;
  /** Waits for running queries, then closes the connections. */
  close(): Promise<void>;
}

/** Connections besides the pool: the separate one and the listening one. */
export const furtherConnections = 2;

const deadlockTries = 5;
/** Limit for a statement, and for an idle transaction. */
const longestStatementMs = 60_000;

/**
 * Connects lazily, and reconnects: while the server is unreachable, queries reject.
 */
export function openDatabase({
  url,
  directUrl = url,
  ownerUrl = directUrl,
  log,
  maxConnections = 16,
}: DatabaseOptions): Database {
  const isPooled = directUrl !== url;
  const pool = openPool(url, log, { max: maxConnections, application_name: 'earshot' }, isPooled);
  const aside = openPool(
    url,
    log,
    // A hanging heartbeat must not delay the next ones for longer than a lease.
    { max: 1, application_name: 'earshot-beat', query_timeout: 4000 },
    isPooled,
  );
  const listener = createListener(directUrl, log);
  const kysely = new Kysely<Tables>({
    dialect: new PostgresDialect({ pool }),
    // JSON is ours, with the names that it has.
    plugins: [new CamelCasePlugin({ maintainNestedObjectKeys: true })],
  });

  return {
    kysely,
    url,
    log,
    listener,
    // Passed as an object, it is not a named statement: there are too many of these, and some hold several statements.
    query: (text, values = []) => pool.query(values.length === 0 ? { text } : { text, values: [...values] }),
    queryAside: (text, values) => aside.query(text, [...values]),
    async migrate() {
      if (ownerUrl === directUrl && (await guard(() => onlyServes(kysely)))) {
        await guard(() => requireMigrated(kysely));
        return;
      }
      const isNewer = await migrate(ownerUrl, log);
      if (ownerUrl !== url) await grantTo(await roleOf(pool), isNewer, ownerUrl, log);
    },
    async ping() {
      await guard(() => pool.query('select 1'));
    },
    async transaction(work) {
      for (let tries = 1; ; tries += 1) {
        try {
          return await kysely.transaction().execute(work);
        } catch (error) {
          const { code } = error as { code?: unknown };
          if ((code !== '40P01' && code !== '40001') || tries === deadlockTries) throw error;
          await sleep(Math.random() * 20 * tries);
        }
      }
    },
    async close() {
      await listener.close();
      await kysely.destroy();
      // Kysely does not end a pool that it never used.
      if (!pool.ended) await pool.end();
      if (!aside.ended) await aside.end();
    },
  };
}

/**
 * @param isPooled through a pooler in transaction mode: it accepts no settings of a session (the role has them, see
 *   create-roles.ts), and may run the next statement in another session, which does not know named statements
 */
function openPool(url: string, log: Log, options: pg.PoolConfig, isPooled: boolean): pg.Pool {
  const pool = new pg.Pool({
    connectionString: url,
    connectionTimeoutMillis: 10_000,
    keepAlive: true,
    // A process that was suspended in a transaction must not hold its locks forever.
    ...(isPooled
      ? {}
      : { statement_timeout: longestStatementMs, idle_in_transaction_session_timeout: longestStatementMs }),
    types: { getTypeParser },
    ...options,
  });
  // Errors of idle connections; without a listener they would crash the process. The pool drops the connection by
  // itself.
  pool.on('error', (error) => log.warn({ err: error }, 'Lost an idle connection to the database'));
  // Errors of connections in use: the query rejects, which is enough.
  pool.on('connect', (client) => {
    client.on('error', () => {});
    if (!isPooled) nameStatements(client);
  });
  return pool;
}

/** Connects as the owner, for the time of `work`. */
async function asOwner<Answer>(
  ownerUrl: string,
  log: Log,
  work: (owner: Kysely<Tables>) => Promise<Answer>,
): Promise<Answer> {
  // Migrations may take a long time.
  const pool = openPool(ownerUrl, log, { max: 2, application_name: 'earshot-owner', statement_timeout: 0 }, false);
  const owner = new Kysely<Tables>({ dialect: new PostgresDialect({ pool }) });
  try {
    return await work(owner);
  } finally {
    await owner.destroy();
  }
}

/** @returns whether a newer version of Earshot has migrated the database further */
async function migrate(ownerUrl: string, log: Log): Promise<boolean> {
  const newer = await asOwner(ownerUrl, log, async (owner) => {
    await requireRestored(owner);
    return await runMigrations(owner);
  }).catch((error: unknown) => {
    if (error instanceof EarshotError) throw error;
    throw new EarshotError(
      'internal_error',
      `Cannot migrate the database: ${error instanceof Error ? error.message : JSON.stringify(error)}`,
      {
        cause: error,
        nextAction: 'The role in DATABASE_OWNER_URL (default: the one in DATABASE_URL) must own the database.',
      },
    );
  });
  if (newer.length > 0)
    log.info(
      { migrations: newer },
      'The database was migrated by a newer version of Earshot; this one works beside it',
    );
  await installQueue(ownerUrl, log);
  return newer.length > 0;
}

async function roleOf(pool: pg.Pool): Promise<string> {
  const { rows } = await guard(() => pool.query<{ role: string }>('select current_user as role'));
  return rows[0]?.role ?? '';
}

async function grantTo(role: string, isNewer: boolean, ownerUrl: string, log: Log): Promise<void> {
  await asOwner(ownerUrl, log, (owner) => grantRights(owner, role, isNewer)).catch((error: unknown) => {
    throw new EarshotError(
      'internal_error',
      `Cannot grant the role ${role} its rights: ${error instanceof Error ? error.message : String(error)}`,
      {
        cause: error,
        nextAction:
          'The role in DATABASE_OWNER_URL must own the tables: earshot database create-roles creates both roles.',
      },
    );
  });
}

/** Most named statements: unlimited, queries with lists of varying length would fill the server's memory. */
const mostStatements = 200;
const statementNames = new Map<string, string>();

/**
 * Uses named statements, which the server parses and plans once per connection: half the cost of unnamed ones.
 */
function nameStatements(client: pg.PoolClient): void {
  const query = (...args: unknown[]): unknown => Reflect.apply(pg.Client.prototype.query, client, args);
  client.query = ((text: unknown, values: unknown, ...rest: unknown[]) => {
    if (typeof text !== 'string' || !Array.isArray(values) || values.length === 0) return query(text, values, ...rest);
    let name = statementNames.get(text);
    if (name === undefined && statementNames.size < mostStatements) {
      name = `s${statementNames.size}`;
      statementNames.set(text, name);
    }
    return name === undefined ? query(text, values, ...rest) : query({ name, text, values }, ...rest);
  }) as typeof client.query;
}

/** Maps database errors to EarshotErrors: the server's messages contain hosts, paths and columns. */
async function guard<Answer>(work: () => Promise<Answer>): Promise<Answer> {
  try {
    return await work();
  } catch (error) {
    if (error instanceof EarshotError || (error instanceof Error && error.name === 'AbortError')) throw error;
    const outage = isOutage(error);
    if ((error as { code?: unknown }).code === '53100') throw noRoomToKeep(error);
    throw new EarshotError(
      'internal_error',
      outage ? 'The database is currently unreachable' : 'The database refused the operation',
      { cause: error, retryable: true, ...(outage ? { details: { outage } } : {}) },
    );
  }
}

/** Is it a connection error, so that the same call may succeed later? */
function isOutage(error: unknown): boolean {
  const { code, message } = error as { code?: unknown; message?: unknown };
  if (typeof code === 'string')
    return /^(08...|57P0[1-3]|53300|ECONN|EPIPE|ENOENT|ETIMEDOUT|EHOST|ENET|ENOTFOUND|EAI_)/.test(code);
  return typeof message === 'string' && /connection|timeout|socket/i.test(message);
}

/** The store with the errors of all its methods mapped by `guard`. */
export function guarded<Store extends object>(store: Store): Store {
  const entries = Object.entries(store).map(([name, method]: [string, unknown]) => [
    name,
    typeof method === 'function'
      ? (...args: unknown[]) => guard(() => Promise.resolve(Reflect.apply(method, store, args)))
      : method,
  ]);
  return Object.fromEntries(entries) as Store;
}
