import type { StillLeads } from './leadership.ts';
import type { Progress } from '../../../library/core/progress/progress.ts';

/** What a process of the fleet registers when it starts. */
export interface WorkerFacts {
  /** Unique: host, process id and a random part. */
  readonly id: string;
  /** Host name of its machine; of a runner the operator's name for it. */
  readonly host: string;
  /** Version of Earshot, such as "0.1.0". */
  readonly version: string;
  readonly roles: readonly FleetRole[];
  /** The operator's labels, such as "gpu". */
  readonly labels: readonly string[];
  /** Jobs at the same time; 0 for an API, and for a worker that only checks files. */
  readonly slots: number;
  /** Most database connections that it opens. */
  readonly connections: number;
  /** Identifies its program: version and architecture. */
  readonly build: string;
  /** Ids of its installed models. */
  readonly models: readonly string[];
}

/** Role of the process: answers requests, or runs tasks; a runner is a worker that has them through the API. */
export type FleetRole = 'api' | 'worker' | 'runner';

/** A process of the fleet as the database knows it. */
export interface FleetWorker extends WorkerFacts {
  /** Number of tasks that it runs, at least 0. */
  readonly running: number;
  /** Load of its cores in the last minute: 0 to 1, more when processes wait. */
  readonly load: number;
  /** What its machine lacks for all jobs, such as "disk"; null: nothing known. It takes none for a while. */
  readonly unfit: string | null;
  /** Since when, by the database's clock; null: it is fit. */
  readonly unfitSince: Date | null;
  readonly startedAt: Date;
  readonly lastBeatAt: Date;
  /** Seconds since its last beat, by the database's clock. */
  readonly silentSeconds: number;
  /** 'lost': without a beat for longer than its lease; its tasks were given to others, or are about to be. */
  readonly state: 'running' | 'draining' | 'evicted' | 'lost';
}

/** A worker without a beat for this long loses its tasks. */
export const leaseSeconds = 6;

/** A job that no machine could run for so long fails. */
export const unfitSeconds = 15 * 60;

/** The fleet, for the operator; and for machines that come through the API, whose beats it writes down. */
export interface FleetStore {
  /** A beat of a machine without its own heartbeat. It is in the fleet until it leaves, or sends none for a lease. */
  beat(
    facts: WorkerFacts,
    load: Pick<FleetWorker, 'running' | 'load'> & { readonly unfit?: string | null },
  ): Promise<{ readonly draining: boolean; readonly evicted: boolean }>;
  /** It has stopped. */
  leave(id: string): Promise<void>;
  /** Workers first, then APIs, each by host. */
  list(): Promise<readonly FleetWorker[]>;
  /** A draining worker finishes what it runs and takes nothing new. false: there is no such worker. */
  setDraining(id: string, draining: boolean): Promise<boolean>;
  /**
   * Takes all tasks from a worker at once: they start elsewhere, no attempt is counted, and late reports of the worker
   * are ignored. It takes nothing new until it is started again. false: there is no such worker.
   */
  evict(id: string): Promise<boolean>;
  /**
   * Inputs of the first waiting job, among so many at the front of the queue, that no worker has copies of; none: every
   * job has some.
   */
  inputsAhead(front: number): Promise<readonly string[]>;
  /** Notes that a worker has copies of these files, so that their next jobs go there. */
  noteHeld(workerId: string, fileIds: readonly string[]): Promise<void>;
  /**
   * Ends queued jobs that no living worker may run, because none has the models that their order was promised, and that
   * have waited for so long. Returns their number.
   */
  failUnsuited(afterSeconds: number, stillLeads?: StillLeads): Promise<number>;
  /**
   * Ends queued jobs that machines have handed back for `unfitSeconds`, while none was fit. Returns their number.
   */
  failPassedOn(stillLeads?: StillLeads): Promise<number>;
}

/** State of a reported attempt in the database. */
export interface ReportAnswer {
  /** false: another attempt owns the job, or the job has ended; stop working on it. */
  readonly current: boolean;
  /** Has the client requested to cancel it? */
  readonly cancelRequested: boolean;
}

/**
 * The lease of this process, and the regular reports and questions of its running jobs, in one statement. None of it
 * must survive a crash, so it commits without waiting for the disk.
 */
export interface Heartbeat {
  /** Stores the progress of a running attempt. */
  report(id: string, attempt: number, progress: Progress): Promise<ReportAnswer>;
  /** Of these jobs, those with a cancel request. */
  cancelRequested(ids: readonly string[]): Promise<readonly string[]>;
}

/** What a worker says of itself when it claims jobs. */
export interface ClaimingWorker {
  /** Version of Earshot, such as "0.1.0". */
  readonly version: string;
  /** The operator's labels of this machine. */
  readonly labels: readonly string[];
  /** Ids of its installed models. */
  readonly models: readonly string[];
  /** The label that a tool's jobs prefer, by tool. */
  readonly pools: Readonly<Record<string, string>>;
  /** Tools whose results depend on models. */
  readonly modelTools: readonly string[];
  /** A job is left to a machine that suits it better, and has a free slot, for so long. */
  readonly waitSeconds: number;
}

/** What the jobs that a process orders are promised, and those that it starts are run by. */
export type RunIdentity = Pick<WorkerFacts, 'version' | 'build' | 'models'>;
