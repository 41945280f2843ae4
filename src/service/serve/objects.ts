import { join } from 'node:path';
import { createDiskStore } from '../adapters/disk/object-store.ts';
import type { Config } from '../rules/config.ts';
import { requireDiskRoom } from '../rules/disk-room.ts';
import type { ObjectStore } from '../rules/ports.ts';

/** The object store of the API and the worker. */
export function createObjects(config: Pick<Config, 'data'>): ObjectStore {
  return createDiskStore(objectsFolder(config));
}

/** Readiness checks of the object store: it is writable, and uploads have disk space. */
export const fileChecks = (objects: ObjectStore, config: Pick<Config, 'diskReserveBytes'>) => ({
  files: () => objects.check(),
  disk: () => requireDiskRoom(objects, config, 0),
});

/** Accessible only to the service's user. */
export const objectsFolder = ({ data }: Pick<Config, 'data'>): string => join(data, 'objects');
