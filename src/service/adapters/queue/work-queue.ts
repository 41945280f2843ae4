import { setTimeout as sleep } from 'node:timers/promises';
import { sql, type Kysely, type Transaction } from 'kysely';
import type { PgBoss } from 'pg-boss';
import { EarshotError } from '../../../library/core/errors/errors.ts';
import { nextPick } from '../../rules/fleet/job-classes.ts';
import type { QueueHandler } from '../../rules/shared/queue-handler.ts';
import type { TaskLimits, WorkQueue } from '../../rules/worker/work-queue.ts';
import { type BossDatabase, createBoss, queueSchema, superviseSeconds, taskKinds, type TaskKind } from './boss.ts';
import { type Claim, claimTasks, claimWithin, completeTasks, dueKinds } from './leases.ts';
import { createRedeliver } from './redeliver.ts';
import { openSlots, type Slots } from './slots.ts';
import { suitedValues } from './suited.ts';

interface QueueDatabase<Tables> extends BossDatabase {
  readonly kysely: Kysely<Tables>;
  transaction<Answer>(work: (trx: Transaction<Tables>) => Promise<Answer>): Promise<Answer>;
}

/** The lease of this process, which its tasks point at. */
export interface Lease {
  readonly workerId: string;
  start(): Promise<void>;
  onBeat(
    listener: (news: {
      readonly draining: boolean;
      readonly evicted: boolean;
      readonly lost: readonly string[];
    }) => void,
  ): () => void;
}

/**
 * Notifications start tasks; this look at all kinds at once only finds those of lost notifications and retries. Tasks
 * of a killed worker restart within 10 s: its lease (6 s), a beat of another worker (2 s), the pause before a retry (1
 * s), and this.
 */
const lookMs = 1000;
/** A task whose end could not be written is retried for this long, so that it is not redelivered needlessly. */
const completeTries = 30;

/** WorkQueue on pg-boss's tables. Starts at the first `work`. @param lease null: only for its depth */
export function createWorkQueue<Tables>(database: QueueDatabase<Tables>, lease: Lease | null): WorkQueue {
  return new Queue(database, lease);
}

class Queue<Tables> implements WorkQueue {
  private readonly database: QueueDatabase<Tables>;
  private readonly lease: Lease | null;
  private starting: Promise<PgBoss> | undefined;
  private stopping: Promise<void> | undefined;
  private readonly slots = new Map<TaskKind, Slots>();
  private readonly shutdown = new AbortController();
  /** Running tasks of this process, by kind and id. */
  private readonly running = new Map<string, Promise<void>>();
  private readonly claims = new Set<Claim>();
  /** Tasks that have ended, but whose end is not written yet. */
  private readonly ended = new Map<
    TaskKind,
    { readonly claim: Claim; readonly written: PromiseWithResolvers<void> }[]
  >();
  private readonly writing = new Map<TaskKind, Promise<void>>();
  private taking = true;
  private readonly timers: NodeJS.Timeout[] = [];
  private leave: (() => void) | undefined;

  constructor(database: QueueDatabase<Tables>, lease: Lease | null) {
    this.database = database;
    this.lease = lease;
  }

  async work(kind: TaskKind, slots: number, handler: QueueHandler, limits?: TaskLimits): Promise<void> {
    const { lease } = this;
    if (this.stopping !== undefined || lease === null)
      throw new EarshotError('internal_error', 'The queue has been stopped; expected work() before stop()');
    const boss = await this.start(lease);
    const perOwner = limits?.perOwner ?? null;
    const suited = limits?.worker ? suitedValues(limits.worker) : null;
    /** Statements that found tasks; each takes one class first. */
    let starts = 0;
    const taken = openSlots({
      kind,
      slots,
      mayTake: () => this.taking && this.stopping === undefined && (limits?.mayTake?.() ?? true),
      claim: async (most, running) => {
        const next = nextPick({ ...limits, slots }, running, starts);
        const pick = { ...next, most: Math.min(most, next.most) };
        const claims = await (perOwner === null
          ? claimTasks(this.database, kind, pick, lease.workerId, suited)
          : this.database.transaction((trx) => claimWithin(trx, kind, perOwner, pick, lease.workerId, suited)));
        if (claims.length > 0) starts += 1;
        return claims;
      },
      run: async (claim, free) => {
        await this.runClaim(boss, claim, (id, signal) => handler(id, signal, free));
        // The owner's next task may have waited for this one.
        if (perOwner !== null) this.slots.get(kind)?.poll();
      },
      onError: (thrown) => this.warn(thrown, 'Could not query the queue; retrying'),
    });
    this.slots.set(kind, taken);
    taken.poll();
  }

