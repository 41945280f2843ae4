import { PgBoss, type ConstructorOptions, type Queue } from 'pg-boss';
import { EarshotError } from '../../../library/core/errors/errors.ts';
import type { Log } from '../../rules/shared/log.ts';
import type { TaskKind } from '../../rules/worker/work-queue.ts';

export type { TaskKind };
export const taskKinds = [
  'job',
  'check',
  'peaks',
  'voice',
  'import',
  'order',
  'deliver',
  'accept',
] as const satisfies readonly TaskKind[];

/** The queue's tables have their own schema in our database. */
export const queueSchema = 'pgboss';

/**
 * Running tasks depend on the lease of their worker (heartbeat.ts, leases.ts); others take them over within 10 s of a
 * kill -9. The queue's own heartbeat of each entry is only a fallback: for entries without a lease, and for workers of
 * the previous release, which has no leases and renews it every second. It can be removed two releases from now.
 */
export const entryHeartbeatSeconds = 60;
/** How often entries with an expired heartbeat are looked for. */
export const superviseSeconds = 15;

/** What pg-boss needs from a database. */
export interface BossDatabase {
  query(text: string, values?: readonly unknown[]): Promise<{ rows: unknown[] }>;
  readonly listener: {
    listen(channel: string, onPayload: (payload: string) => void, onConnect?: () => void): () => void;
  };
  readonly log: Log;
}

const queueOptions: Omit<Queue, 'name'> = {
  // At most one queued or running task per id.
  policy: 'exclusive',
  // The job row counts the attempts and ends the job; the queue only delivers.
  retryLimit: 1_000_000,
  retryDelay: 1,
  // pg-boss's maximum. The handlers have shorter limits of their own.
  expireInSeconds: 24 * 60 * 60,
  deleteAfterSeconds: 120,
  retentionSeconds: 14 * 24 * 60 * 60,
  notify: true,
  warningQueueSize: 1_000_000,
};

/**
 * A pg-boss on our own connections, whose errors are logged, at most every 10 s, and not thrown.
 * @param options `onTask` is called for a task that was just enqueued; null: for any, after reconnecting
 */
export function createBoss(
  { query, listener, log }: BossDatabase,
  { onTask = () => {}, ...options }: ConstructorOptions & { readonly onTask?: (kind: TaskKind | null) => void },
): PgBoss {
  const boss = new PgBoss({
    db: {
      executeSql: (text, values) => query(text, values),
      listen(channel, onNotification, onReconnect) {
        const leave = listener.listen(
          channel,
          (kind) => {
            onNotification(kind);
            onTask(kind as TaskKind);
          },
          () => {
            onReconnect();
            onTask(null);
          },
        );
        return Promise.resolve({ close: () => Promise.resolve(leave()) });
      },
    },
    schema: queueSchema,
    schedule: false,
    monitorVacuum: false,
    ...options,
  });
  const lastSaid = new Map<string, number>();
  const say = (message: string, fields: object): void => {
    const now = performance.now();
    if (now - (lastSaid.get(message) ?? -Infinity) < 10_000) return;
    if (lastSaid.size > 100) lastSaid.clear();
    lastSaid.set(message, now);
    log.warn(fields, message);
  };
  boss.on('error', (error) => say(`Queue: ${error.message}`, { err: error }));
  boss.on('warning', ({ message, data }) => say(`Queue: ${message}`, { data }));
  return boss;
}

/** Waiting jobs in their order, by class (entry-class.ts): see suited.ts. */
const classIndex = `create index if not exists earshot_job_class on ${queueSchema}.job
  (name, (coalesce(data ->> 'class', '')), priority desc, created_on, start_after)
  where name = 'job' and state < 'active' and not blocked`;

/** `if not exists` alone would hold up the table's writers at each start. */
const hasClassIndex = `select 1 from pg_indexes where schemaname = '${queueSchema}' and indexname = 'earshot_job_class'`;

/** Installs or upgrades the queue's tables and our queues. */
export async function installQueue(url: string, log: Log): Promise<void> {
  const boss = new PgBoss({
    connectionString: url,
    application_name: 'earshot-owner',
    schema: queueSchema,
    schedule: false,
    monitorVacuum: false,
    supervise: false,
    max: 1,
  });
  boss.on('error', (error) => log.warn({ err: error }, `Queue: ${error.message}`));
  try {
    await boss.start();
    for (const kind of taskKinds) {
      await boss.createQueue(kind, queueOptions);
      const { policy: _fixedAtCreation, ...changeable } = queueOptions;
      await boss.updateQueue(kind, changeable);
    }
    // A role that may not change the tables starts the service where they are up to date.
    const { rows } = await boss.getDb().executeSql(hasClassIndex, []);
    if (rows.length === 0) await boss.getDb().executeSql(classIndex, []);
  } catch (error) {
    throw new EarshotError(
      'internal_error',
      `Cannot install the queue's tables: ${error instanceof Error ? error.message : String(error)}`,
      { cause: error, nextAction: 'The role in DATABASE_URL must be allowed to create a schema.' },
    );
  } finally {
    await boss.stop({ graceful: false });
  }
}
