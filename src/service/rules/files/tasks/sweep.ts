import { readdir, rm, stat } from 'node:fs/promises';
import { join } from 'node:path';
import type { StillLeads } from '../../fleet/leadership.ts';
import type { StoredFile } from '../stored-file.ts';
import type { Leftover } from '../object-store.ts';
import { notDeleted, withoutBytes } from '../guards.ts';
import { dropParts, hasParts } from '../part-uploads.ts';
import type { FileTaskHandlers, FileTaskDeps } from './deps.ts';
import { drawingParent, drawingPrefix } from './peaks.ts';

const batch = 200;
/** Listing every object is too expensive for every minute. */
const betweenLeftoversMs = 10 * 60_000;
/** Records are kept a little longer, so that late clients get file_expired and not not_found. */
const remembersExpiredMs = 3_600_000;
/** Safety margin after the end of the last possible upload. */
const graceMs = 3_600_000;

export function createSweep({
  files,
  objects,
  config,
  log,
  now = () => new Date(),
}: FileTaskDeps): FileTaskHandlers['sweep'] {
  let leftoversSweptAt = -Infinity;

  /** Bytes before records: a record without bytes is found again, bytes without a record are not. */
  const removeBytes = async (file: StoredFile): Promise<void> => {
    for (const key of [file.objectKey, file.peaksKey]) if (key !== null) await objects.remove(key);
    if (hasParts(file)) await dropParts(objects, file);
  };

  const removeExpired = async (stillLeads: StillLeads): Promise<number> => {
    let count = 0;
    for (;;) {
      const expired = await files.expired(now(), batch);
      for (const file of expired) {
        await stillLeads();
        await removeBytes(file);
        await files.update(file.id, notDeleted, withoutBytes);
      }
      count += expired.length;
      if (expired.length < batch) return count;
    }
  };

  const forgetExpired = async (stillLeads: StillLeads): Promise<void> => {
    const before = new Date(now().getTime() - remembersExpiredMs);
    for (;;) {
      await stillLeads();
      const ids = await files.expiredBefore(before, batch);
      await files.remove(ids);
      if (ids.length < batch) return;
    }
  };

  const removeLeftovers = async (olderThan: Date, stillLeads: StillLeads): Promise<number> => {
    let count = 0;
    let held: Leftover[] = [];
    const judge = async (): Promise<void> => {
      // An upload may have the key of a used object, if it was begun again after joining: only objects are checked.
      const objectKeys = held.flatMap(({ kind, key }) => (kind === 'object' ? [key] : []));
      await stillLeads();
      const used = await files.usedKeys(objectKeys);
      for (const leftover of held) {
        if (leftover.kind === 'object' && used.has(leftover.key)) continue;
        await leftover.remove();
        count += 1;
      }
      held = [];
    };
    for await (const old of objects.stale(olderThan)) {
      held.push(old);
      if (held.length >= batch) await judge();
    }
    await judge();
    return count;
  };

  return async (stillLeads = () => Promise.resolve()) => {
    const expired = await removeExpired(stillLeads);
    await forgetExpired(stillLeads);
    let leftovers = 0;
    const at = now().getTime();
    if (at - leftoversSweptAt >= betweenLeftoversMs) {
      leftoversSweptAt = at;
      leftovers = await removeLeftovers(new Date(at - config.uploadSeconds * 1000 - graceMs), stillLeads);
    }
    if (expired > 0 || leftovers > 0) log.info({ expired, leftovers }, 'Swept files');
    return { expired, leftovers };
  };
}

/** Leftovers of peaks on this machine's own disk, with the same margin. */
export function createSweepHere({ config, now = () => new Date() }: FileTaskDeps): FileTaskHandlers['sweepHere'] {
  let sweptAt = -Infinity;
  return async () => {
    const at = now().getTime();
    if (at - sweptAt < betweenLeftoversMs) return 0;
    sweptAt = at;
    return removeDrawings(config.data, new Date(at - config.uploadSeconds * 1000 - graceMs));
  };
}

async function removeDrawings(data: string, olderThan: Date): Promise<number> {
  let count = 0;
  for (const name of await readdir(drawingParent(data)).catch(() => [])) {
    if (!name.startsWith(drawingPrefix)) continue;
    const path = join(drawingParent(data), name);
    const old = await stat(path).then(
      ({ mtimeMs }) => mtimeMs < olderThan.getTime(),
      () => false,
    );
    if (!old) continue;
    await rm(path, { recursive: true, force: true });
    count += 1;
  }
  return count;
}
