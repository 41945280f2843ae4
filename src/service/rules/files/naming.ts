import { createHash } from 'node:crypto';
import { EarshotError } from '../../../library/core/errors/errors.ts';
import { requireDiskRoom } from './disk-room.ts';
import { newId } from '../shared/ids.ts';
import { createKeyedMutex } from '../shared/keyed-mutex.ts';
import { requireRoomForFile, requireRoomForSize } from '../accounts/quotas.ts';
import type { StoredFile } from './stored-file.ts';
import type { Files, FileToName } from './file-use-cases.ts';
import type { ArrivingFiles } from './arriving-files.ts';
import type { FilesDeps } from './deps.ts';
import { deleted, ownFile, requireAwaiting } from './guards.ts';
import { cleanFilename, contentTypeFor } from './names.ts';
import { unknownFile } from './new-file.ts';
import { openUpload } from './part-uploads.ts';
import { planUpload, uploadTicket, type UploadTicket } from './upload-tickets.ts';

/** Name of a file until it is named. */
const unnamed = 'upload';

/** Creates files to upload, with a name or with a ticket for a person who names them. */
export function createNaming(
  { files, objects, tokens, config, baseUrl }: FilesDeps,
  arriving: ArrivingFiles,
  now: () => Date,
): Pick<Files, 'create' | 'name' | 'ticket' | 'nameByToken'> {
  const lock = createKeyedMutex();
  const ticketFor = (file: StoredFile): UploadTicket => uploadTicket(file, tokens, baseUrl(), config);
  /** With a link to the store itself, if it offers links. Links for parts come from `partLinks`. */
  const directTicket = async (ticket: UploadTicket): Promise<UploadTicket> => {
    const { file, upload } = ticket;
    if (objects.direct === undefined || upload === null || file.sizeBytes === null) return ticket;
    const place = { number: 1, exactBytes: file.sizeBytes };
    const opened = await openUpload(files, objects, file);
    return { ...ticket, upload: { ...upload, url: await objects.direct.putPart(opened, place, upload.expiresAt) } };
  };

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

  return {
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
      return await directTicket(ticketFor(file));
    },

    async name(account, fileId, wanted) {
      await ownFile(files, account, fileId, now());
      return await directTicket(await nameFile(fileId, wanted));
    },

    ticket: async (token) => ticketFor(await arriving.byToken(token)),

    async nameByToken(token, wanted) {
      return await nameFile((await arriving.byToken(token)).id, wanted);
    },
  };
}

const hashOf = (request: readonly unknown[]): string =>
  createHash('sha256').update(JSON.stringify(request)).digest('hex');
