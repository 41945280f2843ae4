import { access, constants, open, opendir, rm, stat, statfs } from 'node:fs/promises';
import { dirname, join, relative, resolve, sep } from 'node:path';
import { EarshotError } from '../../../library/core/errors/errors.ts';
import { checkKey, type ObjectStore } from '../../rules/files/object-store.ts';
import { Drafts, readBytes } from './drafts.ts';
import { codeOf } from './failures.ts';
import { removeEmptyFolders } from './folders.ts';
import { createPartUploads } from './part-uploads.ts';

/**
 * Objects as files under `folder`: `objects/<key>`; unfinished writes in `tmp/`, multipart uploads in `uploads/`, all
 * on one device, so that finished files are only renamed. Writes are atomic and flushed: also after a crash, an object
 * exists completely or not at all. Only one process at a time may write parts of the same upload.
 */
export function createDiskStore(folder: string): ObjectStore {
  const root = resolve(folder);
  const objects = join(root, 'objects');
  const temporary = join(root, 'tmp');
  const uploads = createPartUploads(join(root, 'uploads'));
  const drafts = new Drafts(temporary);
  const pathOf = (key: string): string => join(objects, checkKey(key));

  const remove = async (path: string): Promise<void> => {
    await rm(path, { force: true });
    await removeEmptyFolders(dirname(path), objects);
  };

  return {
    check: async () => await access(root, constants.W_OK),

    async freeBytes() {
      const { bavail, bsize } = await statfs(root);
      return bavail * bsize;
    },

    write: async (key, source, limits) => await drafts.write(pathOf(key), source, limits),
    adopt: async (key, path) => await drafts.adopt(pathOf(key), path),

    async read(key, range) {
      const handle = await open(pathOf(key), 'r').catch((thrown: unknown) => {
        throw codeOf(thrown) === 'ENOENT' ? missing() : thrown;
      });
      return handle.createReadStream({ highWaterMark: readBytes, ...range });
    },

    async stat(key) {
      return await stat(pathOf(key)).then(
        ({ size }) => ({ sizeBytes: size }),
        (thrown: unknown) => {
          if (codeOf(thrown) === 'ENOENT') return null;
          throw thrown;
        },
      );
    },

    async checkOut(key) {
      const path = pathOf(key);
      await stat(path).catch((thrown: unknown) => {
        throw codeOf(thrown) === 'ENOENT' ? missing() : thrown;
      });
      return { path, release: () => Promise.resolve() };
    },

    remove: async (key) => await remove(pathOf(key)),

    async *stale(olderThan) {
      for await (const { path, writtenAt } of filesOlderThan(objects, olderThan)) {
        const key = relative(objects, path).split(sep).join('/');
        yield { key, kind: 'object', writtenAt, remove: () => remove(path) };
      }
      for await (const { path, writtenAt } of filesOlderThan(temporary, olderThan)) {
        const key = `tmp/${relative(temporary, path)}`;
        yield { key, kind: 'draft', writtenAt, remove: () => rm(path, { force: true }) };
      }
      yield* uploads.stale(olderThan);
    },

    beginUpload: async (key) => await uploads.begin(key),
    writePart: async ({ uploadId }, part, source, signal) => await uploads.write(uploadId, part, source, signal),
    completeUpload: async ({ key, uploadId }, receipts) => await uploads.complete(uploadId, pathOf(key), receipts),
    abortUpload: async ({ uploadId }) => await uploads.abort(uploadId),
  };
}

const missing = (): EarshotError => new EarshotError('not_found', 'There is no such object');

/** Every file below a folder whose last write is older. */
async function* filesOlderThan(
  folder: string,
  olderThan: Date,
): AsyncGenerator<{ readonly path: string; readonly writtenAt: Date }> {
  const entries = await opendir(folder).catch((thrown: unknown) => {
    if (codeOf(thrown) === 'ENOENT') return null;
    throw thrown;
  });
  if (entries === null) return;
  for await (const entry of entries) {
    const path = join(folder, entry.name);
    if (entry.isDirectory()) yield* filesOlderThan(path, olderThan);
    else {
      // null: already removed.
      const writtenAt = await stat(path).then(
        ({ mtime }) => mtime,
        () => null,
      );
      if (writtenAt !== null && writtenAt < olderThan) yield { path, writtenAt };
    }
  }
}
