import { EarshotError } from '../../../library/core/errors/errors.ts';
import type { StoredFile } from './stored-file.ts';
import type { Files } from './file-use-cases.ts';
import { waitFor } from '../shared/wait-for.ts';
import { createArrivals } from './arrivals.ts';
import { ArrivingFiles } from './arriving-files.ts';
import { createCompletion } from './complete-upload.ts';
import type { FilesDeps } from './deps.ts';
import { createDownloads } from './downloads.ts';
import { notDeleted, ownFile, requireReady, withoutBytes } from './guards.ts';
import { createImporting } from './import-link.ts';
import { cleanFilename, fitFilename } from './names.ts';
import { createNaming } from './naming.ts';
import { createPartLinks } from './part-links.ts';
import { dropParts, hasParts } from './part-uploads.ts';
import { createReceiving } from './receive.ts';

/** The use cases of files. The limits on concurrent uploads hold per process. */
export function createFiles(deps: FilesDeps, arrivals = createArrivals(deps.config.accountUploads)): Files {
  const { files, objects, changes, now = () => new Date() } = deps;
  const arriving = new ArrivingFiles(deps, now);

  /**
   * Deletes the record first, so that no new reader starts. After a crash the sweeper removes the bytes.
   */
  const deleteFile = async (file: StoredFile): Promise<void> => {
    const gone = await files.update(file.id, notDeleted, withoutBytes);
    if (gone === null) return;
    await arrivals.stop(file.id);
    if (hasParts(file)) await dropParts(objects, gone);
    for (const key of [file.objectKey, file.peaksKey]) if (key !== null) await objects.remove(key);
  };

  return {
    ...createNaming(deps, arriving, now),
    ...createPartLinks(deps, arriving),
    ...createReceiving(deps, arrivals, arriving),
    ...createCompletion(deps, arriving),
    ...createDownloads(deps, now),

    importLink: createImporting(deps, now),

    async abort(account, fileId) {
      const file = await ownFile(files, account, fileId, now());
      if (file.status === 'deleted') return;
      const isArriving = file.status === 'awaiting_upload' || (file.status === 'processing' && file.objectKey === null);
      if (!isArriving)
        throw new EarshotError('conflict', `The upload of ${fileId} has completed`, {
          details: { id: fileId, status: file.status },
          nextAction: 'Delete the file instead.',
        });
      await deleteFile(file);
    },

    list: async (account, filter, page) => await files.list(account.id, { ...filter, at: now() }, page),
    kept: (account) => files.kept(account.id, now()),
    sourcesOf: (account, ids) => files.sourcesOf(account.id, ids),

    async rename(account, fileId, name) {
      const file = await ownFile(files, account, fileId, now());
      requireReady(file);
      const extension = /\.[A-Za-z0-9]{1,10}$/.exec(file.filename)?.[0] ?? '';
      const given = cleanFilename(name);
      const isWhole = given.toLowerCase().endsWith(extension.toLowerCase());
      const filename = fitFilename(isWhole ? given : given + extension);
      return (await files.update(file.id, ['ready'], { filename })) ?? file;
    },

    async get(account, fileId, waitSeconds, signal) {
      const done = ({ status }: StoredFile): boolean => status !== 'awaiting_upload' && status !== 'processing';
      const load = async (): Promise<StoredFile> => await arriving.looked(await ownFile(files, account, fileId, now()));
      return await waitFor(changes, fileId, load, done, waitSeconds, signal);
    },

    async remove(account, fileId) {
      await deleteFile(await ownFile(files, account, fileId, now()));
    },
  };
}
