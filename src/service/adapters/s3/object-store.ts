import { GetObjectCommand, HeadBucketCommand, HeadObjectCommand } from '@aws-sdk/client-s3';
import { Upload } from '@aws-sdk/lib-storage';
import { createHash } from 'node:crypto';
import { createReadStream } from 'node:fs';
import { rm, stat } from 'node:fs/promises';
import { Readable } from 'node:stream';
import { throwIfAborted } from '../../../library/core/abort.ts';
import { bodyLength } from '../body-length.ts';
import { awaitDrain } from '../drain.ts';
import { LocalCopies } from '../local-copies.ts';
import { checkKey, type ObjectStore } from '../../rules/files/object-store.ts';
import { sendBody } from './body.ts';
import { type BucketSettings, openBucket } from './bucket.ts';
import { createDirectLinks } from './direct-links.ts';
import { describeFailure, isMissing, missing, nameOf } from './failures.ts';
import { createRemover, listStale } from './listing.ts';
import { createPartUploads } from './part-uploads.ts';

export interface S3StoreSettings extends BucketSettings {
  /** Of this machine, for local copies of objects. */
  readonly folder: string;
  /** Of local copies that are kept for the next job. */
  readonly copiesBytes: number;
  /** Of this machine's disk that stay free. */
  readonly reserveBytes: number;
  /**
   * The store's address in links for clients; null: Amazon's own. Default: no such links, all bytes go through the API.
   */
  readonly directEndpoint?: { readonly url: string | null } | null;
  /** Bytes of parts that are held in memory while they are sent, so that they can be sent again. Default: 64 MiB */
  readonly heldBytes?: number;
}

const mebibyte = 1024 * 1024;
/** S3 takes 10,000 parts. Two are in memory at a time. */
const leastPartBytes = 8 * mebibyte;
const mostParts = 10_000;
const readBytes = mebibyte;
const usuallyHeldBytes = 64 * mebibyte;

/** Objects in a bucket of S3, or of a store that speaks its protocol. */
export function createS3Store({
  folder,
  copiesBytes,
  reserveBytes,
  directEndpoint = null,
  heldBytes = usuallyHeldBytes,
  ...settings
}: S3StoreSettings): ObjectStore {
  const opened = openBucket(settings);
  const { client, bucket, prefix } = opened;
  // What asks whether the store is there wants to know it now.
  const impatient = openBucket(settings, 1).client;
  const copies = new LocalCopies(folder, copiesBytes, reserveBytes);
  const { listParts, ...parts } = createPartUploads(opened, heldBytes);
  const remove = createRemover(opened);
  const at = (key: string) => ({ Bucket: bucket, Key: prefix + checkKey(key) });

  const head = (key: string) =>
    client.send(new HeadObjectCommand(at(key))).catch((thrown: unknown) => {
      if (isMissing(thrown)) return null;
      throw thrown;
    });

  const write: ObjectStore['write'] = async (key, source, { maxBytes, exactBytes, signal }) => {
    awaitDrain(source);
    const place = at(key);
    throwIfAborted(signal);
    const hash = createHash('sha256');
    const length = bodyLength(maxBytes, exactBytes);
    const look = {
      add(chunk: Buffer) {
        length.add(chunk);
        hash.update(chunk);
      },
      finish: () => length.finish(),
    };
    await sendBody(source, look, signal, async (Body, stop) => {
      const upload = new Upload({
        client,
        // A checksum of each part, in a header: the store refuses a part that was changed on the way.
        params: { ...place, Body, ChecksumAlgorithm: 'CRC32' },
        partSize: Math.max(leastPartBytes, Math.ceil((exactBytes ?? maxBytes) / mostParts)),
        queueSize: 2,
      });
      stop.addEventListener('abort', () => void upload.abort().catch(() => undefined), { once: true });
      await upload.done();
    });
    return { sizeBytes: length.finish(), sha256: hash.digest('hex') };
  };

  const store: ObjectStore = {
    check: async () => void (await impatient.send(new HeadBucketCommand({ Bucket: bucket }))),
    freeBytes: () => Promise.resolve(null),
    write,
    async adopt(key, path) {
      const { size } = await stat(path);
      const source = createReadStream(path, { highWaterMark: readBytes });
      const stored = await write(key, source, { maxBytes: size, exactBytes: size });
      await rm(path, { force: true });
      return stored;
    },
    async read(key, range) {
      const Range = range === undefined ? undefined : `bytes=${range.start}-${range.end}`;
      try {
        const { Body } = await client.send(new GetObjectCommand({ ...at(key), Range }));
        return Body as Readable;
      } catch (thrown) {
        if (nameOf(thrown) === 'InvalidRange') return Readable.from([]);
        throw isMissing(thrown) ? missing(thrown) : thrown;
      }
    },
    async stat(key) {
      const found = await head(key);
      return found === null ? null : { sizeBytes: found.ContentLength ?? 0 };
    },
    async checkOut(key, sha256 = null) {
      const found = await head(key);
      if (found === null) throw missing();
      const { ETag: etag = '', ContentLength: sizeBytes = 0 } = found;
      const read = async (): Promise<Readable> => {
        const { Body } = await client.send(new GetObjectCommand({ ...at(key), IfMatch: etag }));
        return Body as Readable;
      };
      return await copies.checkOut({ key: prefix + key, etag, sizeBytes, sha256, read });
    },
    remove: async (key) => await remove(checkKey(key)),
    stale: (olderThan) => listStale(opened, olderThan, remove),
    ...parts,
    beginUpload: async (key) => await parts.beginUpload(checkKey(key)),
    ...(directEndpoint === null
      ? {}
      : { direct: createDirectLinks(openBucket({ ...settings, endpoint: directEndpoint.url }), listParts) }),
  };
  return described(store);
}

/** The store with the errors of all its methods described. */
function described(store: ObjectStore): ObjectStore {
  const describe =
    <Args extends unknown[], Answer>(method: (...args: Args) => Promise<Answer>) =>
    (...args: Args): Promise<Answer> =>
      // Bad keys throw at once.
      Promise.resolve()
        .then(() => method(...args))
        .catch((thrown: unknown) => {
          throw describeFailure(thrown);
        });
  const { direct } = store;
  return {
    ...(direct === undefined
      ? {}
      : {
          direct: {
            putPart: describe(direct.putPart),
            parts: describe(direct.parts),
            get: describe(direct.get),
          },
        }),
    check: describe(store.check),
    freeBytes: store.freeBytes,
    write: describe(store.write),
    adopt: describe(store.adopt),
    read: describe(store.read),
    stat: describe(store.stat),
    checkOut: describe(store.checkOut),
    remove: describe(store.remove),
    async *stale(olderThan) {
      try {
        yield* store.stale(olderThan);
      } catch (thrown) {
        throw describeFailure(thrown);
      }
    },
    beginUpload: describe(store.beginUpload),
    writePart: describe(store.writePart),
    completeUpload: describe(store.completeUpload),
    abortUpload: describe(store.abortUpload),
  };
}
