import {
  AbortMultipartUploadCommand,
  CompleteMultipartUploadCommand,
  CreateMultipartUploadCommand,
  HeadObjectCommand,
  ListPartsCommand,
  UploadPartCommand,
} from '@aws-sdk/client-s3';
import { createHash } from 'node:crypto';
import type { Readable } from 'node:stream';
import { setTimeout as sleep } from 'node:timers/promises';
import { EarshotError } from '../../../library/core/errors/errors.ts';
import { partLength } from '../body-length.ts';
import { awaitDrain, drain } from '../drain.ts';
import type { ObjectStat, ObjectStore, PartPlace, PartReceipt, UploadInParts } from '../../rules/files/object-store.ts';
import { checkReceipts, incomplete, stopped } from '../../rules/files/part-receipts.ts';
import { sendBody } from './body.ts';
import type { Bucket } from './bucket.ts';
import { isMissing, nameOf } from './failures.ts';

const looks = 5;
const lookMs = 200;

interface PartUploads extends Pick<ObjectStore, 'beginUpload' | 'writePart' | 'completeUpload' | 'abortUpload'> {
  /** Receipts of all parts; null: there is no such upload. */
  listParts(upload: UploadInParts): Promise<readonly PartReceipt[] | null>;
}

/**
 * Multipart uploads of S3. Parts are joined by number; the store keeps them apart until then.
 * @param mostHeldBytes of parts in memory: these can be sent again to a busy store, and carry a checksum. Others are
 *   streamed, and the client has to send them again
 */
export function createPartUploads({ client, bucket, prefix }: Bucket, mostHeldBytes: number): PartUploads {
  const sendPart = createPartSender(client, mostHeldBytes);
  const of = ({ key, uploadId }: UploadInParts) => ({ Bucket: bucket, Key: prefix + key, UploadId: uploadId });
  const isGone = (thrown: unknown): boolean => nameOf(thrown) === 'NoSuchUpload';

  /** null: there is no such upload. */
  async function listParts(upload: UploadInParts): Promise<PartReceipt[] | null> {
    const parts: PartReceipt[] = [];
    let from: { PartNumberMarker?: string | undefined } = {};
    try {
      // Not the SDK's paginator: it goes on while there is a marker, which some servers also send with the last page.
      for (;;) {
        const page = await client.send(new ListPartsCommand({ ...of(upload), ...from }));
        for (const { PartNumber: number = 0, Size: sizeBytes = 0, ETag: etag = '' } of page.Parts ?? [])
          parts.push({ number, sizeBytes, etag });
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
    listParts,

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
      const place = { ...of(upload), PartNumber: part.number, ContentLength: part.exactBytes };
      const etag = await sendPart(place, part, source, signal).catch((thrown: unknown) => {
        throw isGone(thrown) ? stopped(thrown) : thrown;
      });
      return { number: part.number, sizeBytes: part.exactBytes, etag };
    },

    async completeUpload(upload, receipts) {
      const totalBytes = receipts.reduce((sum, { sizeBytes }) => sum + sizeBytes, 0);
      const there = await listParts(upload);
      if (there === null) return await alreadyComplete(upload, totalBytes);
      checkReceipts(there, receipts);
      // S3 joins whatever parts it is told, so what is missing is found here.
      const last = Math.max(...receipts.map(({ number }) => number));
      if (last !== receipts.length)
        throw incomplete(`Expected parts 1 to ${last} but received only ${receipts.length}`);
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
}

interface SentPart {
  readonly Bucket: string;
  readonly Key: string;
  readonly UploadId: string;
  readonly PartNumber: number;
  readonly ContentLength: number;
}

/** Sends parts, up to a number of bytes from memory. */
function createPartSender(client: Bucket['client'], mostHeldBytes: number) {
  let heldBytes = 0;

  /** Its etag. A body of another length breaks off, and the store keeps what was there before. */
  return async (
    place: SentPart,
    part: PartPlace,
    source: Readable,
    signal: AbortSignal | undefined,
  ): Promise<string> => {
    if (heldBytes + part.exactBytes > mostHeldBytes) {
      const { ETag = '' } = await sendBody(source, partLength(part), signal, (Body, abortSignal) =>
        client.send(new UploadPartCommand({ ...place, Body }), { abortSignal }),
      );
      return ETag;
    }
    heldBytes += part.exactBytes;
    try {
      const Body = await wholePart(part, source, signal);
      const ContentMD5 = createHash('md5').update(Body).digest('base64');
      const { ETag = '' } = await client.send(
        new UploadPartCommand({ ...place, Body, ContentMD5 }),
        signal === undefined ? {} : { abortSignal: signal },
      );
      return ETag;
    } finally {
      heldBytes -= part.exactBytes;
    }
  };
}

async function wholePart(part: PartPlace, source: Readable, signal: AbortSignal | undefined): Promise<Buffer> {
  const length = partLength(part);
  const pieces: Buffer[] = [];
  const take = (chunk: Buffer): null => {
    length.add(chunk);
    pieces.push(chunk);
    return null;
  };
  await drain(source, take, signal);
  length.finish();
  return Buffer.concat(pieces);
}
