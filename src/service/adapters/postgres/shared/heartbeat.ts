import type { Progress } from '../../../../library/core/progress/progress.ts';
import { type Heartbeat, leaseSeconds, type ReportAnswer, type WorkerFacts } from '../../../rules/fleet/fleet.ts';
import type { Database } from '../database/database.ts';

/** Shortest time between two beats while there is news from jobs. */
const busyMs = 250;
/** The same without news: three beats in a lease. */
const idleMs = 2000;

/** The state of the fleet that a beat returns. */
export interface BeatNews {
  /** The operator asks for no new tasks. */
  readonly draining: boolean;
  /** All tasks were given to other workers. */
  readonly evicted: boolean;
  /** Lost workers whose tasks have not been taken over yet. */
  readonly lost: readonly string[];
  /** Number of other running APIs. */
  readonly otherApis: number;
}

export interface BeatingHeart extends Heartbeat {
  readonly workerId: string;
  /** Offset of the database's clock from this machine's, ms. */
  readonly clockOffsetMs: () => number;
  /** Resolves after the first beat. @throws the database's error */
  start(): Promise<void>;
  /** Called after each beat. Returns a function that stops. */
  onBeat(listener: (news: BeatNews) => void): () => void;
  /** Deletes the row at an orderly shutdown. */
  stop(): Promise<void>;
}

/** What each beat reports about this process. */
export interface BeatLoad {
  readonly running: number;
  readonly load: number;
  /** What its machine lacks for all jobs; null: nothing known. Default: null */
  readonly unfit?: string | null;
}

interface Report {
  readonly id: string;
  readonly attempt: number;
  readonly progress: Progress;
  readonly answer: PromiseWithResolvers<ReportAnswer>;
}

interface Question {
  readonly ids: readonly string[];
  readonly answer: PromiseWithResolvers<readonly string[]>;
}

/** Without waiting for the disk, also through a pooler: beats lost in a database crash are repeated. */
export const quickly = `quickly as materialized (select set_config('synchronous_commit', 'off', true))`;
/**
 * Writes a beat into the process's row. $1 to $9: `factsOf`; $10 running tasks, $11 load, $12 what its machine lacks.
 */
export const writeBeat = `
  insert into workers as own (id, host, version, roles, labels, slots, connections, build, models, running, load, unfit,
    unfit_since)
  select $1, $2, $3, $4::text[], $5::text[], $6, $7, $8, $9::text[], $10, $11, $12::text, case when $12::text is not null then clock_timestamp() end
  from quickly
  on conflict (id) do update set last_beat_at = clock_timestamp(), running = excluded.running, load = excluded.load,
    labels = excluded.labels, slots = excluded.slots, models = excluded.models, lost_at = null,
    unfit = excluded.unfit,
    unfit_since = case when excluded.unfit is not null then coalesce(own.unfit_since, clock_timestamp()) end
  returning draining, evicted`;
export const factsOf = (facts: WorkerFacts): readonly unknown[] => {
  const { id, host, version, roles, labels, slots, connections, build, models } = facts;
  return [id, host, version, [...roles], [...labels], slots, connections, build, [...models]];
};

/**
 * One statement for everything. Rows locked by a settlement are skipped, so a beat never waits.
 */
const statement = `
with ${quickly},
beat as (${writeBeat}),
told as (
  select * from unnest($13::text[], $14::int[], $15::float8[], $16::text[], $17::float8[])
    as told (id, attempt, progress, stage, seconds_left)
),
free as (
  select jobs.id from jobs join told on jobs.id = told.id and jobs.attempt = told.attempt
  where jobs.status = 'running' for no key update of jobs skip locked
),
written as (
  update jobs set progress = told.progress, furthest = greatest(furthest, told.progress), stage = told.stage,
    estimated_seconds_left = told.seconds_left
  from told join free on free.id = told.id where jobs.id = told.id and jobs.attempt = told.attempt
)
select beat.draining, beat.evicted, extract(epoch from clock_timestamp()) * 1000 as now_ms,
  array(select id from workers where last_beat_at < clock_timestamp() - $18 * interval '1 second'
    and lost_at is null and id <> $1) as lost,
  (select count(*)::int from workers where 'api' = any(roles) and id <> $1
    and last_beat_at > clock_timestamp() - $18 * interval '1 second') as other_apis,
  (select coalesce(json_agg(json_build_array(told.id, told.attempt, jobs.attempt is not distinct from told.attempt
      and jobs.status = 'running', coalesce(jobs.cancel_requested, false))), '[]')
    from told left join jobs on jobs.id = told.id) as reported,
  array(select id from jobs where id = any($19::text[]) and cancel_requested) as cancelled
from beat`;

interface BeatRow {
  readonly draining: boolean;
  readonly evicted: boolean;
  readonly now_ms: string;
  readonly lost: readonly string[];
  readonly other_apis: number;
  readonly reported: readonly (readonly [id: string, attempt: number, current: boolean, cancelRequested: boolean])[];
  readonly cancelled: readonly string[];
}

const reportKey = (id: string, attempt: number): string => `${id} ${attempt}`;

/** The lease of one process on the database. @param load called at each beat */
export const createHeartbeat = (
  database: Pick<Database, 'queryAside' | 'log'>,
  facts: WorkerFacts,
  load: () => BeatLoad,
): BeatingHeart => new Heart(database, facts, load);

