import type { NewFile } from './file-store.ts';
import type { RequestBound } from './stored-file.ts';

/** A new file with the given fields; all others are not known yet. */
export const unknownFile = (
  known: Pick<NewFile, 'id' | 'accountId' | 'status' | 'filename' | 'contentType' | 'createdAt' | 'expiresAt'> &
    Partial<NewFile>,
): NewFile => ({
  kind: 'original',
  sizeBytes: null,
  sha256: null,
  durationSeconds: null,
  format: null,
  hasVideo: false,
  hasAudio: false,
  media: null,
  upload: null,
  objectKey: null,
  importHash: null,
  sourceJobId: null,
  ...known,
});

/** The upload plan of an import, with the link until it is fetched. */
export const importPlan = (url: URL, named: boolean, request?: RequestBound): NonNullable<NewFile['upload']> => ({
  mode: 'import',
  partSizeBytes: null,
  partCount: null,
  link: { url: url.href, named, ...(request === undefined ? {} : { request }) },
});
