import type { JsonObject } from '../../../library/core/json.ts';
import type { ToolId } from '../../../library/contract/tool-ids.ts';
import type { OpenedFile } from '../files/opened-file.ts';
import type { Account } from '../accounts/account.ts';
import type { StoredFile } from '../files/stored-file.ts';
import type { SentFile } from '../files/sent-file.ts';
import type { LegacyOutput } from './legacy-job-store.ts';

/** Status of a job of the older API. The last two are final. */
export type LegacyStatus =
  | { readonly state: 'downloading' }
  | {
      readonly state: 'queued';
      /** Number of queued jobs before it. */
      readonly jobsAhead: number;
    }
  | {
      readonly state: 'in_progress';
      /** 0 to 100; never falls. */
      readonly percent: number;
    }
  | {
      readonly state: 'succeeded';
      readonly output: LegacyOutput;
    }
  | { readonly state: 'failed'; readonly reason: string };

export const isFinal = ({ state }: LegacyStatus): boolean => state === 'succeeded' || state === 'failed';

/** The request of an older-API job. */
export interface LegacyJobRequest {
  readonly tool: ToolId;
  /** The tool's input field. */
  readonly field: string;
  /** Validated by the tool's declaration. */
  readonly options: JsonObject;
  /** Required output format that the tool writes only for inputs of the same format; null: any. */
  readonly ownFormat: string | null;
  /** Id of the account's file, or a public https link. */
  readonly input: string;
  /** A public https link to PUT the result to; null: it is only stored. */
  readonly output: string | null;
}

/** The use cases of the older API. */
export interface LegacyJobs {
  /**
   * Receives a file and answers when it is checked, or after about 15 s.
   * @throws EarshotError upload_limit_reached, file_too_large, file_invalid and other errors of the check; AbortError
   */
  upload(account: Account, sent: SentFile): Promise<StoredFile>;
  /**
   * Orders a job, paid by the account, as soon as its file is ready.
   * @returns its id
   * @throws EarshotError bad_request, not_found, insufficient_balance, and the tool's own errors
   */
  create(account: Account, request: LegacyJobRequest): Promise<string>;
  /** The current status of a job. @throws EarshotError not_found */
  status(account: Account, jobId: string): Promise<LegacyStatus>;
  /**
   * Calls the listener with the status, and again at every change until it is final. All followers of one job share one
   * query.
   * @param listener never called after `stop`; must not throw
   * @throws EarshotError not_found
   */
  follow(
    account: Account,
    jobId: string,
    listener: (status: LegacyStatus) => void,
  ): Promise<{ readonly stop: () => void }>;
  /**
   * The last segment of a result's path: a token that opens this file for 24 hours without a key, or the file's id if
   * such links are switched off or the file is deleted. Safe in a URL path.
   */
  nameOf(output: LegacyOutput): string;
  /**
   * The bytes of a result.
   * @param account null: the token in `name` is the only credential
   * @param name from `nameOf`
   * @throws EarshotError unauthorized, not_found, file_expired
   */
  open(account: Account | null, name: string): Promise<OpenedFile>;
}