  /** Number of running tasks. */
  busy(): number {
    return this.claims.size;
  }

  private async start(lease: Lease): Promise<PgBoss> {
    this.starting ??= this.open(lease).catch((error: unknown) => {
      this.starting = undefined;
      throw new EarshotError('internal_error', 'Cannot connect to the queue', {
        cause: error,
        nextAction: 'Check that the database runs and has been migrated.',
      });
    });
    return this.starting;
  }

  private async open(lease: Lease): Promise<PgBoss> {
    await lease.start();
    const boss = await createBoss(this.database, {
      supervise: true,
      migrate: false,
      useListenNotify: true,
      superviseIntervalSeconds: superviseSeconds,
      monitorIntervalSeconds: superviseSeconds,
      maintenanceIntervalSeconds: 60,
      onTask: (kind) => {
        if (kind === null) for (const each of this.slots.values()) each.poll();
        else this.slots.get(kind)?.poll();
      },
    }).start();
    const redeliver = createRedeliver(boss);
    this.leave = lease.onBeat(({ draining, evicted, lost }) => {
      this.taking = !draining && !evicted;
      // Its remaining tasks belong to other workers.
      if (evicted) this.shutdown.abort();
      if (lost.length > 0) void this.takeOver(redeliver, lost);
    });
    this.timers.push(
      setInterval(() => void this.look(), lookMs).unref(),
      setInterval(() => void this.renewEntries(boss), lookMs).unref(),
    );
    return boss;
  }

  private async takeOver(redeliver: ReturnType<typeof createRedeliver>, lost: readonly string[]): Promise<void> {
    try {
      const tasks = await this.database.transaction((trx) => redeliver(trx, lost, 'lost'));
      if (tasks > 0) this.database.log.warn({ lost, tasks }, 'Workers are lost; their tasks start again');
    } catch (thrown) {
      this.warn(thrown, 'Could not take over the tasks of lost workers; retrying');
    }
  }

  private async look(): Promise<void> {
    if (!this.taking || this.stopping !== undefined) return;
    try {
      for (const kind of await dueKinds(this.database, [...this.slots.keys()])) this.slots.get(kind)?.poll();
    } catch (thrown) {
      this.warn(thrown, 'Could not query the queue; retrying');
    }
  }

  private readonly renewedAt = new Map<string, number>();

  /** Renews the fallback heartbeat (see boss.ts) three times in its lifetime, one statement for each kind. */
  private async renewEntries(boss: PgBoss): Promise<void> {
    const now = performance.now();
    const due = [...this.claims].filter(({ id, heartbeatSeconds }) => {
      const at = this.renewedAt.get(id) ?? now;
      this.renewedAt.set(id, at);
      return heartbeatSeconds !== null && now - at >= (heartbeatSeconds * 1000) / 3 - lookMs;
    });
    for (const { id } of due) this.renewedAt.set(id, now);
    for (const kind of new Set(due.map((claim) => claim.kind)))
      await boss
        .touch(
          kind,
          due.filter((claim) => claim.kind === kind),
        )
        .catch((thrown: unknown) => this.warn(thrown, 'Could not renew running tasks; retrying'));
  }

