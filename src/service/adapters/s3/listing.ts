import {
  AbortMultipartUploadCommand,
  DeleteObjectCommand,
  GetBucketVersioningCommand,
  ListMultipartUploadsCommand,
  ListObjectVersionsCommand,
  type MultipartUpload,
  paginateListObjectsV2,
} from '@aws-sdk/client-s3';
import type { Leftover } from '../../rules/files/object-store.ts';
import type { Bucket } from './bucket.ts';
import { isMissing, nameOf } from './failures.ts';

/** Removes objects for good: in a bucket that keeps versions, all of them and the marks of deletion. */
export function createRemover({ client, bucket, prefix }: Bucket): (key: string) => Promise<void> {
  let keepsVersions: Promise<boolean> | undefined;
  const ask = async (): Promise<boolean> => {
    const { Status } = await client
      .send(new GetBucketVersioningCommand({ Bucket: bucket }))
      .catch((thrown: unknown) => {
        // Servers without versions may not know the question.
        if (nameOf(thrown) === 'NotImplemented') return { Status: undefined };
        throw thrown;
      });
    return Status !== undefined;
  };
  const removeVersions = async (name: string): Promise<void> => {
    for (;;) {
      const { Versions = [], DeleteMarkers = [] } = await client.send(
        new ListObjectVersionsCommand({ Bucket: bucket, Prefix: name }),
      );
      const ofKey = [...Versions, ...DeleteMarkers].filter(({ Key }) => Key === name);
      if (ofKey.length === 0) return;
      for (const { VersionId } of ofKey)
        await client.send(new DeleteObjectCommand({ Bucket: bucket, Key: name, VersionId }));
    }
  };
  return async (key) => {
    const name = prefix + key;
    keepsVersions ??= ask();
    keepsVersions.catch(() => (keepsVersions = undefined));
    if (await keepsVersions) await removeVersions(name);
    else
      await client.send(new DeleteObjectCommand({ Bucket: bucket, Key: name })).catch((thrown: unknown) => {
        if (!isMissing(thrown)) throw thrown;
      });
  };
}

/** Objects last written, and uploads begun, before `olderThan`. */
export async function* listStale(
  { client, bucket, prefix }: Bucket,
  olderThan: Date,
  remove: (key: string) => Promise<void>,
): AsyncGenerator<Leftover> {
  const isOld = (date: Date | undefined): date is Date => date !== undefined && date < olderThan;
  for await (const { Contents = [] } of paginateListObjectsV2({ client }, { Bucket: bucket, Prefix: prefix }))
    for (const { Key: name = '', LastModified } of Contents) {
      const key = name.slice(prefix.length);
      if (isOld(LastModified)) yield { key, kind: 'object', writtenAt: LastModified, remove: () => remove(key) };
    }
  for await (const { Key: name = '', UploadId, Initiated } of listUploads({ client, bucket, prefix }))
    if (isOld(Initiated))
      yield {
        key: name.slice(prefix.length),
        kind: 'upload',
        writtenAt: Initiated,
        remove: async () => {
          await client
            .send(new AbortMultipartUploadCommand({ Bucket: bucket, Key: name, UploadId }))
            .catch((thrown: unknown) => {
              if (nameOf(thrown) !== 'NoSuchUpload') throw thrown;
            });
        },
      };
}

async function* listUploads({ client, bucket, prefix }: Bucket): AsyncGenerator<MultipartUpload> {
  let from: { KeyMarker?: string | undefined; UploadIdMarker?: string | undefined } = {};
  for (;;) {
    const page = await client.send(new ListMultipartUploadsCommand({ Bucket: bucket, Prefix: prefix, ...from }));
    yield* page.Uploads ?? [];
    if (page.IsTruncated !== true || page.NextKeyMarker === undefined) return;
    from = { KeyMarker: page.NextKeyMarker, UploadIdMarker: page.NextUploadIdMarker };
  }
}
