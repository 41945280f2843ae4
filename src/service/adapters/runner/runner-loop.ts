import { randomBytes } from 'node:crypto';
import { setTimeout as sleep } from 'node:timers/promises';
import { EarshotError } from '../../../library/core/errors/errors.ts';
import type { Log } from '../../rules/shared/log.ts';
import type { RunnerOrder } from '../../rules/runners/order.ts';
import type { RunnerMachine } from '../../rules/runners/machine.ts';
import { Fitness } from '../../rules/worker/fitness.ts';
import { createTurns } from '../../rules/worker/turns.ts';
import { type RunOrderDeps, runOrder } from './run-order.ts';
import { mayRepeat } from './runner-client.ts';

export interface RunnerLoopDeps extends Omit<RunOrderDeps, 'newsMs'> {
  readonly token: string;
  /** What it says of its machine; `load` as of now. */
  readonly machine: Omit<RunnerMachine, 'session' | 'running' | 'load'>;
  readonly load: () => number;
  readonly log: Log;
  /** Whether this machine can run jobs. Default: without a probe */
  readonly fitness?: Fitness;
  /** When it ends by itself. Default: never */
  readonly limits?: RunnerLimits;
  /** For tests. */
  readonly times?: Partial<RunnerTimes>;
}

/** For job engines that start a runner for the work that waits. */
export interface RunnerLimits {
  /** After so many jobs. null: any number */
  readonly maxJobs: number | null;
  /** After so long without one. null: it waits for ever */
  readonly idleSeconds: number | null;
}

interface RunnerTimes {
  readonly waitSeconds: number;
  readonly newsMs: number;
  readonly firstPauseMs: number;
  /** Pause before the next job, after one that could not be run here. */
  readonly unfitMs: number;
}

/**
 * A request for a job is never aborted, so that no job is assigned to a client that has gone: a stop waits for the
 * answer. Requests are its beats in the fleet, and come well within the lease (fleet.ts).
 */
const usualTimes: RunnerTimes = { waitSeconds: 4, newsMs: 2000, firstPauseMs: 500, unfitMs: 10_000 };
const longestPauseMs = 30_000;

/** Asks for jobs and runs them, up to the number of slots at a time. */
export class RunnerLoop {
  private readonly deps: RunnerLoopDeps;
  private readonly times: RunnerTimes;
  private readonly session = randomBytes(8).toString('hex');
  private readonly turns = createTurns();
  private readonly noMore = new AbortController();
  private readonly shutdown = new AbortController();
  private readonly under = new Set<Promise<void>>();
  private busy = 0;
  private freed: (() => void) | null = null;
  private notBefore = 0;
  private taken = 0;
  private idleSince = performance.now();
  private readonly fitness: Fitness;

  constructor(deps: RunnerLoopDeps) {
    this.deps = deps;
    this.times = { ...usualTimes, ...deps.times };
    this.fitness = deps.fitness ?? new Fitness();
  }

  /**
   * Resolves when `stop` was called, or its limits are reached, and all jobs have ended or gone back.
   * @throws EarshotError when the service refuses this runner: its token, its version; or when its machine could run
   *   none of several jobs in a row
   */
  async run(): Promise<void> {
    const { log, token, machine, load, client, limits = noLimits } = this.deps;
    const { session } = this;
    this.idleSince = performance.now();
    let pauseMs = this.times.firstPauseMs;
    try {
      while (!this.noMore.signal.aborted && this.taken < (limits.maxJobs ?? Infinity)) {
        await this.aSlot(machine.slots);
        if (this.noMore.signal.aborted) break;
        await this.fitness.prove(log);
        if (this.fitness.isHopeless) throw hopeless(this.fitness.reason);
        try {
          const waitSeconds = Math.min(this.times.waitSeconds, this.idleLeft());
          const fit = { unfit: this.fitness.reason, takesJobs: this.fitness.mayTake() };
          const asked = { ...machine, ...fit, session, running: this.busy, load: load(), waitSeconds };
          const order = await client.ask(token, asked);
          pauseMs = this.times.firstPauseMs;
          if (order !== null && !(await this.declined(order))) this.take(order);
          if (order === null && this.idleLeft() === 0) break;
        } catch (thrown) {
          if (this.noMore.signal.aborted) break;
          const isFull = thrown instanceof EarshotError && thrown.code === 'limit_exceeded';
          if (!isFull && !mayRepeat(thrown)) throw thrown;
          if (this.idleLeft() === 0) throw noAnswer(thrown);
          log.warn({ err: thrown, pauseMs }, 'The service gave no answer; asking again');
          await this.pause(pauseMs);
          pauseMs = Math.min(longestPauseMs, pauseMs * 2);
        }
      }
    } finally {
      await Promise.all(this.under);
    }
    await client.leave(token, session).catch(() => undefined);
  }

