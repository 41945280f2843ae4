import { S3Client, type S3ClientConfig } from '@aws-sdk/client-s3';

/** Where objects are, and with what credentials they are read and written. */
export interface BucketSettings {
  readonly bucket: string;
  /** Of all keys, with its slash: "earshot/". Empty: none. */
  readonly prefix: string;
  /** null: Amazon's own. */
  readonly endpoint: string | null;
  readonly region: string;
  /** null: what the environment offers (variables, profile, the machine's role). */
  readonly credentials: { readonly accessKeyId: string; readonly secretAccessKey: string } | null;
}

export interface Bucket extends Pick<BucketSettings, 'bucket' | 'prefix'> {
  readonly client: S3Client;
}

const quiet = (): void => undefined;
/** A connection that says nothing for so long is dead. */
const silenceMs = 60_000;
const connectMs = 5000;
/** With waits of up to 20 s in between: a store that is busy for a minute fails no job. */
const attempts = 8;
const mostSockets = 64;

/** @param maxAttempts of each request. Default 8 */
export function openBucket(
  { bucket, prefix, endpoint, region, credentials }: BucketSettings,
  maxAttempts = attempts,
): Bucket {
  const config: S3ClientConfig = {
    region,
    // Buckets as host names need names below the endpoint's, which servers of one's own seldom have.
    ...(endpoint === null ? {} : { endpoint, forcePathStyle: true }),
    ...(credentials === null ? {} : { credentials }),
    // Errors are thrown; the SDK would also print them.
    logger: { debug: quiet, info: quiet, warn: quiet, error: quiet },
    maxAttempts,
    requestHandler: {
      connectionTimeout: connectMs,
      socketTimeout: silenceMs,
      httpsAgent: { maxSockets: mostSockets },
      httpAgent: { maxSockets: mostSockets },
    },
    // Otherwise presigned PUTs carry the checksum of an empty body, and older servers refuse the trailers.
    requestChecksumCalculation: 'WHEN_REQUIRED',
    responseChecksumValidation: 'WHEN_REQUIRED',
  };
  return { client: new S3Client(config), bucket, prefix };
}
