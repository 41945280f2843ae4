import { GetObjectCommand, UploadPartCommand } from '@aws-sdk/client-s3';
import { getSignedUrl } from '@aws-sdk/s3-request-presigner';
import { create as contentDisposition } from 'content-disposition';
import type { DirectLinks, PartReceipt, UploadInParts } from '../../rules/files/object-store.ts';
import type { Bucket } from './bucket.ts';

/** S3 signs links for at most a week. */
const longestSeconds = 7 * 86_400;

const secondsUntil = (date: Date): number =>
  Math.min(longestSeconds, Math.max(1, Math.floor((date.getTime() - Date.now()) / 1000)));

/**
 * Presigned requests. A link is for its part's exact size (the signature covers Content-Length) and ends with its
 * upload, so that nothing can be written once the parts are joined or the upload is aborted.
 * @param opened its client uses the store's public address
 * @param parts lists the parts that have arrived
 */
export function createDirectLinks(
  { client, bucket, prefix }: Bucket,
  parts: (upload: UploadInParts) => Promise<readonly PartReceipt[] | null>,
): DirectLinks {
  return {
    parts,
    async putPart({ key, uploadId }, { number, exactBytes }, expiresAt) {
      const command = new UploadPartCommand({
        Bucket: bucket,
        Key: prefix + key,
        UploadId: uploadId,
        PartNumber: number,
        ContentLength: exactBytes,
      });
      return await getSignedUrl(client, command, {
        expiresIn: secondsUntil(expiresAt),
        signableHeaders: new Set(['host', 'content-length']),
      });
    },
    async get(key, { filename, contentType }, expiresAt) {
      const command = new GetObjectCommand({
        Bucket: bucket,
        Key: prefix + key,
        ResponseContentDisposition: contentDisposition(filename),
        ResponseContentType: contentType,
        ResponseCacheControl: 'private, no-cache',
      });
      return await getSignedUrl(client, command, { expiresIn: secondsUntil(expiresAt) });
    },
  };
}
