import { createHash } from 'node:crypto';
import { EarshotError } from '../../../library/core/errors.ts';
import { requireDiskRoom } from '../disk-room.ts';
import { newId } from '../ids.ts';
import { createKeyedMutex } from '../keyed-mutex.ts';
import { requireRoomForFile, requireRoomForSize } from '../quotas.ts';
import type { StoredFile } from '../records.ts';
import type { FileToName, Files, UploadTicket } from '../service.ts';
import { waitFor } from '../wait-for.ts';
import { createArrivals } from './arrivals.ts';
import { deleted, expired, notDeleted, ownFile, requireAwaiting, requireReady, withoutBytes } from './guards.ts';
import { createImporting } from './import-link.ts';
import { cleanFilename, contentTypeFor } from './names.ts';
import { unknownFile } from './new-file.ts';
import type { FilesDeps } from './deps.ts';
import { dropParts } from './part-uploads.ts';
import { createReceiving } from './receive.ts';
import { planUpload, uploadTicket } from './upload-tickets.ts';

/** Name of a file until it is named. */
const unnamed = 'upload';

/** The use cases of files. The limits on concurrent uploads hold per process. */
export function createFiles(deps: FilesDeps, arrivals = createArrivals(deps.config.accountUploads)): Files {
  const { files, objects, changes, tokens, config, baseUrl, now = () => new Date() } = deps;
  const { byToken, ...receiving } = createReceiving(deps, arrivals, now);
  const lock = createKeyedMutex();
  const ticketFor = (file: StoredFile): UploadTicket => uploadTicket(file, tokens, baseUrl(), config);

  /** Serialized per file: two concurrent calls must not both succeed with different sizes. */
  const nameFile = (id: string, wanted: FileToName): Promise<UploadTicket> =>
    lock(id, async () => {
      const file = await files.get(id);
      if (file === null) throw new EarshotError('not_found', `There is no file ${id}`, { details: { id } });
      requireAwaiting(file);
      const filename = cleanFilename(wanted.filename);
      if (file.upload === null) await requireDiskRoom(objects, config, wanted.sizeBytes);
      if (file.upload !== null) {
        if (file.filename === filename && file.sizeBytes === wanted.sizeBytes) return ticketFor(file);
        throw new EarshotError('conflict', `The file ${id} already has its name and size`, {
          details: { id, filename: file.filename, sizeBytes: file.sizeBytes },
          nextAction: 'Create a new file for other content.',
        });
      }
      const named = await files.update(
        id,
        ['awaiting_upload'],
        {
          filename,
          contentType: contentTypeFor(filename, wanted.contentType),
          sizeBytes: wanted.sizeBytes,
          upload: planUpload(wanted.sizeBytes, config),
        },
        undefined,
        (usage) => requireRoomForSize(usage, config),
      );
      if (named === null) throw deleted(file);
      return ticketFor(named);
    });

  /**
   * Deletes the record first, so that no new reader starts. After a crash the sweeper removes the bytes.
   */
  const deleteFile = async (file: StoredFile): Promise<void> => {
    const gone = await files.update(file.id, notDeleted, withoutBytes);
    if (gone === null) return;
    await arrivals.stop(file.id);
    if (file.upload?.mode === 'multipart') await dropParts(objects, gone);
    for (const key of [file.objectKey, file.peaksKey]) if (key !== null) await objects.remove(key);
  };

  return {
    ...receiving,

    async create(account, wanted) {
      const { sizeBytes, idempotencyKey } = wanted;
      const filename = wanted.filename === undefined ? undefined : cleanFilename(wanted.filename);
      const upload = sizeBytes === undefined ? null : planUpload(sizeBytes, config);
      await requireDiskRoom(objects, config, sizeBytes ?? 0);
      const createdAt = now();
      const { file } = await files.create(
        unknownFile({
          id: newId('file'),
          accountId: account.id,
          status: 'awaiting_upload',
          filename: filename ?? unnamed,
          contentType: contentTypeFor(filename ?? unnamed, wanted.contentType),
          sizeBytes: sizeBytes ?? null,
          // An upload link needs both; otherwise the file still has to be named.
          upload: filename === undefined ? null : upload,
          createdAt,
          expiresAt: new Date(createdAt.getTime() + config.retentionSeconds * 1000),
        }),
        idempotencyKey === undefined
          ? null
          : {
              key: idempotencyKey,
              requestHash: hashOf([wanted.filename ?? null, sizeBytes ?? null, wanted.contentType ?? null]),
            },
        (usage) => requireRoomForFile(usage, sizeBytes ?? null, config),
      );
      return ticketFor(file);
    },

    async name(account, fileId, wanted) {
      await ownFile(files, account, fileId, now());
      return await nameFile(fileId, wanted);
    },

    importLink: createImporting(deps, now),

    async abort(account, fileId) {
      const file = await ownFile(files, account, fileId, now());
      if (file.status === 'deleted') return;
      const arriving = file.status === 'awaiting_upload' || (file.status === 'processing' && file.objectKey === null);
      if (!arriving)
        throw new EarshotError('conflict', `The upload of ${fileId} has completed`, {
          details: { id: fileId, status: file.status },
          nextAction: 'Delete the file instead.',
        });
      await deleteFile(file);
    },

    list: async (account, filter, page) => await files.list(account.id, filter, page),

    async get(account, fileId, waitSeconds, signal) {
      const done = ({ status }: StoredFile): boolean => status !== 'awaiting_upload' && status !== 'processing';
      return await waitFor(changes, fileId, () => ownFile(files, account, fileId, now()), done, waitSeconds, signal);
    },

    async remove(account, fileId) {
      await deleteFile(await ownFile(files, account, fileId, now()));
    },

    async downloadLink(account, fileId) {
      const at = now();
      const file = requireReady(await ownFile(files, account, fileId, at));
      const expiresAt = new Date(Math.min(at.getTime() + config.downloadSeconds * 1000, file.expiresAt.getTime()));
      return {
        fileId,
        filename: file.filename,
        url: `${baseUrl()}/f/${tokens.sign('download', fileId, expiresAt)}/${encodeURIComponent(file.filename)}`,
        expiresAt,
      };
    },

    ticket: async (token) => ticketFor(await byToken(token)),

    async nameByToken(token, wanted) {
      return await nameFile((await byToken(token)).id, wanted);
    },

    async openDownload(token) {
      const at = now();
      const reading = await tokens.read('download', token, at);
      if (!reading.ok && reading.reason === 'expired')
        throw new EarshotError('file_expired', 'This download link has expired', { nextAction: 'Ask for a new link.' });
      const file = reading.ok ? await files.get(reading.id) : null;
      if (file === null)
        throw new EarshotError('not_found', 'There is no such download link', {
          nextAction: 'Check that the link is complete.',
        });
      if (file.expiresAt <= at) throw expired(file);
      const { objectKey } = requireReady(file);
      const stat = await objects.stat(objectKey);
      if (stat === null) throw deleted(file);
      return { file, sizeBytes: stat.sizeBytes, read: async (range) => await objects.read(objectKey, range) };
    },
  };
}

const hashOf = (request: readonly unknown[]): string =>
  createHash('sha256').update(JSON.stringify(request)).digest('hex');
