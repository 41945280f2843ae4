import { EarshotError } from '../../../library/core/errors/errors.ts';
import { newId } from '../shared/ids.ts';
import type { NewFile } from './file-store.ts';
import type { ObjectStore } from './object-store.ts';
import type { RequestBound } from './stored-file.ts';
import type { SentFile } from './sent-file.ts';
import { cleanFilename, contentTypeFor, nameFromPath } from './names.ts';
import { importPlan, unknownFile } from './new-file.ts';
import { arrivalKey } from './object-keys.ts';

/** Files that arrive with a request and are checked at once, for an account or a visitor. */
export interface Intake {
  /**
   * Stores a sent file.
   * @throws EarshotError file_too_large, bad_request; file_invalid when it is empty; AbortError
   */
  receive(sent: SentFile, maxBytes: number): Promise<NewFile>;
  /** Creates a file that a worker fetches from the link. @param request the size limit of all files of the request */
  fetch(url: URL, request?: RequestBound): Promise<NewFile>;
}

/**
 * @param owner of the files
 * @param store creates the record; may refuse the file
 * @param seconds how long the files are kept
 */
export function createIntake(
  objects: Pick<ObjectStore, 'write' | 'remove'>,
  owner: Pick<NewFile, 'accountId' | 'visitor'>,
  store: (file: NewFile) => Promise<unknown>,
  seconds: number,
  now: () => Date,
): Intake {
  const keep = async (file: Pick<NewFile, 'id' | 'filename' | 'contentType'> & Partial<NewFile>): Promise<NewFile> => {
    const createdAt = now();
    const expiresAt = new Date(createdAt.getTime() + seconds * 1000);
    const record = unknownFile({ ...file, ...owner, status: 'processing', createdAt, expiresAt });
    await store(record);
    return record;
  };

  return {
    async receive({ filename: given, contentType, body, signal }, maxBytes) {
      const filename = given === '' ? 'upload' : cleanFilename(given);
      const id = newId('file');
      const objectKey = arrivalKey(id);
      const stored = await objects.write(objectKey, body, { maxBytes, signal });
      try {
        if (stored.sizeBytes === 0)
          throw new EarshotError('file_invalid', `Expected a file with content but ${filename} is empty`, {
            details: { filename },
          });
        return await keep({ id, filename, contentType: contentTypeFor(filename, contentType), ...stored, objectKey });
      } catch (thrown) {
        // After a failure the sweeper removes it.
        await objects.remove(objectKey).catch(() => undefined);
        throw thrown;
      }
    },

    async fetch(url, request) {
      const filename = nameFromPath(url);
      return await keep({
        id: newId('file'),
        filename,
        contentType: contentTypeFor(filename),
        upload: importPlan(url, false, request),
      });
    },
  };
}
