import type { KeptBytes } from './file-store.ts';
import type { Readable } from 'node:stream';
import type { Account } from '../accounts/account.ts';
import type { PageRequest, Page } from '../shared/page.ts';
import type { OpenedFile } from './opened-file.ts';
import type { StoredFile, FileKind } from './stored-file.ts';
import type { UploadTicket } from './upload-tickets.ts';

export interface FileToCreate {
  readonly filename?: string;
  readonly sizeBytes?: number;
  readonly contentType?: string;
  readonly idempotencyKey?: string;
}

export interface FileToName {
  readonly filename: string;
  readonly sizeBytes: number;
  readonly contentType?: string;
}

/** URLs in answers are absolute: from Config.baseUrl or the address that the service listens on. */
export interface Files {
  /**
   * Creates a record that awaits its upload, with the upload link.
   * @throws EarshotError file_too_large, unsupported_format, upload_limit_reached, idempotency_key_reused
   */
  create(account: Account, wanted: FileToCreate): Promise<UploadTicket>;
  /** Names a file that was created without name and size. */
  name(account: Account, fileId: string, wanted: FileToName): Promise<UploadTicket>;
  /** Answers when the fetch has ended, or after about 15 s. */
  importLink(account: Account, wanted: { readonly url: string; readonly filename?: string }): Promise<StoredFile>;
  /**
   * Stops an upload and deletes its bytes.
   * @throws EarshotError not_found
   */
  abort(account: Account, fileId: string): Promise<void>;
  /** Newest first, without deleted ones. */
  list(
    account: Account,
    filter: { readonly kind: FileKind | null; readonly name?: string },
    page: PageRequest,
  ): Promise<Page<StoredFile>>;
  /** How many files the account has here, and their bytes. */
  kept(account: Account): Promise<KeptBytes>;
  /** Ids of the files that each of these was made of, as far as its jobs and chains are still known. */
  sourcesOf(account: Account, fileIds: readonly string[]): Promise<ReadonlyMap<string, readonly string[]>>;
  /**
   * Gives a file that has arrived another name; its extension stays.
   * @throws EarshotError not_found, file_not_ready, bad_request
   */
  rename(account: Account, fileId: string, name: string): Promise<StoredFile>;
  /** Answers when the upload has arrived and is checked, or after waitSeconds. */
  get(account: Account, fileId: string, waitSeconds: number, signal?: AbortSignal): Promise<StoredFile>;
  /**
   * Deletes the bytes at once; the record says 'deleted' from then on.
   * @throws EarshotError not_found
   */
  remove(account: Account, fileId: string): Promise<void>;
  /**
   * The bytes, for pages of the account itself.
   * @throws EarshotError not_found, file_not_ready
   */
  open(account: Account, fileId: string): Promise<OpenedFile>;
  /**
   * A link that needs no credentials and works for the setting downloadSeconds.
   * @throws EarshotError not_found, file_not_ready
   */
  downloadLink(
    account: Account,
    fileId: string,
  ): Promise<{ readonly fileId: string; readonly filename: string; readonly url: string; readonly expiresAt: Date }>;

  /**
   * The file of an upload token (/upload/<token>), for the upload page. It may have no name and size yet.
   */
  ticket(token: string): Promise<UploadTicket>;
  /** As `name`, with the upload token as the credential. */
  nameByToken(token: string, wanted: FileToName): Promise<UploadTicket>;
  /** Links for sending these parts to the store itself; none when all bytes go through the API. */
  partLinks(
    token: string,
    parts: readonly number[],
  ): Promise<readonly { readonly part: number; readonly url: string; readonly expiresAt: Date }[]>;
  /** Receives the bytes of a single PUT. `contentLength` null: chunked. */
  acceptUpload(token: string, body: Readable, contentLength: number | null, signal: AbortSignal): Promise<StoredFile>;
  /** Receives the bytes of one part, numbered from 1. `contentLength` null: chunked. */
  acceptPart(
    token: string,
    part: number,
    body: Readable,
    contentLength: number | null,
    signal: AbortSignal,
  ): Promise<void>;
  /** @throws conflict with details.missingParts */
  completeUpload(token: string): Promise<StoredFile>;
  /** The bytes behind a download token (of /f/<token>/<filename>). */
  openDownload(token: string): Promise<OpenedFile>;
}
