import { EarshotError } from '../../../library/core/errors/errors.ts';
import type { Config } from '../settings/config.ts';
import type { Tokens } from '../shared/tokens.ts';
import type { StoredFile, UploadPlan } from './stored-file.ts';

export interface UploadInstructions {
  readonly upload: {
    readonly url: string;
    readonly headers: Readonly<Record<string, string>>;
    readonly expiresAt: Date;
  } | null;
  readonly multipart: {
    readonly partSizeBytes: number;
    readonly partCount: number;
    readonly partUrl: string;
    readonly completeUrl: string;
    readonly expiresAt: Date;
  } | null;
}

export interface UploadTicket extends UploadInstructions {
  readonly file: StoredFile;
  readonly uploadPageUrl: string;
}

/** "multipart is set instead when sizeBytes exceeds 16 MB" */
const multipartAboveBytes = 16 * 1024 * 1024;

export type UploadLimits = Pick<Config, 'maxFileBytes' | 'singlePutBytes' | 'partBytes' | 'uploadSeconds'>;

/** How to upload a file of that size. @throws EarshotError file_too_large */
export function planUpload(sizeBytes: number, { maxFileBytes, singlePutBytes, partBytes }: UploadLimits): UploadPlan {
  if (sizeBytes > maxFileBytes)
    throw new EarshotError(
      'file_too_large',
      `Expected a file of at most ${maxFileBytes} bytes but sizeBytes is ${sizeBytes}`,
      { details: { maxBytes: maxFileBytes, sizeBytes } },
    );
  if (sizeBytes <= Math.min(multipartAboveBytes, singlePutBytes))
    return { mode: 'single', partSizeBytes: null, partCount: null };
  return { mode: 'multipart', partSizeBytes: partBytes, partCount: Math.ceil(sizeBytes / partBytes) };
}

/** Position of part `number` of a file. @throws EarshotError bad_request */
export function partPlace(
  file: StoredFile,
  number: number,
): { readonly number: number; readonly offsetBytes: number; readonly exactBytes: number } {
  const { upload, sizeBytes } = file;
  if (upload?.mode !== 'multipart' || upload.partSizeBytes === null || upload.partCount === null || sizeBytes === null)
    throw notInParts(file);
  if (!Number.isInteger(number) || number < 1 || number > upload.partCount) {
    throw new EarshotError(
      'bad_request',
      `Expected a part number between 1 and ${upload.partCount} but received ${number}`,
      { details: { field: 'n', expected: `1 to ${upload.partCount}`, received: number } },
    );
  }
  const offsetBytes = (number - 1) * upload.partSizeBytes;
  return { number, offsetBytes, exactBytes: Math.min(upload.partSizeBytes, sizeBytes - offsetBytes) };
}

export const notInParts = (file: StoredFile): EarshotError =>
  new EarshotError('conflict', `The file ${file.id} is not uploaded in parts`, {
    details: { id: file.id },
    nextAction: 'Send it in one PUT to upload.url.',
  });

/** Fixed by the file's creation: no upload link may live longer than the sweeper waits. */
function uploadEnd(file: StoredFile, uploadSeconds: number): Date {
  return new Date(Math.min(file.createdAt.getTime() + uploadSeconds * 1000, file.expiresAt.getTime()));
}

/**
 * Upload instructions of a file; `upload` and `multipart` are null when it has no name and size yet, or is already
 * uploaded.
 */
export function uploadTicket(
  file: StoredFile,
  tokens: Tokens,
  base: string,
  { uploadSeconds }: Pick<Config, 'uploadSeconds'>,
): UploadTicket {
  const expiresAt = uploadEnd(file, uploadSeconds);
  const page = `${base}/upload/${tokens.sign('upload', file.id, expiresAt)}`;
  const { upload: plan } = file;
  const ticket = { file, uploadPageUrl: page, upload: null, multipart: null };
  if (file.status !== 'awaiting_upload' || plan === null) return ticket;
  if (plan.mode === 'multipart' && plan.partSizeBytes !== null && plan.partCount !== null) {
    return {
      ...ticket,
      multipart: {
        partSizeBytes: plan.partSizeBytes,
        partCount: plan.partCount,
        partUrl: `${page}/parts/{n}`,
        completeUrl: `${page}/complete`,
        expiresAt,
      },
    };
  }
  return { ...ticket, upload: { url: `${page}/file`, headers: { 'Content-Type': file.contentType }, expiresAt } };
}
