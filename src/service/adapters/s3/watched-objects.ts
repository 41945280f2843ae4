// What a watcher of a bucket asks of it: lists, small texts that are written on conditions, files, copies.
import {
  CompleteMultipartUploadCommand,
  type CompletedPart,
  CopyObjectCommand,
  CreateMultipartUploadCommand,
  DeleteObjectCommand,
  GetObjectCommand,
  HeadObjectCommand,
  ListObjectsV2Command,
  PutObjectCommand,
  UploadPartCopyCommand,
} from '@aws-sdk/client-s3';
import { Upload } from '@aws-sdk/lib-storage';
import { createReadStream } from 'node:fs';
import type { Readable } from 'node:stream';
import { EarshotError } from '../../../library/core/errors/errors.ts';
import { type Bucket, type BucketSettings, openBucket } from './bucket.ts';
import { describeFailure, isMissing, nameOf } from './failures.ts';
import { noKey } from './plain-objects.ts';

/** An object, as lists have it. */
export interface ListedObject {
  readonly key: string;
  readonly sizeBytes: number;
  /** Of this content; with its quotes. */
  readonly etag: string;
}

/** A bucket, for one watcher. Keys are whole. */
export interface WatchedObjects {
  /** What lies directly below a prefix that is empty or ends in "/"; folders likewise. */
  list(prefix: string): Promise<{ readonly objects: readonly ListedObject[]; readonly folders: readonly string[] }>;
  /** Is there an object whose key begins so? */
  hasAny(prefix: string): Promise<boolean>;
  /** null: it is not there. */
  stat(key: string): Promise<{ readonly object: ListedObject; readonly owner: string | null } | null>;
  /** null: it is not there. */
  readText(key: string): Promise<{ readonly text: string; readonly etag: string } | null>;
  /**
   * Writes a text where the object is as expected.
   * @param expected its etag; null: there is none
   * @returns the new etag; null: it was not as expected, and nothing was written
   */
  writeText(key: string, text: string, expected: string | null): Promise<string | null>;
  /** An object's bytes. null: it is gone, or another */
  read(object: ListedObject): Promise<Readable | null>;
  /**
   * Uploads a file, in parts where it is large.
   * @param owner written beside it
   * @param replaces false: only where nothing is
   * @returns false: something is there
   */
  upload(
    key: string,
    path: string,
    how: { readonly contentType: string; readonly owner: string; readonly replaces: boolean },
  ): Promise<boolean>;
  /** Within the bucket, without its bytes passing here. @returns false: it is gone, or another */
  copy(from: ListedObject, to: string): Promise<boolean>;
  remove(key: string): Promise<void>;
}

const ownerField = 'earshot-claim';
/** One request copies at most 5 GiB. */
const usualCopyBytes = 2 ** 30;
/** Two conditional writes at the same time: neither was refused by what is there. */
const isClash = (thrown: unknown): boolean => nameOf(thrown) === 'ConditionalRequestConflict';
const isRefused = (thrown: unknown): boolean =>
  nameOf(thrown) === 'PreconditionFailed' || (thrown as Partial<Failed>).$metadata?.httpStatusCode === 412;

interface Failed {
  readonly $metadata: { readonly httpStatusCode?: number };
}

