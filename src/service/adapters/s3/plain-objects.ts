import { GetObjectCommand } from '@aws-sdk/client-s3';
import { Upload } from '@aws-sdk/lib-storage';
import { createReadStream } from 'node:fs';
import type { Readable } from 'node:stream';
import { EarshotError } from '../../../library/core/errors/errors.ts';
import { type BucketSettings, openBucket } from './bucket.ts';
import { describeFailure, isMissing, nameOf } from './failures.ts';

/** Single objects of any bucket, by their own keys. */
export interface PlainObjects {
  /** @throws EarshotError tool_unavailable: neither the settings nor the environment have a key */
  requireKey(): Promise<void>;
  /** @throws EarshotError not_found, or a retryable one while the store is away */
  read(bucket: string, key: string): Promise<Readable>;
  /** In parts where it is large; replaces what is there. @throws EarshotError */
  write(bucket: string, key: string, path: string, contentType: string): Promise<void>;
}

export function createPlainObjects(settings: Omit<BucketSettings, 'bucket' | 'prefix'>): PlainObjects {
  const { client } = openBucket({ ...settings, bucket: '', prefix: '' });
  const described =
    (place: string) =>
    (thrown: unknown): never => {
      if (isMissing(thrown)) throw new EarshotError('not_found', `There is no ${place}`);
      throw nameOf(thrown) === 'CredentialsProviderError' ? noKey(thrown) : describeFailure(thrown);
    };
  return {
    async requireKey() {
      await client.config.credentials().catch(described(''));
    },
    async read(Bucket, Key) {
      const { Body } = await client
        .send(new GetObjectCommand({ Bucket, Key }))
        .catch(described(`s3://${Bucket}/${Key}`));
      return Body as Readable;
    },
    async write(Bucket, Key, path, ContentType) {
      const upload = new Upload({ client, params: { Bucket, Key, ContentType, Body: createReadStream(path) } });
      await upload.done().catch(described(`s3://${Bucket}`));
    },
  };
}

/** @param cause what the SDK said */
export const noKey = (cause: unknown): EarshotError =>
  new EarshotError('tool_unavailable', 'There is no key for the bucket', {
    cause,
    nextAction: 'Set EARSHOT_S3_ACCESS_KEY_ID and EARSHOT_S3_SECRET_ACCESS_KEY, or what AWS programs find.',
  });
