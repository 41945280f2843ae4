import type { JsonObject } from '../../../library/core/json.ts';
import type { ToolId } from '../../../library/contract/tool-ids.ts';
import type { JobStatus } from '../jobs/stored-job.ts';
import type { StoredError } from '../shared/stored-error.ts';

/** The store of older-API jobs: the fields of that interface, beside the job itself. */

/**
 * 'arriving': its file is being received or checked. 'ordered': its job exists. 'delivered': its result was sent to the
 * output URL. 'failed': no job was created, or its result could not be sent.
 */
export type LegacyJobStatus = 'arriving' | 'ordered' | 'delivered' | 'failed';

/** A job of the older API. */
export interface LegacyJob {
  /** Also the id of its job, if one is created: "job_...". */
  readonly id: string;
  /** The account that pays for it and may read it. */
  readonly accountId: string;
  /** Its input; the file may be deleted. */
  readonly fileId: string;
  readonly tool: ToolId;
  readonly options: JsonObject;
  /** Required output format ("ogg") that the tool writes only for inputs of the same format; null: any. */
  readonly ownFormat: string | null;
  /** Is the file fetched from a link? */
  readonly fromLink: boolean;
  /** Where to send the result; null: nowhere, or it was sent. May contain a secret. */
  readonly outputUrl: string | null;
  readonly status: LegacyJobStatus;
  /** Why it failed; null otherwise. */
  readonly error: StoredError | null;
  readonly createdAt: Date;
  readonly expiresAt: Date;
}

/** A job of the older API at its creation. */
export type NewLegacyJob = Omit<LegacyJob, 'status' | 'error'>;

/** The result of a job of the older API. */
export interface LegacyOutput {
  /** The file may be deleted. */
  readonly fileId: string;
  /** Empty if the file is deleted. */
  readonly filename: string;
  /** null: the file is deleted. */
  readonly expiresAt: Date | null;
}

/** Everything that its status depends on, from one query. */
export interface LegacyJobLook {
  readonly legacy: LegacyJob;
  /** Is the file still being fetched? */
  readonly arriving: boolean;
  /** null: not ordered (yet). */
  readonly job: {
    readonly status: JobStatus;
    /** Was it ever started? */
    readonly started: boolean;
    /** Highest progress of all its attempts, 0 to 1: never falls. */
    readonly furthest: number;
    readonly error: StoredError | null;
  } | null;
  /** Number of queued jobs before it, at least 0, while it is queued: never more than was told before. */
  readonly jobsAhead: number;
  /** null: none (yet). */
  readonly output: LegacyOutput | null;
}

/** Jobs of the older API. */
export interface LegacyJobStore {
  /**
   * Creates a job whose file is arriving or ready.
   * @param orderedBy 'task': a queued task orders it as soon as the file is checked. 'caller': the caller orders it
   * now; if its process dies, a worker's reconciler does
   */
  create(job: NewLegacyJob, orderedBy: 'task' | 'caller'): Promise<void>;
  /** null when it does not exist (any more). */
  get(id: string): Promise<LegacyJob | null>;
  /** null when it does not exist (any more). */
  look(id: string): Promise<LegacyJobLook | null>;
  /** Its job was created. Only from 'arriving'. */
  ordered(id: string): Promise<void>;
  /** No job will be created. Only from 'arriving'. */
  failed(id: string, error: StoredError): Promise<void>;
  /** Deletes a job that no client knows of. */
  remove(id: string): Promise<void>;
  /** Its result was sent; deletes the output URL. */
  delivered(id: string): Promise<void>;
  /**
   * Its result cannot be sent: returns the charged credits to the account (an adjustment) and deletes the result.
   * @returns object keys that the caller must remove; null when it was settled before
   */
  undeliverable(id: string, error: StoredError): Promise<readonly string[] | null>;
}
