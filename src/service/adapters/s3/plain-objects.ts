import { GetObjectCommand } from '@aws-sdk/client-s3';
import { Upload } from '@aws-sdk/lib-storage';
import { createReadStream } from 'node:fs';
import type { Readable } from 'node:stream';
import { EarshotError } from '../../../library/core/errors/errors.ts';
import { type BucketSettings, openBucket } from './bucket.ts';
import { describeFailure, isMissing } from './failures.ts';

/** Single objects of any bucket, by their own keys. */
export interface PlainObjects {
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
      throw isMissing(thrown) ? new EarshotError('not_found', `There is no ${place}`) : describeFailure(thrown);
    };
  return {
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
