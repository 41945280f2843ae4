import type { Setting } from './setting.ts';

/** Settings of an object store that several machines share. */
export const s3Settings = {
  s3Bucket: {
    env: 'EARSHOT_S3_BUCKET',
    flag: 's3-bucket',
    kind: 'text',
    default: null,
    description:
      'Bucket of S3, or of a store with its protocol, that keeps all files. Default: the data folder keeps them',
  },
  s3Prefix: {
    env: 'EARSHOT_S3_PREFIX',
    flag: 's3-prefix',
    kind: 'text',
    default: null,
    description: 'Folder in the bucket, such as earshot/production. Default: none',
  },
  s3Endpoint: {
    env: 'EARSHOT_S3_ENDPOINT',
    flag: 's3-endpoint',
    kind: 'text',
    default: null,
    description: "Address of the store, such as https://s3.example.org. Default: Amazon's for the region",
  },
  s3Region: {
    env: 'EARSHOT_S3_REGION',
    flag: 's3-region',
    kind: 'text',
    default: 'us-east-1',
    description: 'Region of the bucket',
  },
  s3AccessKeyId: {
    env: 'EARSHOT_S3_ACCESS_KEY_ID',
    flag: 's3-access-key-id',
    kind: 'text',
    default: null,
    description: "Id of the store's key. Default: what AWS programs find: variables, profile, the machine's role",
  },
  s3SecretAccessKey: {
    env: 'EARSHOT_S3_SECRET_ACCESS_KEY',
    flag: 's3-secret-access-key',
    kind: 'secret',
    default: null,
    description: "Secret of the store's key",
  },
  s3Direct: {
    env: 'EARSHOT_S3_DIRECT',
    flag: 's3-direct',
    kind: 'boolean',
    default: 'false',
    description:
      'Upload and download links lead straight to the store, and not through the API; clients must reach it, and ' +
      'for web pages the bucket needs CORS rules',
  },
  s3PublicEndpoint: {
    env: 'EARSHOT_S3_PUBLIC_ENDPOINT',
    flag: 's3-public-endpoint',
    kind: 'text',
    default: null,
    description: "The store's address in such links. Default: EARSHOT_S3_ENDPOINT",
  },
  s3CacheBytes: {
    env: 'EARSHOT_S3_CACHE_BYTES',
    flag: 's3-cache-bytes',
    kind: 'integer',
    minimum: 0,
    default: String(10 * 2 ** 30),
    description: 'Copies of files in the bucket that this machine keeps in its data folder for the next job; 0: none',
  },
} as const satisfies Record<string, Setting>;
