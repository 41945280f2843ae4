import { createHash, randomUUID } from 'node:crypto';
import { createReadStream, mkdirSync } from 'node:fs';
import { open, rm, utimes } from 'node:fs/promises';
import { join } from 'node:path';
import type { Readable } from 'node:stream';
import { throwIfAborted } from '../../../library/core/abort.ts';
import { flushFile } from '../../../library/core/files/flush-folder.ts';
import { renameFile } from '../../../library/core/files/rename-file.ts';
import type { ObjectStore, StoredBytes } from '../../rules/files/object-store.ts';
import { codeOf, describeWriteFailure } from './failures.ts';
import { bodyLength } from '../body-length.ts';
import { awaitDrain, drain } from '../drain.ts';
import { createFileSink } from './file-sink.ts';
import { makeFolder, publish } from './folders.ts';

type WriteLimits = Parameters<ObjectStore['write']>[2];

/** Large enough to keep disk and network busy at the same time. */
export const readBytes = 256 * 1024;

/** Files that are written completely and flushed before they appear at their path. */
export class Drafts {
  private readonly folder: string;

  /** @param folder on the same device as the paths. Throws if it is not writable */
  constructor(folder: string) {
    this.folder = folder;
    mkdirSync(folder, { recursive: true, mode: 0o700 });
  }

  async write(path: string, source: Readable, limits: WriteLimits): Promise<StoredBytes> {
    const { maxBytes, exactBytes, signal } = limits;
    awaitDrain(source);
    throwIfAborted(signal);
    await makeFolder(this.folder);
    const draft = join(this.folder, randomUUID());
    const handle = await open(draft, 'wx', 0o600).catch((thrown: unknown) => {
      throw describeWriteFailure(thrown);
    });
    const sink = createFileSink(handle, 0);
    try {
      const hash = createHash('sha256');
      const length = bodyLength(maxBytes, exactBytes);
      await drain(
        source,
        (chunk) => {
          length.add(chunk);
          hash.update(chunk);
          return sink.take(chunk);
        },
        signal,
      );
      const sizeBytes = length.finish();
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
  }

  /** Moves a finished file. */
  async adopt(target: string, path: string): Promise<StoredBytes> {
    await makeFolder(this.folder);
    const draft = join(this.folder, randomUUID());
    try {
      await renameFile(path, draft);
    } catch (thrown) {
      if (codeOf(thrown) !== 'EXDEV') throw thrown;
      const written = await this.write(target, createReadStream(path, { highWaterMark: readBytes }), {
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
  }
}
