import { join } from 'node:path';
import { createDiskStore } from '../adapters/disk/object-store.ts';
import type { Config } from '../rules/config.ts';
import { requireDiskRoom } from '../rules/disk-room.ts';
import type { ObjectStore } from '../rules/ports.ts';

/** Where the bytes of files lie: the only place where an object store is chosen, for the API and the worker alike. */
export function createObjects(config: Pick<Config, 'data'>): ObjectStore {
  return createDiskStore(objectsFolder(config));
}

/** What must be well with files for the service to be ready: they can be written, and uploads have room. */
export const fileChecks = (objects: ObjectStore, config: Pick<Config, 'diskReserveBytes'>) => ({
  files: () => objects.check(),
  disk: () => requireDiskRoom(objects, config, 0),
});

/** For the service's user alone. */
export const objectsFolder = ({ data }: Pick<Config, 'data'>): string => join(data, 'objects');
