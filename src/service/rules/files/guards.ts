import { EarshotError } from '../../../library/core/errors.ts';
import type { FilePatch, FileStore } from '../ports.ts';
import type { Account, StoredFile } from '../records.ts';

/**
 * The account's own file. Another account's file is reported as missing, so that ids cannot be probed.
 * @throws EarshotError not_found, file_expired
 */
export async function ownFile(
  files: Pick<FileStore, 'get'>,
  account: Account,
  fileId: string,
  now: Date,
): Promise<StoredFile> {
  const file = await files.get(fileId);
  if (file === null || file.accountId !== account.id)
    throw new EarshotError('not_found', `There is no file ${fileId}`, { details: { id: fileId } });
  if (file.expiresAt <= now) throw expired(file);
  return file;
}

export const expired = (file: StoredFile): EarshotError =>
  new EarshotError('file_expired', `The file ${file.id} expired at ${file.expiresAt.toISOString()}`, {
    details: { id: file.id },
  });

export const deleted = (file: StoredFile): EarshotError =>
  new EarshotError('file_expired', `The file ${file.id} was deleted`, { details: { id: file.id } });

/** Marks a file as deleted, if it is not deleted already. */
export const notDeleted = ['awaiting_upload', 'processing', 'ready', 'invalid'] as const;
export const withoutBytes: FilePatch = {
  status: 'deleted',
  objectKey: null,
  peaksKey: null,
  peaksStatus: null,
  peaks: null,
  upload: null,
};

/** @throws EarshotError file_not_ready, file_invalid, file_expired when the file is not ready */
export function requireReady(file: StoredFile): StoredFile & { readonly objectKey: string } {
  const details = { id: file.id, status: file.status };
  if (file.status === 'deleted') throw deleted(file);
  if (file.status === 'invalid')
    throw new EarshotError(
      'file_invalid',
      `The file ${file.id} cannot be used: ${file.error?.message ?? 'its check failed'}`,
      { details },
    );
  if (file.status === 'awaiting_upload')
    throw new EarshotError('file_not_ready', `The file ${file.id} has not been uploaded yet`, {
      details,
      nextAction: 'Upload the file, then wait until it is ready.',
    });
  if (file.status === 'processing' || file.objectKey === null)
    throw new EarshotError('file_not_ready', `The file ${file.id} is still being checked`, { details });
  return { ...file, objectKey: file.objectKey };
}

/** @throws EarshotError conflict, file_expired when the file does not await an upload */
export function requireAwaiting(file: StoredFile): void {
  if (file.status === 'deleted') throw deleted(file);
  if (file.status !== 'awaiting_upload')
    throw new EarshotError('conflict', `The file ${file.id} has already been uploaded`, {
      details: { id: file.id, status: file.status },
      nextAction: 'Create a new file for other content.',
    });
}

export const isTextFile = (file: StoredFile): boolean => file.media === null && !file.hasAudio && !file.hasVideo;
