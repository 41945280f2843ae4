import { PgBoss, type ConstructorOptions, type Queue } from 'pg-boss';
import { EarshotError } from '../../../library/core/errors.ts';
import type { Log } from '../../rules/log.ts';
import type { TaskKind } from '../../rules/ports.ts';

export type { TaskKind };
export const taskKinds = ['job', 'check', 'peaks', 'import', 'order', 'deliver'] as const satisfies readonly TaskKind[];

/** The queue's tables have their own schema in our database. */
export const queueSchema = 'pgboss';

/**
 * Workers send a heartbeat every second. After 6 s without one, a worker's tasks are delivered again: together with the
 * check every 2 s, the retry delay and the polling, within 10 s of a kill -9. A live worker is never silent for that
 * long.
 */
export const heartbeatSeconds = 6;
export const heartbeatRefreshSeconds = 1;
export const superviseSeconds = 2;

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

/** A pg-boss whose errors are logged, at most every 10 s, and not thrown. */
export function createBoss(url: string, log: Log, options: ConstructorOptions): PgBoss {
  const boss = new PgBoss({
    connectionString: url,
    application_name: 'earshot-queue',
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

/** Installs or upgrades the queue's tables and our queues. */
export async function installQueue(url: string, log: Log): Promise<void> {
  const boss = createBoss(url, log, { supervise: false, max: 1 });
  try {
    await boss.start();
    for (const kind of taskKinds) {
      await boss.createQueue(kind, queueOptions);
      const { policy: _fixedAtCreation, ...changeable } = queueOptions;
      await boss.updateQueue(kind, changeable);
    }
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
