import { setTimeout as sleep } from 'node:timers/promises';
import { Kysely, PostgresDialect, type Transaction } from 'kysely';
import { Migrator } from 'kysely/migration';
import pg from 'pg';
import { noRoomToKeep } from '../../../library/core/disk-full.ts';
import { EarshotError } from '../../../library/core/errors.ts';
import type { Log } from '../../rules/log.ts';
import { installQueue } from '../queue/boss.ts';
import { migrations } from './migrations/index.ts';
import { grantRights } from './rights.ts';
import type { Tables } from './schema.ts';
import { getTypeParser } from './type-parsers.ts';

/** Where the database is, and how much of it one process may use. */
export interface DatabaseOptions {
  /** postgres://user:password@host:port/name. */
  readonly url: string;
  /** The same database by the role that owns its tables, for migrations. Default: `url` is that role's. */
  readonly ownerUrl?: string;
  readonly log: Log;
  /** Connections at most. Default 16. */
  readonly maxConnections?: number;
}

/** One process's connections to the database. Opened lazily: nothing here needs the server to be there yet. */
export interface Database {
  /**
   * For single statements; what belongs together goes through `transaction`.
   * @internal The query builder is no part of the public face.
   */
  readonly kysely: Kysely<Tables>;
  /** As it was given: for connections of one's own, such as the one that listens. */
  readonly url: string;
  readonly log: Log;
  /**
   * Brings the schema and the queue's up to date, as their owner, and gives the role of `url` what it needs of them.
   * Safe to call from several processes at once.
   */
  migrate(): Promise<void>;
  /** One round trip. @throws EarshotError internal_error while the server cannot be reached */
  ping(): Promise<void>;
  /**
   * One transaction, tried again when the server picked it as the victim of a deadlock: `work` may run more than once,
   * and nothing of the earlier runs has happened.
   * @internal
   */
  transaction<Answer>(work: (trx: Transaction<Tables>) => Promise<Answer>): Promise<Answer>;
  /** Waits for the queries under way, then ends the connections. */
  close(): Promise<void>;
}

const deadlockTries = 5;
/** No request waits for as long; what takes longer is a mistake or an attack. */
const longestStatementMs = 60_000;

/**
 * Connects lazily: the server may come later, go away and come back. Then queries reject, and the pool connects anew.
 */
export function openDatabase({ url, ownerUrl = url, log, maxConnections = 16 }: DatabaseOptions): Database {
  const pool = openPool(url, log, {
    max: maxConnections,
    application_name: 'earshot',
    statement_timeout: longestStatementMs,
  });
  const kysely = new Kysely<Tables>({ dialect: new PostgresDialect({ pool }) });

  return {
    kysely,
    url,
    log,
    async migrate() {
      await migrate(ownerUrl, log);
      if (ownerUrl !== url) await grantTo(await roleOf(pool), ownerUrl, log);
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
      await kysely.destroy();
      // Which leaves the pool alone when no query ever went through it.
      if (!pool.ended) await pool.end();
    },
  };
}

function openPool(url: string, log: Log, options: pg.PoolConfig): pg.Pool {
  const pool = new pg.Pool({
    connectionString: url,
    connectionTimeoutMillis: 10_000,
    keepAlive: true,
    // Whoever is stopped in the middle of a transaction does not hold an account's lock for ever.
    idle_in_transaction_session_timeout: 60_000,
    types: { getTypeParser },
    ...options,
  });
  // An idle connection that breaks says so here; without a listener that would end the process. The pool drops it by
  // itself.
  pool.on('error', (error) => log.warn({ err: error }, 'A connection to the database broke'));
  // Nor may one that breaks while it is in use: its query rejects, which is enough.
  pool.on('connect', (client) => {
    client.on('error', () => {});
    nameStatements(client);
  });
  return pool;
}

