import { EarshotError } from '../../../library/core/errors/errors.ts';
import { isPictureFormat } from '../../../library/core/files/cover-pictures.ts';
import type { FilePatch, FileStore } from './file-store.ts';
import type { Account } from '../accounts/account.ts';
import type { StoredFile } from './stored-file.ts';

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

const nameOf = ({ id }: StoredFile, field?: string): string => (field === undefined ? id : `${id} (${field})`);
const detailsOf = ({ id }: StoredFile, field?: string): { readonly id: string; readonly field?: string } => ({
  id,
  ...(field === undefined ? {} : { field }),
});

/** @param field input field of the file, for messages; default: none */
export const expired = (file: StoredFile, field?: string): EarshotError =>
  new EarshotError('file_expired', `The file ${nameOf(file, field)} expired at ${file.expiresAt.toISOString()}`, {
    details: detailsOf(file, field),
  });

/** @param field input field of the file, for messages; default: none */
export const deleted = (file: StoredFile, field?: string): EarshotError =>
  new EarshotError('file_expired', `The file ${nameOf(file, field)} was deleted`, { details: detailsOf(file, field) });

/** Marks a file as deleted, if it is not deleted already. */
export const notDeleted = ['awaiting_upload', 'processing', 'ready', 'invalid'] as const;
export const withoutBytes = {
  status: 'deleted' as const,
  objectKey: null,
  peaksKey: null,
  peaksStatus: null,
  peaks: null,
  upload: null,
} satisfies FilePatch;

/**
 * @param field input field of the file, for messages; default: none
 * @throws EarshotError file_not_ready, file_invalid, file_expired when the file is not ready
 */
export function requireReady(file: StoredFile, field?: string): StoredFile & { readonly objectKey: string } {
  const { status, objectKey, error } = file;
  const name = nameOf(file, field);
  const details = { ...detailsOf(file, field), status };
  if (status === 'deleted') throw deleted(file, field);
  if (status === 'invalid')
    throw new EarshotError('file_invalid', `The file ${name} cannot be used: ${error?.message ?? 'its check failed'}`, {
      details: { ...details, ...(error === null ? {} : { error }) },
    });
  if (status === 'awaiting_upload')
    throw new EarshotError('file_not_ready', `The file ${name} has not been uploaded yet`, {
      details,
      nextAction: 'Upload the file, then wait until it is ready.',
    });
  if (status === 'processing' || objectKey === null)
    throw new EarshotError('file_not_ready', `The file ${name} is still being checked`, { details });
  return { ...file, objectKey };
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

/** Is it a JPEG or PNG, for a cover? */
export const isPictureFile = (file: StoredFile): boolean => file.media === null && isPictureFormat(file.format);

/** Is it neither sound nor film? */
export const isTextFile = (file: StoredFile): boolean => file.media === null && !file.hasAudio && !file.hasVideo;
