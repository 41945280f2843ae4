import { randomBytes } from 'node:crypto';
import { type FileHandle, mkdir, open, readdir, rm, stat } from 'node:fs/promises';
import { join } from 'node:path';
import type { Readable } from 'node:stream';
import { EarshotError } from '../../../library/core/errors/errors.ts';
import { createKeyedMutex } from '../../rules/shared/keyed-mutex.ts';
import type { Leftover, ObjectStat, PartPlace, PartReceipt } from '../../rules/files/object-store.ts';
import { checkReceipts, incomplete, stopped } from '../../rules/files/part-receipts.ts';
import { codeOf, describeWriteFailure } from './failures.ts';
import { partLength } from '../body-length.ts';
import { awaitDrain, drain } from '../drain.ts';
import { createFileSink } from './file-sink.ts';
import { flushFile, flushFolder } from '../../../library/core/files/flush-folder.ts';
import { makeFolder, publish } from './folders.ts';
import { fromFolderName, toFolderName } from './keys.ts';

interface Marker extends PartReceipt {
  readonly name: string;
  readonly offsetBytes: number;
}

const markerName = ({ number, offsetBytes, exactBytes }: PartPlace, etag: string): string =>
  `part-${number}-${offsetBytes}-${exactBytes}-${etag}`;

/** Parts written by an older version have no etag; their receipts have an empty one. */
const markerPattern = /^part-(\d+)-(\d+)-(\d+)(?:-([0-9a-f]+))?$/;

/**
 * A multipart upload is a folder, named by the upload's id. It contains `bytes`, into which every part is written at
 * its offset, and an empty marker file for each complete and flushed part, named after its receipt. Completing checks
 * the markers, so that a file never has gaps, and renames `bytes` without copying.
 * @param root folder with one folder per upload
 */
export function createPartUploads(root: string) {
  /** Bodies of the same part must not mix. */
  const lock = createKeyedMutex();

  const folderOf = (uploadId: string): string => {
    if (!/^[a-z0-9_-][a-z0-9._~-]*$/.test(uploadId))
      throw new EarshotError('internal_error', `Expected the id of an upload but received ${uploadId.slice(0, 80)}`);
    return join(root, uploadId);
  };

  return {
    async begin(key: string): Promise<string> {
      const uploadId = `${toFolderName(key)}.${randomBytes(8).toString('hex')}`;
      const folder = folderOf(uploadId);
      try {
        await makeFolder(folder);
        await (await open(join(folder, 'bytes'), 'wx', 0o600)).close();
        await flushFolder(folder);
      } catch (thrown) {
        await rm(folder, { recursive: true, force: true });
        throw describeWriteFailure(thrown);
      }
      return uploadId;
    },

    write(uploadId: string, part: PartPlace, source: Readable, signal: AbortSignal | undefined): Promise<PartReceipt> {
      awaitDrain(source);
      const folder = folderOf(uploadId);
      return lock(`${folder}/${part.number}`, async () => {
        // With the upload's lock: a completion must see either the old part or none.
        const handle = await lock(folder, async () => {
          const opened = await open(join(folder, 'bytes'), 'r+');
          for (const marker of await markersIn(folder))
            if (marker.number === part.number) await rm(join(folder, marker.name), { force: true });
          return opened;
        }).catch((thrown: unknown) => {
          throw codeOf(thrown) === 'ENOENT' ? stopped(thrown) : describeWriteFailure(thrown);
        });
        return receivePart(handle, folder, part, source, signal);
      });
    },

    /** Renames the bytes to `path`. Idempotent. */
    complete(uploadId: string, path: string, receipts: readonly PartReceipt[]): Promise<ObjectStat> {
      const folder = folderOf(uploadId);
      const totalBytes = receipts.reduce((sum, { sizeBytes }) => sum + sizeBytes, 0);
      return lock(folder, async () => {
        const bytes = await sizeOf(join(folder, 'bytes'));
        if (bytes === null) {
          if ((await sizeOf(path)) === totalBytes) return { sizeBytes: totalBytes };
          throw incomplete(`Expected parts of ${totalBytes} bytes in all but none has arrived`);
        }
        const there = await markersIn(folder);
        checkReceipts(there, receipts);
        const gap = firstGap(there, totalBytes);
        if (gap !== null)
          throw incomplete(`Expected parts of ${totalBytes} bytes in all but none contains byte ${gap}`);
        if (bytes !== totalBytes) throw incomplete(`Expected ${totalBytes} bytes of parts but received ${bytes}`);
        await publish(join(folder, 'bytes'), path);
        await rm(folder, { recursive: true, force: true });
        return { sizeBytes: totalBytes };
      });
    },

    abort(uploadId: string): Promise<void> {
      const folder = folderOf(uploadId);
      // A part being written may create its marker meanwhile.
      return lock(folder, () => rm(folder, { recursive: true, force: true, maxRetries: 3 }));
    },

    /** Uploads without a write since then. */
    async *stale(olderThan: Date): AsyncGenerator<Leftover> {
      await mkdir(root, { recursive: true });
      for (const name of await readdir(root)) {
        const path = join(root, name);
        const times = await Promise.all(
          [path, join(path, 'bytes')].map((one) =>
            stat(one).then(
              ({ mtimeMs }) => mtimeMs,
              () => 0,
            ),
          ),
        );
        const writtenAt = new Date(Math.max(...times));
        if (writtenAt >= olderThan) continue;
        const key = fromFolderName(name.replace(/\.[0-9a-f]{16}$/, ''));
        yield { key, kind: 'upload', writtenAt, remove: () => rm(path, { recursive: true, force: true }) };
      }
    },
  };
}

