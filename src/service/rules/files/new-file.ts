import type { NewFile } from '../ports.ts';
import type { RequestBound } from '../records.ts';

/** A file of which nothing is known yet but what the caller says. */
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

/** The link of an import as it stands in the file's record until it is fetched. */
export const importPlan = (url: URL, named: boolean, request?: RequestBound): NonNullable<NewFile['upload']> => ({
  mode: 'import',
  partSizeBytes: null,
  partCount: null,
  link: { url: url.href, named, ...(request === undefined ? {} : { request }) },
});
