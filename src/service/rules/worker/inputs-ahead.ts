import type { FleetStore } from '../fleet/fleet.ts';
import type { FileStore } from '../files/file-store.ts';
import type { ObjectStore } from '../files/object-store.ts';

/** Jobs at the front of the queue that are looked at. */
const front = 8;

/**
 * Fetches the inputs of a waiting job into this machine's copies while all its slots are busy, so that the next job
 * starts at once; the queue then prefers this machine for it. One job a round, and none that another machine has. The
 * copies have their bound and the disk its reserve, as for a running job.
 * @param isBusy are all slots of this machine busy?
 * @returns a function for one round: the ids of the fetched files
 */
export function createInputsAhead(
  {
    fleet,
    files,
    objects,
  }: {
    readonly fleet: Pick<FleetStore, 'inputsAhead' | 'noteHeld'>;
    readonly files: Pick<FileStore, 'getMany'>;
    readonly objects: Pick<ObjectStore, 'checkOut'>;
  },
  workerId: string,
  isBusy: () => boolean,
): () => Promise<readonly string[]> {
  return async () => {
    if (!isBusy()) return [];
    const ids = await fleet.inputsAhead(front);
    if (ids.length === 0) return [];
    // Said first: others then fetch those of another job.
    await fleet.noteHeld(workerId, ids);
    for (const file of await files.getMany(ids)) {
      if (file?.status !== 'ready' || file.objectKey === null) continue;
      const copy = await objects.checkOut(file.objectKey, file.sha256);
      await copy.release();
    }
    return ids;
  };
}
