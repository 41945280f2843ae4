import {
  AbortMultipartUploadCommand,
  CompleteMultipartUploadCommand,
  CreateMultipartUploadCommand,
  HeadObjectCommand,
  ListPartsCommand,
  type Part,
  UploadPartCommand,
} from '@aws-sdk/client-s3';
import type { Readable } from 'node:stream';
import { setTimeout as sleep } from 'node:timers/promises';
import { EarshotError } from '../../../library/core/errors.ts';
import { partLength } from '../body-length.ts';
import { awaitDrain } from '../drain.ts';
import type { ObjectStat, ObjectStore, PartPlace, PartReceipt, UploadInParts } from '../../rules/object-store.ts';
import { sendBody } from './body.ts';
import type { Bucket } from './bucket.ts';
import { incomplete, isMissing, nameOf, stopped } from './failures.ts';

const looks = 5;
const lookMs = 200;

type PartUploads = Pick<ObjectStore, 'beginUpload' | 'writePart' | 'completeUpload' | 'abortUpload'>;

/** Multipart uploads of S3. Parts are joined by number; the store keeps them apart until then. */
export function createPartUploads({ client, bucket, prefix }: Bucket): PartUploads {
  const of = ({ key, uploadId }: UploadInParts) => ({ Bucket: bucket, Key: prefix + key, UploadId: uploadId });
  const isGone = (thrown: unknown): boolean => nameOf(thrown) === 'NoSuchUpload';

  /** null: there is no such upload. */
  async function partsOf(upload: UploadInParts): Promise<Part[] | null> {
    const parts: Part[] = [];
    let from: { PartNumberMarker?: string | undefined } = {};
    try {
      // Not the SDK's paginator: it goes on while there is a marker, which some servers also send with the last page.
      for (;;) {
        const page = await client.send(new ListPartsCommand({ ...of(upload), ...from }));
        parts.push(...(page.Parts ?? []));
        if (page.IsTruncated !== true) break;
        from = { PartNumberMarker: page.NextPartNumberMarker };
      }
    } catch (thrown) {
      if (isGone(thrown)) return null;
      throw thrown;
    }
    return parts;
  }

  async function alreadyComplete({ key }: UploadInParts, totalBytes: number, cause?: unknown): Promise<ObjectStat> {
    // Another completion may be at work: some servers end the upload before the object appears.
    for (let left = totalBytes > 0 ? looks : 0; left > 0; left -= 1) {
      if (left < looks) await sleep(lookMs);
      const { ContentLength } = await client
        .send(new HeadObjectCommand({ Bucket: bucket, Key: prefix + key }))
        .catch((thrown: unknown) => {
          if (isMissing(thrown)) return { ContentLength: undefined };
          throw thrown;
        });
      if (ContentLength === totalBytes) return { sizeBytes: totalBytes };
      if (ContentLength !== undefined) break;
    }
    throw incomplete(`Expected parts of ${totalBytes} bytes in all but none has arrived`, cause);
  }

  return {
    async beginUpload(key) {
      const { UploadId } = await client.send(new CreateMultipartUploadCommand({ Bucket: bucket, Key: prefix + key }));
      if (UploadId === undefined) throw new EarshotError('internal_error', 'The object store began no upload');
      return UploadId;
    },

    async writePart(upload, part, source, signal) {
      awaitDrain(source);
      // Before the client has sent all of it for nothing.
      await client.send(new ListPartsCommand({ ...of(upload), MaxParts: 1 })).catch((thrown: unknown) => {
        throw isGone(thrown) ? stopped(thrown) : thrown;
      });
      const etag = await sendPart(upload, part, source, signal).catch((thrown: unknown) => {
        throw isGone(thrown) ? stopped(thrown) : thrown;
      });
      return { number: part.number, sizeBytes: part.exactBytes, etag };
    },

    async completeUpload(upload, receipts) {
      const totalBytes = receipts.reduce((sum, { sizeBytes }) => sum + sizeBytes, 0);
      const there = await partsOf(upload);
      if (there === null) return await alreadyComplete(upload, totalBytes);
      checkReceipts(there, receipts);
      const Parts = receipts
        .map(({ number, etag }) => ({ PartNumber: number, ETag: etag }))
        .sort((a, b) => a.PartNumber - b.PartNumber);
      try {
        await client.send(new CompleteMultipartUploadCommand({ ...of(upload), MultipartUpload: { Parts } }));
      } catch (thrown) {
        if (isGone(thrown)) return await alreadyComplete(upload, totalBytes, thrown);
        if (['InvalidPart', 'InvalidPartOrder', 'EntityTooSmall'].includes(nameOf(thrown)))
          throw incomplete('The object store refused to join the parts', thrown);
        throw thrown;
      }
      return { sizeBytes: totalBytes };
    },

    async abortUpload(upload) {
      await client.send(new AbortMultipartUploadCommand(of(upload))).catch((thrown: unknown) => {
        if (!isGone(thrown)) throw thrown;
      });
    },
  };

  /** Its etag. A body of another length breaks off, and the store keeps what was there before. */
  async function sendPart(
    upload: UploadInParts,
    part: PartPlace,
    source: Readable,
    signal: AbortSignal | undefined,
  ): Promise<string> {
    const place = { ...of(upload), PartNumber: part.number, ContentLength: part.exactBytes };
    const { ETag = '' } = await sendBody(source, partLength(part), signal, (Body, abortSignal) =>
      client.send(new UploadPartCommand({ ...place, Body }), { abortSignal }),
    );
    return ETag;
  }
}

/** S3 joins whatever parts it is told, so what is missing is found here. */
function checkReceipts(there: readonly Part[], receipts: readonly PartReceipt[]): void {
  const fits = ({ number, sizeBytes, etag }: PartReceipt): boolean =>
    there.some(({ PartNumber, Size, ETag }) => PartNumber === number && Size === sizeBytes && ETag === etag);
  const stranger = receipts.find((receipt) => !fits(receipt));
  if (stranger !== undefined) throw incomplete(`The receipt of part ${stranger.number} is outdated`);
  const numbers = new Set(receipts.map(({ number }) => number));
  if (receipts.length === 0 || numbers.size !== receipts.length || receipts.length !== there.length)
    throw incomplete(`Expected receipts of ${there.length} parts but received ${receipts.length}`);
  if (Math.max(...numbers) !== numbers.size)
    throw incomplete(`Expected parts 1 to ${Math.max(...numbers)} but received only ${numbers.size}`);
}
