import { join } from 'node:path';
import { openDatabase, type Database } from '../adapters/postgres/database/database.ts';
import type { DatabaseUrls } from '../adapters/postgres/embedded/embedded-access.ts';
import { startEmbeddedPostgres } from '../adapters/postgres/embedded/embedded.ts';
import { ownsTables } from '../adapters/postgres/database/rights.ts';
import { createPostgresStores, type PostgresStores } from '../adapters/postgres/stores.ts';
import { createEnqueuer, createLazyEnqueuer, type Enqueuer } from '../adapters/queue/enqueue.ts';
import type { Config } from '../rules/settings/config.ts';
import type { Log } from '../rules/shared/log.ts';
import { createOperator, type Operator } from '../rules/operator/operator.ts';
import { createPayments } from '../rules/payments/payments.ts';
import type { FleetStore, RunIdentity } from '../rules/fleet/fleet.ts';
import type { FreeRunStore } from '../rules/free-runs/free-run-store.ts';
import { reconcile, type Reconciliation } from '../rules/operator/reconciliation.ts';
import type { Payments } from '../rules/payments/payment-use-cases.ts';
import { createTokens } from '../rules/shared/tokens.ts';
import { createLog } from './log.ts';
import { createMailer } from './mailer.ts';
import { createObjects } from './objects.ts';
import { createPaymentProvider } from './payment-provider.ts';
import { connectionsOf, type OwnRole } from './worker-facts.ts';
import { externalDatabase } from './service-data.ts';

/** The database addresses that a process of the service needs, without the owner's. */
export type ProcessUrls = Omit<DatabaseUrls, 'ownerUrl'>;

/** Of the external database, or of the embedded one, which has no pooler. */
export const processUrls = (
  url: string,
  { databaseUrl, databaseDirectUrl }: Pick<Config, 'databaseUrl' | 'databaseDirectUrl'>,
): ProcessUrls =>
  databaseUrl === null || databaseDirectUrl === null ? { url } : { url, directUrl: databaseDirectUrl };

/** The database of one process of the service. Disposing it closes all connections. */
export interface Backend extends AsyncDisposable {
  readonly database: Database;
  readonly stores: PostgresStores;
  /** Adds tasks to the queue, inside of stores' transactions. */
  readonly enqueuer: Enqueuer;
}

/**
 * Opens the database and stores of one process. The schema must be up to date: the launcher runs the migrations.
 */
export async function openBackend(urls: ProcessUrls, role: OwnRole, log: Log, identity: RunIdentity): Promise<Backend> {
  const database = openDatabase({ ...urls, log, maxConnections: connectionsOf[role] });
  const enqueuer = await createEnqueuer(database);
  const stores = createPostgresStores(database, enqueuer, identity);
  return {
    database,
    stores,
    enqueuer,
    async [Symbol.asyncDispose]() {
      await stores.close();
      await enqueuer.close();
      await database.close();
    },
  };
}

/** Runs the migrations, then calls `work` with the operator's use cases. */
export async function prepareDatabase<Answer>(
  urls: DatabaseUrls,
  log: Log,
  work: (operator: Operator) => Promise<Answer>,
): Promise<Answer> {
  await using opened = await openStores(urls, log);
  if (await ownsTables(opened.database.kysely))
    log.warn(
      {},
      'The role in DATABASE_URL may change the tables; earshot database create-roles creates one that may not',
    );
  return await work(opened.operator);
}

/** The operator's use cases on the service's database, which is started if no service is running. */
export async function openOperator(config: Config): Promise<
  {
    readonly operator: Operator;
    readonly payments: Payments;
    readonly freeRuns: Pick<FreeRunStore, 'overview'>;
    /** The public address, without a trailing slash. */
    readonly baseUrl: string;
    readonly fleet: FleetStore;
    /** @param since of the objects; null: all */
    reconcile(since: Date | null): Promise<Reconciliation>;
  } & AsyncDisposable
> {
  const log = createLog('error', 'launcher');
  const external = externalDatabase(config);
  const server =
    external === null ? await startEmbeddedPostgres({ dataDir: join(config.data, 'postgres'), log }) : null;
  try {
    const urls = external ?? server ?? { url: '', ownerUrl: '' };
    const mailer = createMailer(config);
    const baseUrl = config.baseUrl ?? `http://${config.host}:${config.port}`;
    // Only payments that start a job, and evicting a worker, need the queue.
    const opened = await openStores(urls, log, (database) => createLazyEnqueuer(() => createEnqueuer(database)));
    const { stores } = opened;
    return {
      operator: opened.operator,
      baseUrl,
      payments: createPayments({
        now: () => new Date(),
        ...stores,
        provider: await createPaymentProvider(config),
        mailer,
        log,
        tokens: await createTokens(stores.tokenKeys),
        config,
        baseUrl: () => baseUrl,
      }),
      freeRuns: stores.freeRuns,
      fleet: stores.fleet,
      reconcile: async (since) => reconcile(stores.reconciliation, stores.files, await createObjects(config), since),
      async [Symbol.asyncDispose]() {
        await mailer?.close();
        await opened[Symbol.asyncDispose]();
        await leave(server);
      },
    };
  } catch (thrown) {
    await leave(server);
    throw thrown;
  }
}

/** Stops the database, unless it was already running or a service uses it now. */
async function leave(server: Awaited<ReturnType<typeof startEmbeddedPostgres>> | null): Promise<void> {
  if (server !== null && !server.reused) await server.stop({ unlessUsed: true });
}

async function openStores(
  urls: DatabaseUrls,
  log: Log,
  openEnqueuer: (database: Database) => Enqueuer | null = () => null,
): Promise<
  { readonly operator: Operator; readonly database: Database; readonly stores: PostgresStores } & AsyncDisposable
> {
  const database = openDatabase({ ...urls, log });
  try {
    await database.migrate();
  } catch (thrown) {
    await database.close();
    throw thrown;
  }
  const enqueuer = openEnqueuer(database);
  const stores = createPostgresStores(database, enqueuer);
  return {
    operator: createOperator(stores),
    database,
    stores,
    async [Symbol.asyncDispose]() {
      await stores.close();
      await enqueuer?.close();
      await database.close();
    },
  };
}
