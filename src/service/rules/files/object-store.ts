import type { Readable } from 'node:stream';
import { EarshotError } from '../../../library/core/errors/errors.ts';

/** The object store port. Every method also says how to implement it on S3. */

/** An object's metadata. */
export interface ObjectStat {
  readonly sizeBytes: number;
}

/** The size and hash of a written object. */
export interface StoredBytes extends ObjectStat {
  /** Hex, lower case. */
  readonly sha256: string;
}

/** A multipart upload in progress. */
export interface UploadInParts {
  /** Key of the future object. */
  readonly key: string;
  /** The store's own id of the upload: opaque, at most 1000 characters. */
  readonly uploadId: string;
}

/** A part's number and position. */
export interface PartPlace {
  /** From 1 on, without gaps. S3: 1 to 10000. */
  readonly number: number;
  /**
   * Offset of the part in the object: the sum of all parts before it. S3 ignores it and joins by number; a store that
   * can write into the middle of a file needs no copy at the end.
   */
  readonly offsetBytes: number;
  /** S3 requires at least 5 MiB for all parts except the last; so does the setting `partBytes`. */
  readonly exactBytes: number;
}

/** The receipt of a written part. `completeUpload` needs it unchanged. */
export interface PartReceipt {
  /** Part number, from 1 on. */
  readonly number: number;
  readonly sizeBytes: number;
  /** Opaque; changes when the part is written again with other bytes. */
  readonly etag: string;
}

/** An object as a local file, until it is released. */
export interface CheckedOutFile {
  /** Readable; must not be written to, moved or removed. */
  readonly path: string;
  /** The path may be gone afterwards. Never rejects. */
  release(): Promise<void>;
}

/** Links that lead clients to the store itself, so that bytes bypass the API. */
export interface DirectLinks {
  /**
   * A link for one PUT of a part, of exactly its size. It ends with the upload: once joined or aborted, nothing can be
   * written. S3: a presigned UploadPart whose signature covers Content-Length.
   */
  putPart(
    upload: UploadInParts,
    part: { readonly number: number; readonly exactBytes: number },
    expiresAt: Date,
  ): Promise<string>;
  /**
   * Receipts of all parts that have arrived, including those sent through the API; null when there is no such upload.
   * S3: ListParts.
   */
  parts(upload: UploadInParts): Promise<readonly PartReceipt[] | null>;
  /** A link to the object's bytes, until `expiresAt` or its removal. S3: a presigned GetObject. */
  get(
    key: string,
    shown: { readonly filename: string; readonly contentType: string },
    expiresAt: Date,
  ): Promise<string>;
}

/** An old object, upload or draft. */
export interface Leftover {
  /** For an upload, the key of its future object. */
  readonly key: string;
  /** 'draft' and 'upload': bytes of a write that never completed; no record refers to them. */
  readonly kind: 'object' | 'upload' | 'draft';
  /** When it was last written, or the upload began: by the store's clock. */
  readonly writtenAt: Date;
  /** Deletes it. No error when it is already gone. */
  remove(): Promise<void>;
}

/**
 * Bytes by key; see checkKey. Writes are atomic: also after a crash, an object exists completely or not at all. Only
 * one process at a time may write parts of the same upload; everything else may be shared by many.
 *
 * On S3, keys get a prefix and stay the same otherwise. Every arriving file has its own key, so no conditional writes
 * are needed; `If-None-Match: *` on `write`, `adopt` and `completeUpload` would only reveal our own bugs.
 */
