import { EarshotError } from '../../../library/core/errors/errors.ts';
import type { FileStore } from './file-store.ts';
import type { ObjectStore, PartReceipt, UploadInParts } from './object-store.ts';
import type { StoredFile } from './stored-file.ts';
import { deleted } from './guards.ts';
import { joinedKey } from './object-keys.ts';
import { partPlace } from './upload-tickets.ts';

/** Multipart uploads: the object store has the bytes, the file's record has the receipts. */

/** The file's upload in the object store; null before the first part. */
export const uploadOf = ({ id, uploadId }: Pick<StoredFile, 'id' | 'uploadId'>): UploadInParts | null =>
  uploadId === null ? null : { key: joinedKey(id), uploadId };

/** The file's upload; begins one at the first part. @throws EarshotError file_expired */
export async function openUpload(files: FileStore, objects: ObjectStore, file: StoredFile): Promise<UploadInParts> {
  const known = uploadOf(file);
  if (known !== null) return known;
  const begun = { key: joinedKey(file.id), uploadId: await objects.beginUpload(joinedKey(file.id)) };
  const kept = await files.beginUpload(file.id, begun.uploadId).catch(async (thrown: unknown) => {
    await objects.abortUpload(begun);
    throw thrown;
  });
  // Concurrent first parts may begin several uploads; the first one stored counts.
  if (kept !== begun.uploadId) await objects.abortUpload(begun);
  if (kept === null) throw deleted(file);
  return { ...begun, uploadId: kept };
}

/**
 * The receipts of all complete parts, and the numbers of the missing ones. Where clients send parts to the store
 * themselves, the store is asked.
 */
export async function receiptsOf(
  files: Pick<FileStore, 'listParts'>,
  { direct }: Pick<ObjectStore, 'direct'>,
  file: StoredFile,
  partCount: number,
): Promise<{ readonly receipts: readonly PartReceipt[]; readonly missing: readonly number[] }> {
  const upload = uploadOf(file);
  const inStore = direct === undefined || upload === null ? null : await direct.parts(upload);
  const there = new Map((inStore ?? (await files.listParts(file.id))).map((receipt) => [receipt.number, receipt]));
  const receipts: PartReceipt[] = [];
  const missing: number[] = [];
  for (let number = 1; number <= partCount; number += 1) {
    const receipt = there.get(number);
    if (receipt?.sizeBytes === partPlace(file, number).exactBytes) receipts.push(receipt);
    else missing.push(number);
  }
  return { receipts, missing };
}

/** Is it a multipart upload, or one part sent to the store itself? */
export const hasParts = ({ upload, uploadId }: Pick<StoredFile, 'upload' | 'uploadId'>): boolean =>
  upload?.mode === 'multipart' || uploadId !== null;

/** Removes all bytes of a multipart upload, joined or not. */
export async function dropParts(
  objects: Pick<ObjectStore, 'abortUpload' | 'remove'>,
  file: Pick<StoredFile, 'id' | 'uploadId'>,
): Promise<void> {
  const upload = uploadOf(file);
  if (upload !== null) await objects.abortUpload(upload);
  await objects.remove(joinedKey(file.id));
}

/** @param cause the store's error */
export const lostParts = (file: StoredFile, cause: EarshotError): EarshotError =>
  new EarshotError('conflict', `The received parts of ${file.id} were lost`, {
    retryable: true,
    nextAction: 'Send this part again, then the parts that completing lists as missing.',
    cause,
  });

export const isLostParts = (thrown: unknown): boolean =>
  thrown instanceof EarshotError && thrown.cause instanceof EarshotError && thrown.cause.code === 'not_found';
