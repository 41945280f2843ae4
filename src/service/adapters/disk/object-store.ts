import { createHash, randomUUID } from 'node:crypto';
import { createReadStream, mkdirSync } from 'node:fs';
import { access, constants, open, opendir, rm, stat, statfs, utimes } from 'node:fs/promises';
import { dirname, join, relative, resolve, sep } from 'node:path';
import { flushFile } from '../../../library/core/flush-folder.ts';
import { renameFile } from '../../../library/core/rename-file.ts';
import { throwIfAborted } from '../../../library/core/abort.ts';
import { EarshotError } from '../../../library/core/errors.ts';
import { checkKey, type ObjectStore } from '../../rules/object-store.ts';
import { codeOf, describeWriteFailure } from './failures.ts';
import { awaitDrain, createFileSink, drain } from './file-sink.ts';
import { makeFolder, publish, removeEmptyFolders } from './folders.ts';
import { createPartUploads } from './part-uploads.ts';

/** Large enough to keep disk and network busy at the same time. */
const readBytes = 256 * 1024;

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
  // Fails at the start if the folder is not writable.
  mkdirSync(temporary, { recursive: true, mode: 0o700 });
  const pathOf = (key: string): string => join(objects, checkKey(key));

  const write: ObjectStore['write'] = async (key, source, { maxBytes, exactBytes, signal }) => {
    awaitDrain(source);
    const path = pathOf(key);
    throwIfAborted(signal);
    await makeFolder(temporary);
    const draft = join(temporary, randomUUID());
    const handle = await open(draft, 'wx', 0o600).catch((thrown: unknown) => {
      throw describeWriteFailure(thrown);
    });
    const sink = createFileSink(handle, 0);
    try {
      const hash = createHash('sha256');
      let sizeBytes = 0;
      await drain(
        source,
        (chunk) => {
          sizeBytes += chunk.length;
          if (sizeBytes > maxBytes)
            throw new EarshotError('file_too_large', `Expected at most ${maxBytes} bytes but received more`, {
              details: { maxBytes },
            });
          if (exactBytes !== undefined && sizeBytes > exactBytes)
            throw wrongSize(exactBytes, `more than ${exactBytes}`);
          hash.update(chunk);
          return sink.take(chunk);
        },
        signal,
      );
      if (exactBytes !== undefined && sizeBytes !== exactBytes) throw wrongSize(exactBytes, String(sizeBytes));
      await sink.finish();
      await flushFile(handle, 'bytes');
      throwIfAborted(signal);
      await handle.close();
      await publish(draft, path);
      return { sizeBytes, sha256: hash.digest('hex') };
    } catch (thrown) {
      await sink.idle();
      await handle.close().catch(() => {});
      await rm(draft, { force: true });
      throw describeWriteFailure(thrown);
    }
  };

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

    write,

    async adopt(key, path) {
      const target = pathOf(key);
      await makeFolder(temporary);
      const draft = join(temporary, randomUUID());
      try {
        await renameFile(path, draft);
      } catch (thrown) {
        if (codeOf(thrown) !== 'EXDEV') throw thrown;
        const written = await write(key, createReadStream(path, { highWaterMark: readBytes }), {
          maxBytes: Number.MAX_SAFE_INTEGER,
        });
        await rm(path, { force: true });
        return written;
      }
      try {
        const hash = createHash('sha256');
        let sizeBytes = 0;
        for await (const chunk of createReadStream(draft, { highWaterMark: readBytes }) as AsyncIterable<Buffer>) {
          hash.update(chunk);
          sizeBytes += chunk.length;
        }
        const handle = await open(draft, 'r+');
        try {
          // The sweeper judges drafts by age, and the tool may have written this file hours ago.
          await utimes(draft, new Date(), new Date());
          await flushFile(handle);
        } finally {
          await handle.close();
        }
        await publish(draft, target);
        return { sizeBytes, sha256: hash.digest('hex') };
      } catch (thrown) {
        await rm(draft, { force: true });
        throw describeWriteFailure(thrown);
      }
    },

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
      for await (const path of filesOlderThan(objects, olderThan)) {
        const key = relative(objects, path).split(sep).join('/');
        yield { key, kind: 'object', remove: () => remove(path) };
      }
      for await (const path of filesOlderThan(temporary, olderThan))
        yield { key: `tmp/${relative(temporary, path)}`, kind: 'draft', remove: () => rm(path, { force: true }) };
      yield* uploads.stale(olderThan);
    },

    beginUpload: async (key) => await uploads.begin(key),
    writePart: async ({ uploadId }, part, source, signal) => await uploads.write(uploadId, part, source, signal),
    completeUpload: async ({ key, uploadId }, receipts) => await uploads.complete(uploadId, pathOf(key), receipts),
    abortUpload: async ({ uploadId }) => await uploads.abort(uploadId),
  };
}

const missing = (): EarshotError => new EarshotError('not_found', 'There is no such object');

const wrongSize = (expected: number, received: string): EarshotError =>
  new EarshotError('bad_request', `Expected a body of ${expected} bytes but received ${received}`, {
    details: { field: 'body', expected },
  });

/** Every file below a folder whose last write is older. */
async function* filesOlderThan(folder: string, olderThan: Date): AsyncGenerator<string> {
  const entries = await opendir(folder).catch((thrown: unknown) => {
    if (codeOf(thrown) === 'ENOENT') return null;
    throw thrown;
  });
  if (entries === null) return;
  for await (const entry of entries) {
    const path = join(folder, entry.name);
    if (entry.isDirectory()) yield* filesOlderThan(path, olderThan);
    // ENOENT: already removed.
    else if (
      await stat(path).then(
        ({ mtimeMs }) => mtimeMs < olderThan.getTime(),
        () => false,
      )
    )
      yield path;
  }
}
