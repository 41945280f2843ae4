import { noRoomToKeep } from '../../../library/core/errors/disk-full.ts';
import type { Config } from '../settings/config.ts';
import type { ObjectStore } from './object-store.ts';

/**
 * Refuses uploads before the disk is full. The reserve is for the database and for the outputs of running jobs.
 * @param bytes about to be written, as far as known
 * @throws EarshotError internal_error, answered with 507
 */
export async function requireDiskRoom(
  objects: Pick<ObjectStore, 'freeBytes'>,
  { diskReserveBytes }: Pick<Config, 'diskReserveBytes'>,
  bytes: number,
): Promise<void> {
  const free = await objects.freeBytes();
  if (free !== null && free < bytes + diskReserveBytes) throw noRoomToKeep();
}
