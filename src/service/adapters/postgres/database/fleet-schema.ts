// The tables' types of workers, runners and what APIs count together. A part of schema.ts.
import type { ColumnType, Generated } from 'kysely';
import type { FleetWorker } from '../../../rules/fleet/fleet.ts';
import type { Runner, RunnerAnswer, RunnerOutput, RunnerRun } from '../../../rules/runners/runner-store.ts';
import type { CreatedAt, Json, JsonOrNull, TableOf } from './columns.ts';

/** Which workers have copies of which files. Worth nothing after a crash. */
export interface HeldInputTable {
  /** Public id of the copied file, "file_...". */
  fileId: string;
  /** The worker with the copy. */
  workerId: string;
  heldAt: CreatedAt;
}

/** Jobs that were running in a worker when it died. Deleted with the jobs. */
export interface WorkerDeathTable {
  /** The worker's own id: host, process and a random part. */
  workerId: string;
  /** The job that was running. */
  jobId: string;
  /** Were other jobs running in that worker, so that the attempt does not count? */
  shared: boolean;
  notedAt: CreatedAt;
}

/** The processes of the fleet. Each renews its row; the row of one that ended is deleted, that of a lost one later. */
export type WorkerTable = TableOf<
  Omit<FleetWorker, 'state' | 'silentSeconds'>,
  {
    running: Generated<number>;
    /** What its machine lacks for all jobs; null: nothing known. */
    unfit: string | null;
    /** Since its first such failure in a row; null: it is fit. */
    unfitSince: Date | null;
    load: Generated<number>;
    startedAt: CreatedAt;
    /** Set by the database, whose clock decides which workers are lost. */
    lastBeatAt: CreatedAt;
    draining: Generated<boolean>;
    evicted: Generated<boolean>;
    /** When its tasks were given to others; null while it renews its row. */
    lostAt: Date | null;
  }
>;

/** Requests of all APIs in the current window, by key. */
export interface RateWindowTable {
  /** Hash of the limiter's key. */
  key: string;
  /** Requests in the window, at least 0. */
  count: number;
  endsAt: Date;
}

/** Uploads that arrive at an API. */
export interface ArrivingUploadTable {
  /** Its id in `workers`. */
  api: string;
  /** Hash of the account or the visitor. */
  owner: string;
  /** Uploads at once, at least 1. */
  files: number;
  /** An API that has died is not counted for longer. */
  endsAt: Date;
}

/** Which worker has a running task. Written together with the queue's entry. */
export interface TaskLeaseTable {
  /** Id of the queue's entry. */
  entryId: string;
  /** Kind of the task. */
  kind: string;
  /** The worker's own id. */
  workerId: string;
}

/** The worker that does the housekeeping: one row. */
export interface LeaderTable {
  one: Generated<boolean>;
  /** Its id in `workers`. */
  workerId: string;
  takenAt: CreatedAt;
}

/** Jobs that have ended, by status: one row. */
export interface EndedJobsTable {
  one: Generated<boolean>;
  /** Jobs that ended later are not counted yet. */
  until: Date;
  /** Number of jobs, at least 0. */
  succeeded: number;
  /** Number of jobs, at least 0. */
  failed: number;
  /** Number of jobs, at least 0. */
  cancelled: number;
}

/** What processes have counted since their start. */
export interface TallyTable {
  /** Its id in `workers`; empty: of all that are gone. */
  process: string;
  /** What was counted: see attempt-counts.ts. */
  name: string;
  /** At least 1. */
  count: number;
}

/** When each task of the housekeeping last ended well. */
export interface HousekeepingRoundTable {
  /** Name of the task. */
  name: string;
  /** The worker that did it: its id in `workers`. */
  workerId: string;
  endedAt: CreatedAt;
}

/** Machines that run jobs over https. Their tokens are not stored. */
export type RunnerTable = TableOf<
  Runner,
  {
    /** SHA-256 of the token, hex; unique. */
    hash: string;
    createdAt: CreatedAt;
    lastSeenAt: ColumnType<Date | null, Date | null | undefined>;
    revokedAt: ColumnType<Date | null, Date | null | undefined>;
    accepted: Generated<number>;
    refused: Generated<number>;
    unfinished: Generated<number>;
    unfinishedAt: ColumnType<Date | null, Date | null | undefined>;
  }
>;

/** Attempts of jobs at runners, until they have ended. */
export type RunnerRunTable = TableOf<
  RunnerRun,
  {
    outputs: Json<readonly RunnerOutput[]>;
    answer: JsonOrNull<RunnerAnswer>;
    createdAt: CreatedAt;
  }
>;
