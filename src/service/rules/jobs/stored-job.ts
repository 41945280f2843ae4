import type { ToolId } from '../../../library/contract/tool-ids.ts';
import type { FilesByField } from '../../../library/contract/tool-inputs.ts';
import type { JsonObject } from '../../../library/core/json.ts';
import type { Warning } from '../../../library/core/progress/progress.ts';
import type { StoredError } from '../shared/stored-error.ts';

/** The last three are final. */
export type JobStatus = 'queued' | 'running' | 'succeeded' | 'failed' | 'cancelled';

export const terminalJobStatuses: readonly JobStatus[] = ['succeeded', 'failed', 'cancelled'];

/** The basis of a job's price, stored with it: the operator may change prices while it runs. */
export interface JobBilling {
  /** Billed length in the tool's measure (main input, sum or longest), seconds. */
  readonly seconds: number;
  readonly creditsPerMinute: number;
}

/** The form of a chain's result. */
export interface LikeFile {
  /** Id of the file that it is like. */
  readonly like: string;
  /** Another container by its extension; null: the file's own. */
  readonly format: string | null;
}

/** How a step of a chain writes. */
export interface StepWriting {
  /**
   * 'working': sound without loss, for the next step; `like`: as the file of that id, in another container by its
   * extension where `format` is given. null: text.
   */
  readonly form: 'working' | LikeFile | null;
  /** Of a tool that writes text: which files. null: all. */
  readonly formats: readonly string[] | null;
  /** The name without extension that its tool reads files between steps under; null: their own names. */
  readonly inputsAs: string | null;
}

/** A job, from its order to its settlement. */
export interface StoredJob {
  /** Made by the service, unique: "job_...". */
  readonly id: string;
  /** null: a visitor's free run. */
  readonly accountId: string | null;
  readonly tool: ToolId;
  readonly status: JobStatus;
  /** Ids of the files by input field, in order. */
  readonly inputs: FilesByField<string>;
  readonly options: JsonObject;
  /** A free use: price 0, and only the free part is processed. */
  readonly free: boolean;
  /** Seconds to process at most; null: all. */
  readonly windowSeconds: number | null;
  /** Credits reserved until the job ends; 0 for a free run. */
  readonly price: number;
  /** null for jobs of older versions, which did not store it. */
  readonly billing: JobBilling | null;
  /** Progress of the current attempt, 0 to 1. */
  readonly progress: number;
  /** What it is doing now, such as "queued" or "encoding". */
  readonly stage: string;
  /** Seconds, at least 0; null while unknown and when the job is not running. */
  readonly estimatedSecondsLeft: number | null;
  /** Seconds of the input that were processed; null unless the job succeeded. */
  readonly processedSeconds: number | null;
  /** The tool's result besides its files; null unless the job succeeded, and after the retention time. */
  readonly result: JsonObject | null;
  /** Ids of the files that it made, in order; none unless the job succeeded. */
  readonly outputFileIds: readonly string[];
  /** Why it failed; null unless it did. */
  readonly error: StoredError | null;
  /** Warnings of a successful job: a truncated file, a target that was not reached. */
  readonly warnings: readonly Warning[];
  /** Has a client asked to cancel it? */
  readonly cancelRequested: boolean;
  /** Fencing token: number of starts. Only the latest attempt may settle. */
  readonly attempt: number;
  readonly createdAt: Date;
  /** Time of the first start; null before. */
  readonly startedAt: Date | null;
  /** Time of its end; null before. */
  readonly finishedAt: Date | null;
  /** The chain that it is a step of, which pays it; null: none. Default: null. */
  readonly chainId?: string | null;
  /** Of a step of a chain. Default: null. */
  readonly writes?: StepWriting | null;
}

/** The account that a job's outputs belong to: null while they are files between the steps of a chain. */
export const outputOwner = ({ accountId, chainId = null }: Pick<StoredJob, 'accountId' | 'chainId'>): string | null =>
  chainId === null ? accountId : null;

/**
 * The fields of a job for lists and polls: without its options (a script may be megabytes long) and the worker's
 * fields. Lists have null for a long `result`.
 */
export type JobSummary = Pick<
  StoredJob,
  | 'id'
  | 'accountId'
  | 'tool'
  | 'status'
  | 'free'
  | 'price'
  | 'progress'
  | 'stage'
  | 'estimatedSecondsLeft'
  | 'processedSeconds'
  | 'result'
  | 'outputFileIds'
  | 'error'
  | 'warnings'
  | 'createdAt'
>;
