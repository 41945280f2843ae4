import type { Files } from './file-use-cases.ts';
import type { ArrivingFiles } from './arriving-files.ts';
import type { FilesDeps } from './deps.ts';
import { openUpload } from './part-uploads.ts';
import { partPlace, uploadTicket } from './upload-tickets.ts';

/** Links for sending parts to the store itself. The token is the credential. */
export function createPartLinks(
  { files, objects, tokens, config, baseUrl }: FilesDeps,
  arriving: ArrivingFiles,
): Pick<Files, 'partLinks'> {
  return {
    async partLinks(token, numbers) {
      const file = await arriving.awaiting(token);
      const places = numbers.map((number) => partPlace(file, number));
      const { multipart } = uploadTicket(file, tokens, baseUrl(), config);
      const { direct } = objects;
      if (direct === undefined || multipart === null) return [];
      const opened = await openUpload(files, objects, file);
      const { expiresAt } = multipart;
      return await Promise.all(
        places.map(async (place) => ({
          part: place.number,
          url: await direct.putPart(opened, place, expiresAt),
          expiresAt,
        })),
      );
    },
  };
}
