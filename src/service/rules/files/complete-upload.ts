import { isDeepStrictEqual } from 'node:util';
import { EarshotError } from '../../../library/core/errors/errors.ts';
import type { StoredFile } from './stored-file.ts';
import type { Files } from './file-use-cases.ts';
import type { ArrivingFiles } from './arriving-files.ts';
import type { FilesDeps } from './deps.ts';
import { deleted } from './guards.ts';
import { joinedKey } from './object-keys.ts';
import { receiptsOf, uploadOf } from './part-uploads.ts';
import { notInParts } from './upload-tickets.ts';

/** Completes multipart uploads. The token is the credential. */
export function createCompletion(
  { files, objects }: FilesDeps,
  arriving: ArrivingFiles,
): Pick<Files, 'completeUpload'> {
  /**
   * Joins the parts. Returns null on success, otherwise the file as another request has changed it meanwhile.
   * @throws EarshotError conflict with details.missingParts
   */
  const join = async (file: StoredFile, partCount: number): Promise<StoredFile | null> => {
    const upload = uploadOf(file);
    let { receipts, missing } = await receiptsOf(files, objects, file, partCount);
    for (;;) {
      if (upload === null || missing.length > 0) throw missingParts(file, missing);
      try {
        await objects.completeUpload(upload, receipts);
        return null;
      } catch (thrown) {
        if (!(thrown instanceof EarshotError) || thrown.code !== 'conflict') throw thrown;
      }
      const used = receipts;
      ({ receipts, missing } = await receiptsOf(files, objects, file, partCount));
      // A part was sent again meanwhile: retry with its new receipt.
      if (missing.length > 0 || !isDeepStrictEqual(receipts, used)) continue;
      // Another request has just joined them, or the store has lost the parts: then all must be sent again.
      const current = await arriving.superseded(file);
      if (current.status !== 'awaiting_upload') return current;
      await files.forgetUpload(file.id, upload.uploadId);
      await objects.abortUpload(upload);
      throw missingParts(
        file,
        Array.from({ length: partCount }, (_, index) => index + 1),
      );
    }
  };

  return {
    async completeUpload(token) {
      const file = await arriving.byToken(token);
      if (file.upload?.mode !== 'multipart' || file.upload.partCount === null || file.sizeBytes === null)
        throw file.status === 'deleted' ? deleted(file) : notInParts(file);
      if (file.status === 'deleted') throw deleted(file);
      if (file.status !== 'awaiting_upload') return file;
      const { partCount } = file.upload;
      const key = joinedKey(file.id);
      if ((await objects.stat(key))?.sizeBytes !== file.sizeBytes) {
        const current = await join(file, partCount);
        if (current !== null) return current;
      }
      const uploaded = await arriving.arrived(file, key, null);
      if (uploaded !== null) return uploaded;
      return await arriving.takenOver(file, key);
    },
  };
}

const missingParts = (file: StoredFile, missing: readonly number[]): EarshotError =>
  new EarshotError('conflict', `${missing.length} of ${file.upload?.partCount} parts of ${file.id} are missing`, {
    details: { missingParts: missing },
    nextAction: 'Send the parts that details.missingParts lists, then complete again.',
  });
