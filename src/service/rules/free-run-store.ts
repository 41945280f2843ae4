import type { ErrorJson } from '../../library/core/errors.ts';
import type { JsonObject } from '../../library/core/json.ts';
import type { FilesByField } from '../../library/contract/tool-inputs.ts';
import type { ToolId } from '../../library/contract/tool-ids.ts';
import type { JobBilling } from './records.ts';

/** The port to where runs of the free API are remembered, from the arrival of their files to the end of their links. */

/**
 * 'arriving': its files are on their way or being checked. 'started': its job exists. 'waiting': no free use was left,
 * and the files wait for a payment. 'refused': it never became a job.
 */
export type FreeRunStatus = 'arriving' | 'started' | 'waiting' | 'refused';

/** What was asked for. */
export interface FreeRunRequest {
  /** Ids of the files by input field, in order. */
  readonly inputs: FilesByField<string>;
  readonly options: JsonObject;
  /** Which of a transcript's outputs is the answer; null: the tool has no choice of them. */
  readonly format: string | null;
  /** null: as the balance allows; see the table of keyed requests. */
  readonly free: boolean | null;
  /** More it must not cost; null: no cap. */
  readonly maxCredits: number | null;
  /** null when the client sent no key. */
  readonly idempotency: {
    /** The client's own, from the Idempotency-Key header. */
    readonly key: string;
    /** SHA-256, hex, over the files' bytes and the options: ids differ with every upload. */
    readonly requestHash: string;
  } | null;
}

/** A run that the free API was asked for. */
export interface FreeRun {
  /** The id of its job, whether there is one or not: "job_...". */
  readonly id: string;
  /** null: a visitor's. */
  readonly accountId: string | null;
  /** Whose free uses count: the account's id, or the keyed hash of the address. */
  readonly visitor: string;
  readonly tool: ToolId;
  readonly request: FreeRunRequest;
  readonly status: FreeRunStatus;
  /** Why it was refused or waits; null otherwise. */
  readonly error: ErrorJson | null;
  /** What the whole costs; null until the files are checked. */
  readonly whole: WholePrice | null;
  /** The account that paid credits went to; null until somebody has paid. */
  readonly payerAccountId: string | null;
  /** The job that runs the whole; null until it is paid. */
  readonly finishJobId: string | null;
  readonly createdAt: Date;
  readonly expiresAt: Date;
}

/** What all of the files costs, and how that was made. */
export interface WholePrice {
  readonly credits: number;
  readonly billing: JobBilling;
}

/** A run at its creation. */
export type NewFreeRun = Pick<FreeRun, 'id' | 'accountId' | 'visitor' | 'tool' | 'request' | 'createdAt' | 'expiresAt'>;

/** Runs of the free API: what was asked for, and what became of it. */
export interface FreeRunStore {
  /** A run whose files are on their way. */
  create(run: NewFreeRun): Promise<FreeRun>;
  /** null when there is none (any more). */
  get(id: string): Promise<FreeRun | null>;
  /** The run that this job finishes; null: it finishes none. */
  finishedBy(jobId: string): Promise<FreeRun | null>;
  /** Its job exists. Only while it was arriving; answers the run as it then is, whoever was first. */
  started(id: string, whole: WholePrice | null): Promise<FreeRun | null>;
  /** It becomes no job. Only while it was arriving; answers as above. */
  refused(id: string, error: ErrorJson): Promise<FreeRun | null>;
  /**
   * It waits for a payment, unless `most` runs of the visitor do already that were created after `since`. Answers null
   * then. Where one of the visitor's already waits with the same `contentHash`, that one is answered, and kept as long as
   * this one would have been.
   * @param contentHash of all that was asked for, files by their bytes; null: not known
   */
  wait(
    id: string,
    whole: WholePrice,
    error: ErrorJson,
    limit: { readonly since: Date; readonly most: number; readonly contentHash: string | null },
  ): Promise<FreeRun | null>;
  /** How many of the visitor's runs that were created after `since` wait for a payment. */
  waiting(visitor: string, since: Date): Promise<number>;
  /** The visitor's runs that wait for a payment and have not expired at that moment, newest first; 100 at most. */
  waitingRuns(visitor: string, at: Date): Promise<readonly FreeRun[]>;
  /** Drops the row: a repeated request has its run already. */
  remove(id: string): Promise<void>;
  /** What the operator sees of a day. */
  overview(day: string, at: Date): Promise<FreeOverview>;
}

/** A day of the free API, for the operator. */
export interface FreeOverview {
  /** Uses taken by tool, of accounts and of visitors. */
  readonly uses: Readonly<
    Partial<
      Record<
        ToolId,
        {
          readonly uses: number;
          /** How many accounts and addresses took them. */
          readonly visitors: number;
        }
      >
    >
  >;
  /** Seconds of the budget that are taken. */
  readonly seconds: number;
  /** Runs that wait for a payment, oldest first; 100 at most. */
  readonly waiting: readonly FreeRun[];
}
