import type { JsonObject } from '../../library/core/json.ts';
import type { ToolId } from '../../library/contract/tool-ids.ts';
import type { LegacyOutput } from './legacy-jobs/legacy-jobs.ts';
import type { JobStatus, StoredError } from './records.ts';

/** The port to where jobs of the older API are remembered: beside the job itself, what only that interface knows. */

/**
 * 'arriving': its file is on its way or being checked. 'ordered': its job exists. 'delivered': its result has arrived at
 * the address that was given. 'failed': it never became a job, or its result could not be sent.
 */
export type LegacyJobStatus = 'arriving' | 'ordered' | 'delivered' | 'failed';

/** A job that the older API was asked for. */
export interface LegacyJob {
  /** The id of its job, whether there is one or not: "job_...". */
  readonly id: string;
  /** Who pays, and may ask for it. */
  readonly accountId: string;
  /** Its input; the file may have gone. */
  readonly fileId: string;
  readonly tool: ToolId;
  readonly options: JsonObject;
  /** The result must be such a file ("ogg"), which only one that is such a file already becomes; null: any. */
  readonly ownFormat: string | null;
  /** Is the file fetched from a link? */
  readonly fromLink: boolean;
  /** Where the result is to be sent; null: nowhere (any more). It may carry a secret. */
  readonly outputUrl: string | null;
  readonly status: LegacyJobStatus;
  /** Why it failed; null otherwise. */
  readonly error: StoredError | null;
  readonly createdAt: Date;
  readonly expiresAt: Date;
}

/** A job of the older API at its creation. */
export type NewLegacyJob = Omit<LegacyJob, 'status' | 'error'>;

/** All that its status is made of, read at one moment. */
export interface LegacyJobLook {
  readonly legacy: LegacyJob;
  /** Are the file's bytes still on their way? */
  readonly arriving: boolean;
  /** null: not ordered (yet). */
  readonly job: {
    readonly status: JobStatus;
    /** Has it been started, ever? */
    readonly started: boolean;
    /** The most that any start of it has reached, 0 to 1: it never falls. */
    readonly furthest: number;
    readonly error: StoredError | null;
  } | null;
  /** How many jobs are taken before this one, at least 0, as long as it waits. */
  readonly jobsAhead: number;
  /** null: none (yet). */
  readonly output: LegacyOutput | null;
}

/** Jobs of the older API: what was asked for, and what became of it. */
export interface LegacyJobStore {
  /**
   * A job whose file is on its way, or here.
   * @param orderedBy 'task': as soon as the file is checked, a task of the queue orders it, whatever becomes of the
   * caller. 'caller': the caller does so now; should it die, a worker's reconciler finds the job
   */
  create(job: NewLegacyJob, orderedBy: 'task' | 'caller'): Promise<void>;
  /** null when there is none (any more). */
  get(id: string): Promise<LegacyJob | null>;
  /** null when there is none (any more). */
  look(id: string): Promise<LegacyJobLook | null>;
  /** Its job exists. Only while it was arriving. */
  ordered(id: string): Promise<void>;
  /** It becomes no job. Only while it was arriving. */
  failed(id: string, error: StoredError): Promise<void>;
  /** Drops the row: nobody was told of it. */
  remove(id: string): Promise<void>;
  /** Its result has been sent; the address is forgotten. */
  delivered(id: string): Promise<void>;
  /**
   * Its result cannot be sent: what was charged goes back to the account (an adjustment), and the result goes.
   * @returns where the result's bytes lie, which are the caller's to remove; null when it was settled before
   */
  undeliverable(id: string, error: StoredError): Promise<readonly string[] | null>;
}