  private async runClaim(boss: PgBoss, claim: Claim, handler: QueueHandler): Promise<void> {
    const { kind, task } = claim;
    this.claims.add(claim);
    try {
      await this.once(kind, task, handler);
      await this.complete(claim);
    } catch (error) {
      if (!this.shutdown.signal.aborted)
        this.database.log.warn({ err: error, kind, id: task }, 'A task failed and will be delivered again');
      // The entry's lease stays until the next claim replaces it, which is harmless.
      await boss
        .fail(kind, claim, { message: error instanceof Error ? error.message : String(error) })
        .catch((thrown: unknown) => this.warn(thrown, 'Could not give a task back'));
    } finally {
      this.claims.delete(claim);
      this.renewedAt.delete(claim.id);
    }
  }

  /**
   * A task may be delivered again while it is still running here: the database was unavailable for longer than a lease,
   * or the run requeued it and has not returned yet. Then wait for that run first.
   */
  private async once(kind: TaskKind, id: string, handler: QueueHandler): Promise<void> {
    const name = `${kind} ${id}`;
    for (let current = this.running.get(name); current !== undefined; current = this.running.get(name))
      await current.catch(() => {});
    const run = (async () => handler(id, this.shutdown.signal))();
    this.running.set(name, run);
    try {
      await run;
    } finally {
      this.running.delete(name);
    }
  }

  /** Writes in one statement the ends of all tasks that ended during the last write. */
  private complete(claim: Claim): Promise<void> {
    const { kind } = claim;
    const written = Promise.withResolvers<void>();
    const waiting = this.ended.get(kind) ?? [];
    this.ended.set(kind, [...waiting, { claim, written }]);
    if (!this.writing.has(kind))
      this.writing.set(
        kind,
        this.writeEnds(kind).finally(() => this.writing.delete(kind)),
      );
    return written.promise;
  }

  private async writeEnds(kind: TaskKind): Promise<void> {
    for (let batch = this.ended.get(kind) ?? []; batch.length > 0; batch = this.ended.get(kind) ?? []) {
      this.ended.delete(kind);
      const claims = batch.map(({ claim }) => claim);
      try {
        for (let tries = 1; ; tries += 1) {
          try {
            await completeTasks(this.database, kind, claims, this.lease?.workerId ?? '');
            break;
          } catch (thrown) {
            if (tries >= (this.shutdown.signal.aborted ? 3 : completeTries)) throw thrown;
            this.warn(thrown, 'Could not write the end of a task; retrying');
            await sleep(Math.min(1000, 50 * 2 ** tries));
          }
        }
        for (const { written } of batch) written.resolve();
      } catch (thrown) {
        for (const { written } of batch) written.reject(thrown);
      }
    }
  }

  stop(graceMs: number): Promise<void> {
    this.stopping ??= this.end(graceMs);
    return this.stopping;
  }

  private async end(graceMs: number): Promise<void> {
    const boss = await this.starting?.catch(() => undefined);
    if (boss === undefined) return;
    // Resolves when the current tasks are done and their entries are settled.
    const drained = Promise.all([...this.slots.values()].map((each) => each.drained()));
    const inTime = new AbortController();
    await Promise.race([drained, sleep(graceMs, undefined, { signal: inTime.signal }).catch(() => undefined)]);
    inTime.abort();
    this.shutdown.abort();
    await drained;
    for (const timer of this.timers) clearInterval(timer);
    this.leave?.();
    await boss.stop({ graceful: false });
  }

  async depth(): Promise<Readonly<Record<TaskKind, number>>> {
    const { rows } = await sql<{ name: TaskKind; count: number }>`
      select name, count(*)::int as count from ${sql.table(`${queueSchema}.job`)}
      where state < 'active' and name in (${sql.join(taskKinds)}) group by name`.execute(this.database.kysely);
    const depth = Object.fromEntries(taskKinds.map((kind) => [kind, 0])) as Record<TaskKind, number>;
    for (const { name, count } of rows) depth[name] = count;
    return depth;
  }

  private readonly saidAt = new Map<string, number>();

  /** At most every 10 s: an outage would fill the log. */
  private warn(thrown: unknown, message: string): void {
    const now = performance.now();
    if (now - (this.saidAt.get(message) ?? -Infinity) < 10_000) return;
    this.saidAt.set(message, now);
    this.database.log.warn({ err: thrown }, message);
  }
}
