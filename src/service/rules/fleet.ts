import type { Progress } from '../../library/core/progress.ts';

/** What a process of the fleet says of itself when it starts. */
export interface WorkerFacts {
  /** Host, process and a random part; unique. */
  readonly id: string;
  /** Name of its machine. */
  readonly host: string;
  /** Version of Earshot, such as "0.1.0". */
  readonly version: string;
  readonly roles: readonly FleetRole[];
  /** The operator's own labels, such as "gpu"; see pools. */
  readonly labels: readonly string[];
  /** Jobs at the same time; 0 for an API. */
  readonly slots: number;
  /** Most connections to the database that it opens. */
  readonly connections: number;
  /** Identifies what it runs: version and architecture. */
  readonly build: string;
  /** Ids of its installed models. */
  readonly models: readonly string[];
}

/** What a process does: answers requests, or runs tasks. */
export type FleetRole = 'api' | 'worker';

/** A process of the fleet as the database knows it. */
export interface FleetWorker extends WorkerFacts {
  /** Number of tasks that it runs, at least 0. */
  readonly running: number;
  /** Busy part of its cores in the last minute: 0 to 1, more when processes wait. */
  readonly load: number;
  readonly startedAt: Date;
  readonly lastBeatAt: Date;
  /** Seconds since its last beat, by the database's clock. */
  readonly silentSeconds: number;
  /** 'lost': without a beat for longer than its lease; its tasks were given to others, or are about to be. */
  readonly state: 'running' | 'draining' | 'evicted' | 'lost';
}

/** Without a beat for so long, a worker has lost its tasks. */
export const leaseSeconds = 6;

/** The fleet, for its operator. */
export interface FleetStore {
  /** Workers first, then APIs, each by host. */
  list(): Promise<readonly FleetWorker[]>;
  /** A draining worker finishes what it runs and takes nothing new. false: there is no such worker. */
  setDraining(id: string, draining: boolean): Promise<boolean>;
  /**
   * Takes all tasks from a worker at once: they start elsewhere, no attempt is counted, and what the worker still
   * reports of them is dropped. It takes nothing new until it is started again. false: there is no such worker.
   */
  evict(id: string): Promise<boolean>;
}

/** What the database knows of a reported attempt. */
export interface ReportAnswer {
  /** false: another attempt owns the job or it has ended; stop working on it. */
  readonly current: boolean;
  /** Has a client asked to cancel it? */
  readonly cancelRequested: boolean;
}

/**
 * The lease of this process, and everything that running jobs ask and tell regularly: one statement for all of it.
 * Nothing here is essential: it is committed without waiting for the disk.
 */
export interface Heartbeat {
  /** Stores the progress of a running attempt. */
  report(id: string, attempt: number, progress: Progress): Promise<ReportAnswer>;
  /** The jobs among these that have a cancel request. */
  cancelRequested(ids: readonly string[]): Promise<readonly string[]>;
}
