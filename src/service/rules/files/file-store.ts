import type { FileKind, FileStatus, StoredFile } from './stored-file.ts';
import type { AccountUsage } from '../accounts/quotas.ts';
import type { PartReceipt } from './object-store.ts';
import type { Page, PageRequest } from '../shared/page.ts';
import type { Idempotency } from '../shared/idempotency.ts';

/** The store of the records of files. Their bytes are in the object store. */

/** Usage of stored files. */
export interface KeptBytes {
  /** Number of files, at least 0. */
  readonly files: number;
  /** Their size together, at least 0 bytes. */
  readonly bytes: number;
}

/** Bytes of all stored files. */
export interface StorageTotals {
  readonly originals: KeptBytes;
  readonly outputs: KeptBytes;
  /** Bytes of those that expire within the next hour. */
  readonly expiringBytes: number;
}

/** A file at its creation, without the fields that are set later. */
export type NewFile = Omit<StoredFile, 'error' | 'uploadId' | 'peaksStatus' | 'peaks' | 'peaksKey'>;

/** The fields of a file's record that may change after its creation. */
export type FilePatch = Partial<Omit<StoredFile, 'id' | 'accountId' | 'visitor' | 'kind' | 'uploadId' | 'createdAt'>>;

/** Queued work on files. */
export type FileTask = 'check' | 'peaks' | 'import';

/** Records of files; their bytes are in the ObjectStore. */
export interface FileStore {
  /**
   * `created` is false for a repeated request, which returns the first one's file.
   * @param admit called with the account's usage for a new file of an account; may throw to refuse the file. Calls for
   *   one account are serialized. Default: every file is admitted
   * @throws EarshotError idempotency_key_reused
   */
  create(
    file: NewFile,
    idempotency: Idempotency | null,
    admit?: (usage: AccountUsage) => void,
  ): Promise<{ readonly file: StoredFile; readonly created: boolean }>;
  /** The record in any status; null when it does not exist. */
  get(id: string): Promise<StoredFile | null>;
  /** In the order of the ids; null for those that do not exist. */
  getMany(ids: readonly string[]): Promise<readonly (StoredFile | null)[]>;
  /**
   * Newest first, without those that are deleted or have expired by `at`, swept or not.
   * @param filter name: letters that their names have, in either case. Default: all
   */
  list(
    accountId: string,
    filter: { readonly kind: FileKind | null; readonly at: Date; readonly name?: string },
    page: PageRequest,
  ): Promise<Page<StoredFile>>;
  /** What the files of an account take that have not expired by `at`. */
  kept(accountId: string, at: Date): Promise<KeptBytes>;
  /** Ids of the files that each of these was made of, by jobs and chains of the account that are still known. */
  sourcesOf(accountId: string, ids: readonly string[]): Promise<ReadonlyMap<string, readonly string[]>>;
  /**
   * Changes the file only while its status is one of `from`; enqueues `task` in the same transaction. Returns null when
   * the status was another one.
   * @param admit called with the account's usage after the change; may throw to refuse it. Calls for one account are
   *   serialized. Default: every change is admitted
   */
  update(
    id: string,
    from: readonly FileStatus[],
    patch: FilePatch,
    task?: FileTask,
    admit?: (usage: AccountUsage) => void,
  ): Promise<StoredFile | null>;
  /** Sets peaksStatus from null to processing and enqueues the task; returns the current file. Idempotent. */
  requestPeaks(id: string): Promise<StoredFile | null>;
  /**
   * An import of the same link by the same account, made at `since` or later, that is neither invalid nor deleted and
   * has not expired by `at`.
   */
  findImport(
    accountId: string,
    importHash: string,
    times: { readonly since: Date; readonly at: Date },
  ): Promise<StoredFile | null>;

  /**
   * Stores the object store's id of the multipart upload unless one is stored already; returns the stored one. null:
   * the file does not await an upload (any more).
   */
  beginUpload(fileId: string, uploadId: string): Promise<string | null>;
  /** Drops the id and the receipts of an upload that the object store lost, unless a new upload has begun. */
  forgetUpload(fileId: string, uploadId: string): Promise<void>;
  /** Drops the receipt of a part that is being written (again). */
  beginPart(fileId: string, number: number): Promise<void>;
  /** @throws EarshotError not_found when there is no such file */
  endPart(fileId: string, receipt: PartReceipt): Promise<void>;
  /** The receipts of all parts that have arrived, by number. */
  listParts(fileId: string): Promise<readonly PartReceipt[]>;

  /** Expired files that are not marked as deleted yet, oldest first. */
  expired(at: Date, limit: number): Promise<readonly StoredFile[]>;
  /** Ids of all records that expired before that time, including deleted files, oldest first. */
  expiredBefore(at: Date, limit: number): Promise<readonly string[]>;
  /** Deletes the records. */
  remove(ids: readonly string[]): Promise<void>;
  /** Of these keys, those that a record uses, for its bytes or its peaks. For sweeping leftovers. */
  usedKeys(keys: readonly string[]): Promise<ReadonlySet<string>>;
  /** Number and bytes of all files kept, for metrics. */
  totals(): Promise<{ readonly files: number; readonly bytes: number }>;
  /** The same by kind. */
  storage(at: Date): Promise<StorageTotals>;
}