async function markersIn(folder: string): Promise<Marker[]> {
  const names = await readdir(folder).catch((thrown: unknown) => {
    if (codeOf(thrown) === 'ENOENT') return [];
    throw thrown;
  });
  return names.flatMap((name) => {
    const [, number, offsetBytes, sizeBytes, etag = ''] = markerPattern.exec(name) ?? [];
    return number === undefined
      ? []
      : [{ name, number: Number(number), offsetBytes: Number(offsetBytes), sizeBytes: Number(sizeBytes), etag }];
  });
}

/** Writes the part's body at its offset, and its marker when it is complete. Closes `handle`. */
async function receivePart(
  handle: FileHandle,
  folder: string,
  part: PartPlace,
  source: Readable,
  signal: AbortSignal | undefined,
): Promise<PartReceipt> {
  const sink = createFileSink(handle, part.offsetBytes);
  try {
    const length = partLength(part);
    await drain(
      source,
      (chunk) => {
        // Before writing: a longer body would overwrite the next part.
        length.add(chunk);
        return sink.take(chunk);
      },
      signal,
    );
    const sizeBytes = length.finish();
    await sink.finish();
    await flushFile(handle, 'bytes');
    const etag = randomBytes(8).toString('hex');
    await (await open(join(folder, markerName(part, etag)), 'w', 0o600)).close();
    await flushFolder(folder);
    return { number: part.number, sizeBytes, etag };
  } catch (thrown) {
    throw codeOf(thrown) === 'ENOENT' ? stopped(thrown) : describeWriteFailure(thrown);
  } finally {
    await sink.idle();
    await handle.close();
  }
}

const sizeOf = (path: string): Promise<number | null> =>
  stat(path).then(
    ({ size }) => size,
    (thrown: unknown) => {
      if (codeOf(thrown) === 'ENOENT') return null;
      throw thrown;
    },
  );

/** The first byte that no part covers, or null. */
function firstGap(parts: readonly Marker[], totalBytes: number): number | null {
  let covered = 0;
  for (const { offsetBytes, sizeBytes } of [...parts].sort((a, b) => a.offsetBytes - b.offsetBytes)) {
    if (offsetBytes > covered) return covered;
    covered = Math.max(covered, offsetBytes + sizeBytes);
  }
  return covered < totalBytes ? covered : null;
}
