import { EarshotError } from '../../../library/core/errors/errors.ts';
import type { Files } from './file-use-cases.ts';
import type { FilesDeps } from './deps.ts';
import { expired, ownFile, requireReady } from './guards.ts';
import { openFile } from './open-file.ts';
import { sentType } from './sent-type.ts';

/** Links to the bytes. */
export function createDownloads(
  { files, objects, tokens, config, baseUrl }: FilesDeps,
  now: () => Date,
): Pick<Files, 'open' | 'downloadLink' | 'openDownload'> {
  return {
    open: async (account, fileId) => openFile(objects, requireReady(await ownFile(files, account, fileId, now()))),

    async downloadLink(account, fileId) {
      const at = now();
      const file = requireReady(await ownFile(files, account, fileId, at));
      const expiresAt = new Date(Math.min(at.getTime() + config.downloadSeconds * 1000, file.expiresAt.getTime()));
      return {
        fileId,
        filename: file.filename,
        url:
          objects.direct === undefined
            ? `${baseUrl()}/f/${tokens.sign('download', fileId, expiresAt)}/${encodeURIComponent(file.filename)}`
            : await objects.direct.get(
                file.objectKey,
                { filename: file.filename, contentType: sentType(file) },
                expiresAt,
              ),
        expiresAt,
      };
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
      return openFile(objects, requireReady(file));
    },
  };
}
