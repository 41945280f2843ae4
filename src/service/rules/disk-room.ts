import { noRoomToKeep } from '../../library/core/disk-full.ts';
import type { Config } from './config.ts';
import type { ObjectStore } from './object-store.ts';

/**
 * Uploads end before the disk does: what stays free is for the database, which would stop, and for outputs of jobs that
 * run.
 * @param bytes that are about to come, as far as that is known
 * @throws EarshotError internal_error that HTTP answers with 507
 */
export async function requireDiskRoom(
  objects: Pick<ObjectStore, 'freeBytes'>,
  { diskReserveBytes }: Pick<Config, 'diskReserveBytes'>,
  bytes: number,
): Promise<void> {
  const free = await objects.freeBytes();
  if (free !== null && free < bytes + diskReserveBytes) throw noRoomToKeep();
}
