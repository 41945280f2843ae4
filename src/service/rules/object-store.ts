import type { Readable } from 'node:stream';
import { EarshotError } from '../../library/core/errors.ts';

/** The port to wherever bytes lie. Every method says what an implementation on S3 does for it. */

/** What is known of an object without reading it. */
export interface ObjectStat {
  readonly sizeBytes: number;
}

/** What was written, as it was counted and hashed on the way. */
export interface StoredBytes extends ObjectStat {
  /** Of the bytes, hex, lower case. */
  readonly sha256: string;
}

/** An upload in parts that was begun and neither completed nor aborted. */
export interface UploadInParts {
  /** What the object will be called. */
  readonly key: string;
  /** The store's own name for the upload: opaque, kept in the file's record. At most 1000 characters. */
  readonly uploadId: string;
}

/** Which part of an upload, and where it lies in the whole. */
export interface PartPlace {
  /** From 1 on, without gaps. S3 knows parts 1 to 10000. */
  readonly number: number;
  /**
   * Where the part begins in the whole: what all parts before it have together. S3 ignores it (it joins by number); a
   * store that can write in the middle of a file needs no copy at the end.
   */
  readonly offsetBytes: number;
  /** S3 wants at least 5 MiB for all parts but the last; the setting `partBytes` allows no less. */
  readonly exactBytes: number;
}

/** What the store answers for a part that is there. Complete wants back exactly this. */
export interface PartReceipt {
  /** Place in the whole, from 1 on. */
  readonly number: number;
  readonly sizeBytes: number;
  /** Opaque; another one when the part is written again with other bytes. */
  readonly etag: string;
}

/** An object as a local file, until it is given back. */
export interface CheckedOutFile {
  /** Readable, not to be written to, moved or removed. */
  readonly path: string;
  /** The path may be gone afterwards. Never rejects because of what was done with the file. */
  release(): Promise<void>;
}

/** What an old object or upload is called, and how to be rid of it. */
export interface Leftover {
  /** An upload's is the one that its object would have had. */
  readonly key: string;
  /** 'draft' and 'upload': bytes of a write that never ended; no record points at them as an object. */
  readonly kind: 'object' | 'upload' | 'draft';
  /** Drops it for good. No error when it is gone already. */
  remove(): Promise<void>;
}

/**
 * Bytes by key; see checkKey. Whatever is killed in the middle of a call, an object is there whole or not at all. One
 * process may write parts of the same upload at a time; everything else may be shared by many.
 *
 * On S3 keys get a prefix and stay as they are otherwise. Every fresh arrival has a key of its own, so nothing here
 * needs a condition for safety; `If-None-Match: *` on `write`, `adopt` and `completeUpload` of such keys would only
 * make a mistake of ours loud. Bodies go through the API process: no presigned address is needed.
 */
export interface ObjectStore {
  /** Resolves when objects can be written now. Asked every few seconds. S3: HeadBucket. */
  check(): Promise<void>;
  /** Bytes that can still be written; null: as many as anybody likes. Asked before every upload. S3: null. */
  freeBytes(): Promise<number | null>;
  /**
   * Streams into the object, hashing on the way; replaces what was there. S3: a multipart upload of its own through
   * `Upload` of lib-storage (a PutObject cannot stream an unknown length), aborted when anything below is thrown.
   * @throws EarshotError file_too_large past `maxBytes`, bad_request when `exactBytes` differs; AbortError
   */
  write(
    key: string,
    source: Readable,
    limits: { readonly maxBytes: number; readonly exactBytes?: number; readonly signal?: AbortSignal },
  ): Promise<StoredBytes>;
  /** Moves a local file in; the file is gone afterwards. S3: as `write` from the file, then unlink. */
  adopt(key: string, path: string): Promise<StoredBytes>;
  /** Bytes from `start` to `end` inclusive. S3: GetObject with Range. @throws EarshotError not_found */
  read(key: string, range?: { readonly start: number; readonly end: number }): Promise<Readable>;
  /** null: there is none. S3: HeadObject. */
  stat(key: string): Promise<ObjectStat | null>;
  /**
   * A local file with the object's bytes, for job processes, until it is given back. Giving back leaves the object
   * alone. S3: GetObject into a file below the work folder, unlinked when given back (a process that dies leaves it to
   * be swept by age). @throws EarshotError not_found
   */
  checkOut(key: string): Promise<CheckedOutFile>;
  /** No error when there is none. S3: DeleteObject. */
  remove(key: string): Promise<void>;
  /**
   * What was last written before `olderThan`, for sweeping leftovers; also unfinished writes and uploads. S3:
   * ListObjectsV2 by LastModified and ListMultipartUploads by Initiated (a file's parts all arrive within
   * `uploadSeconds` of its creation, and the sweep looks further back than that).
   */
  stale(olderThan: Date): AsyncIterable<Leftover>;

  /**
   * Begins an upload in parts of the object `key` and answers its id. Two begun for the same key are two uploads. S3:
   * CreateMultipartUpload.
   */
  beginUpload(key: string): Promise<string>;
  /**
   * Takes a part; parts come in any order, also again, also at the same time. After a failure an earlier version of
   * the part may be gone or not. S3: UploadPart with Content-Length; the receipt's etag is the answer's ETag.
   * @throws EarshotError bad_request when `exactBytes` differs, not_found when the upload is not (any more) there (S3:
   * NoSuchUpload), before any of the source is read where that can be told; AbortError
   */
  writePart(upload: UploadInParts, part: PartPlace, source: Readable, signal?: AbortSignal): Promise<PartReceipt>;
  /**
   * Makes the object from the parts that the receipts name: all parts written, each once. Asked again after it has
   * succeeded, it answers the same. S3: CompleteMultipartUpload with the receipts' numbers and ETags in order of the
   * numbers; after NoSuchUpload, HeadObject tells a repetition (the size fits) from a lost upload.
   * @throws EarshotError conflict: a receipt is missing or not of the part that is there (S3: InvalidPart,
   * EntityTooSmall), or the upload is gone without an object; nothing is changed then
   */
  completeUpload(upload: UploadInParts, receipts: readonly PartReceipt[]): Promise<ObjectStat>;
  /**
   * Drops the upload with its parts. No error when it is not there. S3: AbortMultipartUpload, NoSuchUpload ignored;
   * parts that are still arriving may outlive it there, so whoever calls has stopped them.
   */
  abortUpload(upload: UploadInParts): Promise<void>;
}

const segment = /^[a-z0-9_-][a-z0-9._-]*$/;

/**
 * Keys are lower-case letters, digits, '-', '_', '.' and '/', and may become paths. So this is the border that nothing
 * may escape through: no empty segment, none that begins with a dot (".." included), no upper case (some file systems
 * do not tell it apart). Every store checks the keys it is given.
 * @throws EarshotError internal_error: keys are made by us, never by clients
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
