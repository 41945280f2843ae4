import { join } from 'node:path';
import { createDiskStore } from '../adapters/disk/object-store.ts';
import { EarshotError } from '../../library/core/errors/errors.ts';
import { optionalPackage } from '../../library/core/start/optional-package.ts';
import type { ReadinessChecks, SharedChecks } from '../http/server/health.ts';
import type { Config } from '../rules/settings/config.ts';
import { requireDiskRoom } from '../rules/files/disk-room.ts';
import type { ObjectStore } from '../rules/files/object-store.ts';

/** Settings that say where objects are. */
type StoreSettings = Pick<
  Config,
  | 'data'
  | 'diskReserveBytes'
  | 's3Bucket'
  | 's3Prefix'
  | 's3Endpoint'
  | 's3Region'
  | 's3AccessKeyId'
  | 's3SecretAccessKey'
  | 's3CacheBytes'
  | 's3Direct'
  | 's3PublicEndpoint'
>;

/**
 * The object store of the API and the worker: the data folder, or the bucket of EARSHOT_S3_BUCKET. The library for S3
 * is loaded only with a bucket.
 * @throws EarshotError tool_unavailable when that library is not installed; bad_request when one half of the bucket's
 *   key is missing, or the store knows no such bucket or refuses the key
 */
export async function createObjects(config: StoreSettings): Promise<ObjectStore> {
  const { s3Bucket, s3Prefix, s3AccessKeyId, s3SecretAccessKey } = config;
  if (s3Bucket === null) return createDiskStore(objectsFolder(config));
  if ((s3AccessKeyId === null) !== (s3SecretAccessKey === null))
    throw new EarshotError(
      'bad_request',
      'Expected EARSHOT_S3_ACCESS_KEY_ID and EARSHOT_S3_SECRET_ACCESS_KEY, or neither, but ' +
        `${s3AccessKeyId === null ? 'the id' : 'the secret'} is missing`,
      { nextAction: 'Set both, or neither where AWS programs find their key themselves.' },
    );
  const { createS3Store } = await optionalPackage(
    '@aws-sdk/client-s3 @aws-sdk/lib-storage @aws-sdk/s3-request-presigner',
    'Files in a bucket need',
    () => import('../adapters/s3/object-store.ts'),
  );
  const store = createS3Store({
    bucket: s3Bucket,
    prefix: s3Prefix === null ? '' : `${s3Prefix}/`,
    endpoint: config.s3Endpoint,
    region: config.s3Region,
    credentials:
      s3AccessKeyId === null || s3SecretAccessKey === null
        ? null
        : { accessKeyId: s3AccessKeyId, secretAccessKey: s3SecretAccessKey },
    folder: join(objectsFolder(config), 'copies'),
    copiesBytes: config.s3CacheBytes,
    reserveBytes: config.diskReserveBytes,
    directEndpoint: config.s3Direct ? { url: config.s3PublicEndpoint ?? config.s3Endpoint } : null,
  });
  await requireBucket(store, s3Bucket);
  return store;
}

/**
 * A wrong name or key is found at the start, and not by the first upload. A store that does not answer now is none:
 * /readyz tells of it.
 */
async function requireBucket(store: Pick<ObjectStore, 'check'>, bucket: string): Promise<void> {
  await store.check().catch((thrown: unknown) => {
    const { details, cause } = EarshotError.from(thrown);
    if (details?.['outage'] === true) return;
    const reason = cause instanceof Error ? cause.name : 'unknown';
    throw new EarshotError('bad_request', `The bucket ${bucket} cannot be used here: ${reason}`, {
      nextAction:
        'Check EARSHOT_S3_BUCKET, EARSHOT_S3_REGION, EARSHOT_S3_ENDPOINT and the key, and that the key may use the ' +
        'bucket.',
      cause: thrown,
    });
  });
}

/**
 * Readiness checks of the object store: it is writable, and uploads have disk space. A bucket is shared by all APIs,
 * which go on without it: accounts, prices, lists and the progress of jobs need none.
 */
export const fileChecks = (
  objects: ObjectStore,
  config: Pick<Config, 'diskReserveBytes' | 's3Bucket'>,
): { readonly checks: ReadinessChecks; readonly sharedChecks: SharedChecks } => {
  const files = { files: () => objects.check() };
  const disk = { disk: () => requireDiskRoom(objects, config, 0) };
  return config.s3Bucket === null
    ? { checks: { ...files, ...disk }, sharedChecks: {} }
    : { checks: disk, sharedChecks: files };
};

/** Accessible only to the service's user. */
export const objectsFolder = ({ data }: Pick<Config, 'data'>): string => join(data, 'objects');
