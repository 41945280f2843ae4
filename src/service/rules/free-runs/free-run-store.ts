import type { ErrorJson } from '../../../library/core/errors/errors.ts';
import type { ToolId } from '../../../library/contract/tool-ids.ts';
import type { PendingOrder, PendingRequest, WholePrice } from '../jobs/pending-order.ts';

/** The store of free runs, from the arrival of their files to the expiry of their links. */

/**
 * 'arriving': its files are being received or checked. 'started': its job exists. 'waiting': no free use was left, the
 * files wait for a payment. 'refused': no job was created.
 */
export type FreeRunStatus = 'arriving' | 'started' | 'waiting' | 'refused';

/** The client's request. */
export interface FreeRunRequest extends PendingRequest {
  /** Format of the transcript to answer with; null: the tool has only one. */
  readonly format: string | null;
}

/** A run of the free API. */
export interface FreeRun extends PendingOrder {
  readonly request: FreeRunRequest;
  readonly status: FreeRunStatus;
  /** Why it was refused or waits for a payment; null otherwise. */
  readonly error: ErrorJson | null;
  /** The price of the whole files; null until they are checked. */
  readonly whole: WholePrice | null;
  /** The account of the payer; null until it is paid. */
  readonly payerAccountId: string | null;
  /** The job that processes the whole files; null until it is paid. */
  readonly finishJobId: string | null;
  readonly createdAt: Date;
  readonly expiresAt: Date;
}

/** A run at its creation. */
export type NewFreeRun = Pick<FreeRun, 'id' | 'accountId' | 'visitor' | 'tool' | 'request' | 'createdAt' | 'expiresAt'>;

/** A person who is to be named in one run. */
export interface SentReference {
  /** Of the person, see `checkVoiceName`. */
  readonly name: string;
  /** A media file. */
  readonly sound: Buffer;
}

/** Runs of the free API. */
export interface FreeRunStore {
  /** Creates an arriving run. Its references are deleted when its job has ended, or when there will be none. */
  create(run: NewFreeRun, references: readonly SentReference[]): Promise<FreeRun>;
  /** null when it does not exist (any more). */
  get(id: string): Promise<FreeRun | null>;
  /** The run that this job finishes; null: none. */
  finishedBy(jobId: string): Promise<FreeRun | null>;
  /** Its job was created. Only from 'arriving'; returns the current run. */
  started(id: string, whole: WholePrice | null): Promise<FreeRun | null>;
  /** No job will be created. Only from 'arriving'; returns the current run. */
  refused(id: string, error: ErrorJson): Promise<FreeRun | null>;
  /**
   * Lets it wait for a payment. Returns null when `most` runs of the visitor, created after `since`, wait already. If
   * one with the same `contentHash` waits already, returns that one, kept as long as this one would have been.
   * @param limit `contentHash`: of the request, with files by their bytes; null: not known
   */
  wait(
    id: string,
    whole: WholePrice,
    error: ErrorJson,
    limit: { readonly since: Date; readonly most: number; readonly contentHash: string | null },
  ): Promise<FreeRun | null>;
  /** Number of the visitor's runs, created after `since`, that wait for a payment. */
  waiting(visitor: string, since: Date): Promise<number>;
  /** The visitor's unexpired runs that wait for a payment, newest first, at most 100. */
  waitingRuns(visitor: string, at: Date): Promise<readonly FreeRun[]>;
  /** Deletes the run: a repeated request already has one. */
  remove(id: string): Promise<void>;
  /** Statistics of a day, for the operator. */
  overview(day: string, at: Date): Promise<FreeOverview>;
}

/** Statistics of a day of the free API. */
export interface FreeOverview {
  /** Free uses by tool, of accounts and visitors. */
  readonly uses: Readonly<
    Partial<
      Record<
        ToolId,
        {
          readonly uses: number;
          /** Number of accounts and addresses. */
          readonly visitors: number;
        }
      >
    >
  >;
  /** Used seconds of the budget. */
  readonly seconds: number;
  /** Runs that wait for a payment, oldest first, at most 100. */
  readonly waiting: readonly FreeRun[];
}
