import { sql, type Kysely } from 'kysely';
import pg from 'pg';
import type { Log } from '../../rules/log.ts';
import type { Changes } from '../../rules/ports.ts';
import type { Tables } from './schema.ts';

const channel = 'earshot_changes';
/** Notifications are lost while the connection is down: waiting never takes longer than this. */
const longestWaitMs = 1000;
const longestPauseMs = 2000;

/** Notifies that the records changed, when the transaction commits. */
export async function announce(db: Kysely<Tables>, ids: readonly string[]): Promise<void> {
  if (ids.length > 0) await sql`select pg_notify(${channel}, id) from unnest(${ids}::text[]) as id`.execute(db);
}

export interface ListeningChanges extends Changes {
  /** Resolves when the connection listens. For tests: waiting works before, too. */
  listening(): Promise<void>;
  close(): Promise<void>;
}

/** One connection listens for all waiters. It is opened at the first wait, and reconnects by itself. */
export function createChanges(url: string, log: Log): ListeningChanges {
  const waiting = new Map<string, Set<() => void>>();
  let client: pg.Client | undefined;
  let connecting: Promise<void> | undefined;
  let timer: NodeJS.Timeout | undefined;
  let pauseMs = 50;
  let closed = false;

  function drop(failed: pg.Client, error: Error | undefined): void {
    if (client !== failed) return;
    client = undefined;
    connecting = undefined;
    void failed.end().catch(() => {});
    if (closed) return;
    if (error !== undefined)
      log.warn(
        { err: error },
        'Lost the connection for change notifications; waiting calls poll every second until it is back',
      );
    timer = setTimeout(() => void listen(), pauseMs);
    timer.unref();
    pauseMs = Math.min(longestPauseMs, pauseMs * 2);
  }

  function listen(): Promise<void> {
    connecting ??= (async () => {
      const fresh = new pg.Client({
        connectionString: url,
        keepAlive: true,
        connectionTimeoutMillis: 10_000,
        application_name: 'earshot-changes',
      });
      client = fresh;
      fresh.on('error', (error) => drop(fresh, error));
      fresh.on('end', () => drop(fresh, undefined));
      fresh.on('notification', ({ payload }) => {
        for (const wake of waiting.get(payload ?? '') ?? []) wake();
      });
      try {
        await fresh.connect();
        await fresh.query(`listen ${channel}`);
        pauseMs = 50;
      } catch (error) {
        drop(fresh, error as Error);
      }
    })();
    return connecting;
  }

  return {
    listening: listen,
    next(id, timeoutMs, signal) {
      if (signal?.aborted || closed || !(timeoutMs > 0)) return Promise.resolve();
      void listen();
      return new Promise((resolve) => {
        const set = waiting.get(id) ?? new Set();
        waiting.set(id, set);
        const wake = (): void => {
          clearTimeout(timeout);
          signal?.removeEventListener('abort', wake);
          set.delete(wake);
          if (set.size === 0 && waiting.get(id) === set) waiting.delete(id);
          resolve();
        };
        const timeout = setTimeout(wake, Math.min(timeoutMs, longestWaitMs));
        signal?.addEventListener('abort', wake);
        set.add(wake);
      });
    },
    async close() {
      closed = true;
      clearTimeout(timer);
      const open = client;
      client = undefined;
      for (const set of waiting.values()) for (const wake of set) wake();
      await open?.end().catch(() => {});
    },
  };
}
