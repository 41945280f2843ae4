import type { Readable } from 'node:stream';
import type { JsonObject } from '../../../library/core/json.ts';
import type { ToolId } from '../../../library/contract/tool-ids.ts';
import type { Account, StoredFile } from '../records.ts';

/** Where a job of the older API is. The last two are final. */
export type LegacyStatus =
  | { readonly state: 'downloading' }
  | {
      readonly state: 'queued';
      /** Jobs that are taken before it. */
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

/** The result of a job of the older API. */
export interface LegacyOutput {
  /** Of a file that may have gone. */
  readonly fileId: string;
  /** Empty once the file has gone. */
  readonly filename: string;
  /** When the file goes; null: it has gone. */
  readonly expiresAt: Date | null;
}

/** A file with its bytes. */
export interface OpenedResult {
  readonly file: StoredFile;
  readonly sizeBytes: number;
  read(range?: { readonly start: number; readonly end: number }): Promise<Readable>;
}

export const isFinal = ({ state }: LegacyStatus): boolean => state === 'succeeded' || state === 'failed';

/** What a job of the older API is asked for with. */
export interface LegacyJobRequest {
  readonly tool: ToolId;
  /** The tool's input field. */
  readonly field: string;
  /** Parsed by the tool's declaration. */
  readonly options: JsonObject;
  /** The result must be such a file, which only one that is such a file already becomes; null: any. */
  readonly ownFormat: string | null;
  /** Id of a file of the account's, or a public https link. */
  readonly input: string;
  /** A public https link that the result is PUT to; null: it is only kept. */
  readonly output: string | null;
}

/** The use cases of the older API. */
export interface LegacyJobs {
  /**
   * Takes a file and answers when it is checked, or after a while.
   * @throws EarshotError upload_limit_reached, file_too_large, file_invalid and what else a check finds; AbortError
   */
  upload(
    account: Account,
    given: {
      readonly filename: string;
      readonly contentType: string | null;
      readonly body: Readable;
      readonly signal: AbortSignal;
    },
  ): Promise<StoredFile>;
  /**
   * Orders a job, paid by the account: at once where its file is here, else as soon as it is.
   * @returns its id
   * @throws EarshotError bad_request, not_found, insufficient_balance, and whatever the tool refuses
   */
  create(account: Account, request: LegacyJobRequest): Promise<string>;
  /** Where the job is now. @throws EarshotError not_found */
  status(account: Account, jobId: string): Promise<LegacyStatus>;
  /**
   * Tells what the status is, and then whenever it changes, until it is final. However many follow one job, it is looked
   * at once for all of them.
   * @param listener never called after `stop`; must not throw
   * @throws EarshotError not_found
   */
  follow(
    account: Account,
    jobId: string,
    listener: (status: LegacyStatus) => void,
  ): Promise<{ readonly stop: () => void }>;
  /**
   * What names a result in its path: a token that opens this one file for 24 hours without a key, or the file's id, where
   * links are none or the file has gone. Safe in a URL path.
   */
  nameOf(output: LegacyOutput): string;
  /**
   * The bytes of a result.
   * @param account null: the name alone has to open it
   * @param name as `nameOf` made it
   * @throws EarshotError unauthorized, not_found, file_expired
   */
  open(account: Account | null, name: string): Promise<OpenedResult>;
}