  /** Takes no more jobs; running ones have this time, then they are handed back. */
  stop(graceMs: number): void {
    this.noMore.abort();
    setTimeout(() => this.shutdown.abort(), graceMs).unref();
    if (graceMs <= 0) this.shutdown.abort();
  }

  /** A job that arrived while stopping is handed back at once. */
  private async declined(order: RunnerOrder): Promise<boolean> {
    if (!this.noMore.signal.aborted) return false;
    await this.deps.client.end(order.token, 'back', AbortSignal.timeout(10_000));
    return true;
  }

  /** Seconds until it has waited for long enough, at least 0. */
  private idleLeft(): number {
    const { idleSeconds } = this.deps.limits ?? noLimits;
    if (idleSeconds === null || this.under.size > 0) return Infinity;
    return Math.max(0, idleSeconds - (performance.now() - this.idleSince) / 1000);
  }

  private take(order: RunnerOrder): void {
    this.busy += 1;
    this.taken += 1;
    let held = true;
    const free = (): void => {
      if (!held) return;
      held = false;
      this.busy -= 1;
      this.freed?.();
    };
    const running = this.runInTurn(order, free)
      .catch((thrown: unknown) => this.deps.log.error({ err: thrown }, 'A job ended unexpectedly'))
      .finally(() => {
        free();
        this.under.delete(running);
        this.idleSince = performance.now();
      });
    this.under.add(running);
  }

  private async runInTurn(order: RunnerOrder, free: () => void): Promise<void> {
    const endTurn = await this.turns.take(order.alone, new AbortController().signal);
    try {
      const end = await runOrder(
        { ...this.deps, newsMs: this.times.newsMs },
        order,
        this.shutdown.signal,
        order.alone ? () => undefined : free,
      );
      if (end === 'ended') this.fitness.succeeded();
      else if (end === 'later') this.notBefore = performance.now() + this.times.unfitMs;
      else this.fitness.failed(end, this.deps.log);
    } finally {
      endTurn();
    }
  }

  private async aSlot(slots: number): Promise<void> {
    // Twice as many, counting those whose outputs are still being sent.
    while (this.busy >= slots || this.under.size >= 2 * slots) {
      await Promise.race([
        new Promise<void>((resolve) => (this.freed = resolve)),
        ...this.under,
        ended(this.noMore.signal),
      ]);
      if (this.noMore.signal.aborted) return;
    }
    await this.pause(this.notBefore - performance.now());
  }

  private async pause(ms: number): Promise<void> {
    if (ms > 0) await sleep(ms, undefined, { signal: this.noMore.signal }).catch(() => undefined);
  }
}

const noAnswer = (cause: unknown): EarshotError =>
  new EarshotError('internal_error', 'The service gave no answer', {
    cause,
    retryable: true,
    nextAction: 'Look at its address and at the service; then try again.',
  });

const noLimits: RunnerLimits = { maxJobs: null, idleSeconds: null };

const hopeless = (lacks: string | null): EarshotError =>
  new EarshotError('internal_error', `This machine could run none of several jobs in a row: it lacks ${lacks}`, {
    nextAction: 'Look into its log, and at earshot doctor here; it tries again when it is started again.',
  });

const ended = (signal: AbortSignal): Promise<void> =>
  new Promise((resolve) =>
    signal.aborted ? resolve() : signal.addEventListener('abort', () => resolve(), { once: true }),
  );