/** One process's own few connections as the owner. */
async function asOwner<Answer>(
  ownerUrl: string,
  log: Log,
  work: (owner: Kysely<Tables>) => Promise<Answer>,
): Promise<Answer> {
  const pool = openPool(ownerUrl, log, { max: 2, application_name: 'earshot-owner' });
  const owner = new Kysely<Tables>({ dialect: new PostgresDialect({ pool }) });
  try {
    return await work(owner);
  } finally {
    await owner.destroy();
  }
}

async function migrate(ownerUrl: string, log: Log): Promise<void> {
  await asOwner(ownerUrl, log, async (db) => {
    const migrator = new Migrator({
      db,
      provider: { getMigrations: () => Promise.resolve({ ...migrations }) },
      migrationTableName: 'schema_migrations',
      migrationLockTableName: 'schema_migrations_lock',
    });
    const { error } = await migrator.migrateToLatest();
    if (error !== undefined)
      throw new EarshotError(
        'internal_error',
        `Cannot bring the database up to date: ${error instanceof Error ? error.message : JSON.stringify(error)}`,
        {
          cause: error,
          nextAction:
            'The role in DATABASE_OWNER_URL (without it, the one in DATABASE_URL) must own the database. A database ' +
            'that a newer Earshot has used does not work with an older one.',
        },
      );
  });
  await installQueue(ownerUrl, log);
}

async function roleOf(pool: pg.Pool): Promise<string> {
  const { rows } = await guard(() => pool.query<{ role: string }>('select current_user as role'));
  return rows[0]?.role ?? '';
}

async function grantTo(role: string, ownerUrl: string, log: Log): Promise<void> {
  await asOwner(ownerUrl, log, (owner) => grantRights(owner, role)).catch((error: unknown) => {
    throw new EarshotError(
      'internal_error',
      `Cannot give the role ${role} its rights: ${error instanceof Error ? error.message : String(error)}`,
      {
        cause: error,
        nextAction:
          'The role in DATABASE_OWNER_URL must own the tables: earshot database create-roles makes both roles.',
      },
    );
  });
}

/** Texts that get a name, at most; queries with lists of varying length would fill the server's memory otherwise. */
const mostStatements = 200;
const statementNames = new Map<string, string>();

/**
 * Every text is parsed and planned once a connection: a named statement costs the server half of one without a name.
 */
function nameStatements(client: pg.PoolClient): void {
  const query = client.query.bind(client) as (...args: unknown[]) => unknown;
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

/** What the database throws never leaves as it is: messages of the server name hosts, paths and columns. */
async function guard<Answer>(work: () => Promise<Answer>): Promise<Answer> {
  try {
    return await work();
  } catch (error) {
    if (error instanceof EarshotError || (error instanceof Error && error.name === 'AbortError')) throw error;
    const outage = isOutage(error);
    if ((error as { code?: unknown }).code === '53100') throw noRoomToKeep(error);
    throw new EarshotError(
      'internal_error',
      outage ? 'The database cannot be reached at the moment' : 'The database refused the operation',
      { cause: error, retryable: true, ...(outage ? { details: { outage } } : {}) },
    );
  }
}

/** Is this error about the connection, so that the same call may succeed later? */
function isOutage(error: unknown): boolean {
  const { code, message } = error as { code?: unknown; message?: unknown };
  if (typeof code === 'string')
    return /^(08...|57P0[1-3]|53300|ECONN|EPIPE|ENOENT|ETIMEDOUT|EHOST|ENET|ENOTFOUND|EAI_)/.test(code);
  return typeof message === 'string' && /connection|timeout|socket/i.test(message);
}

/** The store with every method guarded. */
export function guarded<Store extends object>(store: Store): Store {
  const entries = Object.entries(store).map(([name, method]: [string, unknown]) => [
    name,
    typeof method === 'function'
      ? (...args: unknown[]) => guard(() => Promise.resolve(Reflect.apply(method, store, args)))
      : method,
  ]);
  return Object.fromEntries(entries) as Store;
}