class Heart implements BeatingHeart {
  readonly workerId: string;
  private readonly database: Pick<Database, 'queryAside' | 'log'>;
  private readonly load: () => BeatLoad;
  /** The parameters that all beats share. */
  private readonly fixed: readonly unknown[];
  /** By attempt, not by job: a process that lost its lease for a while may have two attempts of one job. */
  private reports = new Map<string, Report>();
  private questions: Question[] = [];
  private readonly listeners = new Set<(news: BeatNews) => void>();
  private timer: NodeJS.Timeout | undefined;
  private beating: Promise<void> | undefined;
  private lastBeatAt = -Infinity;
  private offsetMs = 0;
  private failing = false;
  private started: Promise<void> | undefined;
  private stopped = false;

  constructor(database: Pick<Database, 'queryAside' | 'log'>, facts: WorkerFacts, load: () => BeatLoad) {
    this.workerId = facts.id;
    this.database = database;
    this.load = load;
    this.fixed = factsOf(facts);
  }

  clockOffsetMs = (): number => this.offsetMs;

  async start(): Promise<void> {
    this.started ??= this.beat().then(
      () => this.schedule(),
      (thrown: unknown) => {
        this.started = undefined;
        throw thrown;
      },
    );
    await this.started;
  }

  onBeat(listener: (news: BeatNews) => void): () => void {
    this.listeners.add(listener);
    return () => this.listeners.delete(listener);
  }

  async report(id: string, attempt: number, progress: Progress): Promise<ReportAnswer> {
    await this.start();
    const answer = Promise.withResolvers<ReportAnswer>();
    // An earlier, unsent report of the same attempt gets the same answer.
    const key = reportKey(id, attempt);
    const earlier = this.reports.get(key);
    if (earlier !== undefined) answer.promise.then(earlier.answer.resolve, earlier.answer.reject);
    this.reports.set(key, { id, attempt, progress, answer });
    this.schedule();
    return answer.promise;
  }

  async cancelRequested(ids: readonly string[]): Promise<readonly string[]> {
    if (ids.length === 0) return [];
    await this.start();
    const answer = Promise.withResolvers<readonly string[]>();
    this.questions.push({ ids, answer });
    this.schedule();
    return answer.promise;
  }

  async stop(): Promise<void> {
    if (this.stopped) return;
    this.stopped = true;
    clearTimeout(this.timer);
    await this.beating;
    const ended = new Error('The process is stopping');
    for (const { answer } of [...this.reports.values(), ...this.questions]) answer.reject(ended);
    if (this.started === undefined) return;
    await this.database
      .queryAside('delete from workers where id = $1', [this.workerId])
      // Not essential: the row of a dead process is removed later.
      .catch(() => undefined);
  }

  private schedule(): void {
    if (this.stopped || this.started === undefined || this.beating !== undefined) return;
    clearTimeout(this.timer);
    const pauseMs = this.reports.size > 0 || this.questions.length > 0 ? busyMs : idleMs;
    this.timer = setTimeout(
      () => {
        this.beating = this.beatAndGoOn();
      },
      Math.max(0, this.lastBeatAt + pauseMs - performance.now()),
    );
  }

  private async beatAndGoOn(): Promise<void> {
    await this.beat().catch(() => undefined);
    this.beating = undefined;
    this.schedule();
  }

  private async beat(): Promise<void> {
    const { reports, questions } = this;
    this.reports = new Map();
    this.questions = [];
    this.lastBeatAt = performance.now();
    const sent = [...reports.values()];
    try {
      const row = await this.send(sent, questions);
      const answers = new Map(
        row.reported.map(([id, attempt, current, cancelRequested]) => [
          reportKey(id, attempt),
          { current, cancelRequested },
        ]),
      );
      for (const { id, attempt, answer } of sent)
        answer.resolve(answers.get(reportKey(id, attempt)) ?? { current: false, cancelRequested: false });
      const cancelled = new Set(row.cancelled);
      for (const { ids, answer } of questions) answer.resolve(ids.filter((id) => cancelled.has(id)));
      this.failing = false;
      const { draining, evicted, lost, other_apis: otherApis } = row;
      for (const listener of this.listeners) listener({ draining, evicted, lost, otherApis });
    } catch (thrown) {
      for (const { answer } of sent) answer.reject(thrown);
      for (const { answer } of questions) answer.reject(thrown);
      if (!this.failing && this.started !== undefined && !this.stopped)
        this.database.log.warn({ err: thrown }, 'Could not renew the lease of this process; retrying');
      this.failing = true;
      throw thrown;
    }
  }

  private async send(reports: readonly Report[], questions: readonly Question[]): Promise<BeatRow> {
    const { running, load, unfit = null } = this.load();
    const { rows } = await this.database.queryAside(statement, [
      ...this.fixed,
      running,
      load,
      unfit,
      reports.map(({ id }) => id),
      reports.map(({ attempt }) => attempt),
      reports.map(({ progress }) => Math.min(1, Math.max(0, progress.progress))),
      reports.map(({ progress }) => progress.stage),
      reports.map(({ progress }) => progress.estimatedSecondsLeft),
      leaseSeconds,
      questions.flatMap(({ ids }) => ids),
    ]);
    const [row] = rows as readonly BeatRow[];
    if (row === undefined) throw new Error('The database returned no row for a heartbeat');
    // The database's time falls between the two.
    this.offsetMs = Number(row.now_ms) + (performance.now() - this.lastBeatAt) / 2 - Date.now();
    return row;
  }
}