/** @param copyBytes larger objects are copied in parts of this size. Default: 1 GiB */
export function createWatchedObjects(
  settings: Omit<BucketSettings, 'prefix'>,
  copyBytes = usualCopyBytes,
): WatchedObjects {
  const { bucket: Bucket } = settings;
  const { client } = openBucket({ ...settings, prefix: '' });

  async function stat(Key: string): ReturnType<WatchedObjects['stat']> {
    try {
      const found = await client.send(new HeadObjectCommand({ Bucket, Key }));
      const { ETag: etag = '', ContentLength: sizeBytes = 0, Metadata } = found;
      return { object: { key: Key, sizeBytes, etag }, owner: Metadata?.[ownerField] ?? null };
    } catch (thrown) {
      if (isMissing(thrown)) return null;
      throw thrown;
    }
  }

  async function readText(Key: string) {
    try {
      const { Body, ETag = '' } = await client.send(new GetObjectCommand({ Bucket, Key }));
      return { text: (await Body?.transformToString()) ?? '', etag: ETag };
    } catch (thrown) {
      if (isMissing(thrown)) return null;
      throw thrown;
    }
  }

  const objects: WatchedObjects = {
    async list(prefix) {
      const found: ListedObject[] = [];
      const folders: string[] = [];
      for (let ContinuationToken: string | undefined; ;) {
        const page = await client.send(
          new ListObjectsV2Command({ Bucket, Prefix: prefix, Delimiter: '/', ContinuationToken }),
        );
        for (const { Key = '', Size = 0, ETag = '' } of page.Contents ?? [])
          found.push({ key: Key, sizeBytes: Size, etag: ETag });
        folders.push(...(page.CommonPrefixes ?? []).map(({ Prefix = '' }) => Prefix));
        if (page.IsTruncated !== true || page.NextContinuationToken === undefined) return { objects: found, folders };
        ContinuationToken = page.NextContinuationToken;
      }
    },
    async hasAny(prefix) {
      const page = await client.send(new ListObjectsV2Command({ Bucket, Prefix: prefix, MaxKeys: 1 }));
      return (page.Contents ?? []).length > 0;
    },
    stat,
    readText,
    async writeText(Key, text, expected) {
      const condition = expected === null ? { IfNoneMatch: '*' } : { IfMatch: expected };
      const written = await conditional(() =>
        client.send(new PutObjectCommand({ Bucket, Key, Body: text, ContentType: 'application/json', ...condition })),
      ).catch((thrown: unknown) => {
        // Of a condition on what is gone.
        if (isMissing(thrown)) return null;
        throw thrown;
      });
      if (written !== null) return written.ETag ?? '';
      // A request that was sent again because its answer was lost meets its own text.
      const there = await readText(Key);
      return there?.text === text ? there.etag : null;
    },
    async read({ key, etag }) {
      try {
        const { Body } = await client.send(new GetObjectCommand({ Bucket, Key: key, IfMatch: etag }));
        return Body as Readable;
      } catch (thrown) {
        if (isMissing(thrown) || isRefused(thrown)) return null;
        throw thrown;
      }
    },
    async upload(Key, path, { contentType, owner, replaces }) {
      const params = {
        Bucket,
        Key,
        ContentType: contentType,
        Metadata: { [ownerField]: owner },
        ...(replaces ? {} : { IfNoneMatch: '*' }),
      };
      const done = await conditional(() =>
        new Upload({ client, params: { ...params, Body: createReadStream(path) } }).done(),
      );
      return done !== null || (await stat(Key))?.owner === owner;
    },
    copy: (from, to) =>
      copyObject(client, Bucket, from, to, copyBytes).then(
        () => true,
        (thrown: unknown) => {
          if (isMissing(thrown) || isRefused(thrown)) return false;
          throw thrown;
        },
      ),
    remove: async (Key) => void (await client.send(new DeleteObjectCommand({ Bucket, Key }))),
  };
  return described(objects, Bucket);
}

/** null: what is there is not as expected. */
async function conditional<Answer>(write: () => Promise<Answer>): Promise<Answer | null> {
  for (let left = 5; ; left -= 1) {
    try {
      return await write();
    } catch (thrown) {
      if (isRefused(thrown)) return null;
      if (!isClash(thrown) || left === 0) throw thrown;
    }
  }
}

async function copyObject(
  client: Bucket['client'],
  bucket: string,
  { key, etag, sizeBytes }: ListedObject,
  to: string,
  partBytes: number,
): Promise<void> {
  const place = { Bucket: bucket, Key: to };
  // In the header, whose slashes stay.
  const CopySource = `${bucket}/${key.split('/').map(encodeURIComponent).join('/')}`;
  const from = { ...place, CopySource, CopySourceIfMatch: etag };
  if (sizeBytes <= partBytes) return void (await client.send(new CopyObjectCommand(from)));
  const { UploadId } = await client.send(new CreateMultipartUploadCommand(place));
  const Parts: CompletedPart[] = [];
  for (let start = 0; start < sizeBytes; start += partBytes) {
    const CopySourceRange = `bytes=${start}-${Math.min(sizeBytes, start + partBytes) - 1}`;
    const PartNumber = Parts.length + 1;
    const { CopyPartResult } = await client.send(
      new UploadPartCopyCommand({ ...from, UploadId, PartNumber, CopySourceRange }),
    );
    Parts.push({ PartNumber, ETag: CopyPartResult?.ETag });
  }
  await client.send(new CompleteMultipartUploadCommand({ ...place, UploadId, MultipartUpload: { Parts } }));
}

/** The same, with errors for people who watch a bucket. */
function described(objects: WatchedObjects, bucket: string): WatchedObjects {
  const describe =
    <Args extends unknown[], Answer>(method: (...args: Args) => Promise<Answer>) =>
    async (...args: Args): Promise<Answer> => {
      try {
        return await method(...args);
      } catch (thrown) {
        const name = nameOf(thrown);
        if (name === 'NoSuchBucket') throw new EarshotError('not_found', `There is no bucket ${bucket}`);
        if (name === 'CredentialsProviderError') throw noKey(thrown);
        const error = describeFailure(thrown);
        if (!(error instanceof EarshotError) || error === thrown || error.details?.['outage'] === true) throw error;
        throw new EarshotError('tool_unavailable', `s3://${bucket} refused a request (${name})`, {
          nextAction: 'Look whether the key may list, read, write and delete there, and whether its secret is right.',
          cause: thrown,
        });
      }
    };
  return {
    list: describe(objects.list),
    hasAny: describe(objects.hasAny),
    stat: describe(objects.stat),
    readText: describe(objects.readText),
    writeText: describe(objects.writeText),
    read: describe(objects.read),
    upload: describe(objects.upload),
    copy: describe(objects.copy),
    remove: describe(objects.remove),
  };
}
