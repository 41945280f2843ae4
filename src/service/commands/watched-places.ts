// s3:// addresses that `earshot watch` takes in place of folders.
import type { Inbox, Results } from '../../library/contract/watched-places.ts';
import { EarshotError } from '../../library/core/errors/errors.ts';
import type { Config } from '../rules/settings/config.ts';

/** Is it a bucket's address, and not a folder? */
export const isBucket = (place: string): boolean => /^s3:\/\//i.test(place);

interface Place {
  readonly bucket: string;
  /** Empty, or with its slash at the end. */
  readonly prefix: string;
}

/** @throws EarshotError bad_request */
function placeOf(address: string): Place {
  const [, bucket = '', path = ''] = /^s3:\/\/([^/]+)(?:\/(.*))?$/i.exec(address) ?? [];
  if (bucket === '')
    throw new EarshotError('bad_request', `Expected s3://bucket/folder/ but received ${address.slice(0, 200)}`);
  return { bucket, prefix: path === '' || path.endsWith('/') ? path : `${path}/` };
}

async function objectsOf(
  bucket: string,
  config: Pick<Config, 's3Endpoint' | 's3Region' | 's3AccessKeyId' | 's3SecretAccessKey'>,
) {
  const { createWatchedObjects } = await import('../adapters/s3/watched-objects.ts');
  const { s3Endpoint: endpoint, s3Region: region, s3AccessKeyId: id, s3SecretAccessKey: secret } = config;
  const credentials = id === null || secret === null ? null : { accessKeyId: id, secretAccessKey: secret };
  return createWatchedObjects({ bucket, endpoint, region, credentials });
}

/** Results would be taken for recordings. @throws EarshotError bad_request */
export function refuseWithin(inbox: string, finished: string): void {
  if (!isBucket(inbox) || !isBucket(finished)) return;
  const [from, to] = [placeOf(inbox), placeOf(finished)];
  if (from.bucket === to.bucket && to.prefix.startsWith(from.prefix))
    throw new EarshotError('bad_request', `Expected a place for results outside of the inbox but received ${finished}`);
}

/** The inbox at an s3:// address. @throws EarshotError bad_request */
export async function openBucketInbox(address: string, config: Config): Promise<Inbox> {
  const { bucket, prefix } = placeOf(address);
  const { bucketInbox } = await import('./watched-bucket.ts');
  return bucketInbox(await objectsOf(bucket, config), prefix);
}

/** The place for results at an s3:// address. @throws EarshotError bad_request */
export async function openBucketResults(address: string, config: Config): Promise<Results> {
  const { bucket, prefix } = placeOf(address);
  const { bucketResults } = await import('./watched-bucket.ts');
  return bucketResults(await objectsOf(bucket, config), prefix, (key) => `s3://${bucket}/${key}`);
}
