import { join } from 'node:path';
import { createDiskStore } from '../adapters/disk/object-store.ts';
import type { Config } from '../service/config.ts';
import type { ObjectStore } from '../service/ports.ts';

/** Where the bytes of files lie: the only place where an object store is chosen, for the API and the worker alike. */
export function createObjects(config: Pick<Config, 'data'>): ObjectStore {
  return createDiskStore(objectsFolder(config));
}

/** For the service's user alone. */
export const objectsFolder = ({ data }: Pick<Config, 'data'>): string => join(data, 'objects');
