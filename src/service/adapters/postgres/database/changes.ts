import { sql, type Kysely } from 'kysely';
import type { Changes } from '../../../rules/shared/wait-for.ts';
import type { Listener } from './listener.ts';
import type { Tables } from './schema.ts';

const channel = 'earshot_changes';
/**
 * Progress is not notified, and notifications are lost while the connection is down. So all waiters poll at this
 * interval, at the same moment, which makes their reads one statement.
 */
const tickMs = 500;

/** Notifies that the records changed, when the transaction commits. For changes of state, not for progress. */
export async function announce(db: Kysely<Tables>, ids: readonly string[]): Promise<void> {
  if (ids.length > 0) await sql`select pg_notify(${channel}, id) from unnest(${ids}::text[]) as id`.execute(db);
}

export interface ListeningChanges extends Changes {
  /** Resolves when the connection listens. For tests: waiting works before, too. */
  listening(): Promise<void>;
  close(): Promise<void>;
}

/** All waiters of a process share its listening connection, which is opened at the first wait. */
export function createChanges(listener: Listener): ListeningChanges {
  const waiting = new Map<string, Set<() => void>>();
  let ticking: NodeJS.Timeout | undefined;
  let closed = false;
  let leave: (() => void) | undefined;

  const wakeAll = (): void => {
    for (const set of waiting.values()) for (const wake of set) wake();
  };
  const listen = (): void => {
    leave ??= listener.listen(channel, (id) => {
      for (const wake of waiting.get(id) ?? []) wake();
    });
  };

  return {
    async listening() {
      listen();
      await listener.connected();
    },
    next(id, timeoutMs, signal) {
      if (signal?.aborted || closed || !(timeoutMs > 0)) return Promise.resolve();
      listen();
      return new Promise((resolve) => {
        const set = waiting.get(id) ?? new Set();
        waiting.set(id, set);
        const wake = (): void => {
          clearTimeout(timeout);
          signal?.removeEventListener('abort', wake);
          set.delete(wake);
          if (set.size === 0 && waiting.get(id) === set) waiting.delete(id);
          if (waiting.size === 0) {
            clearInterval(ticking);
            ticking = undefined;
          }
          resolve();
        };
        const timeout = timeoutMs < tickMs ? setTimeout(wake, timeoutMs) : undefined;
        signal?.addEventListener('abort', wake);
        set.add(wake);
        ticking ??= setInterval(wakeAll, tickMs);
      });
    },
    close() {
      closed = true;
      leave?.();
      wakeAll();
      return Promise.resolve();
    },
  };
}