export interface ObjectStore {
  /** Absent: all bytes go through the API. */
  readonly direct?: DirectLinks;
  /** Health check, called every few seconds: resolves when objects can be written. S3: HeadBucket. */
  check(): Promise<void>;
  /** Free bytes; null: unlimited. Called before every upload. S3: null. */
  freeBytes(): Promise<number | null>;
  /**
   * Writes or replaces an object from a stream. S3: a multipart upload through `Upload` of lib-storage (PutObject
   * cannot stream an unknown length), aborted on any of these errors.
   * @throws EarshotError file_too_large above `maxBytes`, bad_request when `exactBytes` differs; AbortError
   */
  write(
    key: string,
    source: Readable,
    limits: { readonly maxBytes: number; readonly exactBytes?: number; readonly signal?: AbortSignal },
  ): Promise<StoredBytes>;
  /** Moves a local file into the store. S3: `write` from the file, then unlink. */
  adopt(key: string, path: string): Promise<StoredBytes>;
  /** Bytes from `start` to `end` inclusive. S3: GetObject with Range. @throws EarshotError not_found */
  read(key: string, range?: { readonly start: number; readonly end: number }): Promise<Readable>;
  /** null: no such object. S3: HeadObject. */
  stat(key: string): Promise<ObjectStat | null>;
  /**
   * A local file with the object's bytes, for job processes, until it is released. Releasing keeps the object. S3:
   * GetObject into a file of this machine, unlinked on release; a copy stays for the next job (`LocalCopies`).
   * @param sha256 hex; bytes that came over a network must have it. Default: not compared
   * @throws EarshotError not_found
   */
  checkOut(key: string, sha256?: string | null): Promise<CheckedOutFile>;
  /** No error when it does not exist. S3: DeleteObject. */
  remove(key: string): Promise<void>;
  /**
   * Objects, unfinished writes and uploads last written before `olderThan`, for sweeping leftovers. S3: ListObjectsV2
   * by LastModified and ListMultipartUploads by Initiated (all parts of a file arrive within `uploadSeconds` of its
   * creation, and the sweep looks further back).
   */
  stale(olderThan: Date): AsyncIterable<Leftover>;

  /**
   * Begins a multipart upload of the object `key` and returns its id. A key may have several uploads. S3:
   * CreateMultipartUpload.
   */
  beginUpload(key: string): Promise<string>;
  /**
   * Writes a part. Parts may arrive in any order, repeatedly, and concurrently. After a failure the earlier version of
   * the part may be lost. S3: UploadPart with Content-Length; the receipt's etag is the response's ETag.
   * @throws EarshotError bad_request when `exactBytes` differs; not_found when the upload does not exist (S3:
   * NoSuchUpload), if possible before reading the source; AbortError
   */
  writePart(upload: UploadInParts, part: PartPlace, source: Readable, signal?: AbortSignal): Promise<PartReceipt>;
  /**
   * Joins all parts into the object; needs the receipt of every part. Idempotent. S3: CompleteMultipartUpload with the
   * receipts' numbers and ETags, by number; after NoSuchUpload, HeadObject tells a repeated call (the size matches)
   * from a lost upload.
   * @throws EarshotError conflict: a receipt is missing or outdated (S3: InvalidPart, EntityTooSmall), or the upload is
   * lost and there is no object; nothing changes then
   */
  completeUpload(upload: UploadInParts, receipts: readonly PartReceipt[]): Promise<ObjectStat>;
  /**
   * Deletes the upload and its parts. No error when it does not exist. S3: AbortMultipartUpload, ignoring NoSuchUpload;
   * the caller must stop arriving parts first, which could survive it.
   */
  abortUpload(upload: UploadInParts): Promise<void>;
}

const segment = /^[a-z0-9_-][a-z0-9._-]*$/;

/**
 * Checks an object key: lower-case letters, digits, '-', '_', '.' and '/'. Keys may become paths, so no segment may be
 * empty or begin with a dot (which excludes ".."), and upper case is refused (some file systems ignore it). Every store
 * calls this.
 * @throws EarshotError internal_error: keys never come from clients
 */
export function checkKey(key: string): string {
  if (key.length > 400 || !key.split('/').every((part) => segment.test(part) && part.length <= 200)) {
    throw new EarshotError(
      'internal_error',
      `Expected an object key of lower-case letters, digits, '-', '_', '.' and '/' but received ` +
        JSON.stringify(key.slice(0, 80)),
    );
  }
  return key;
}
