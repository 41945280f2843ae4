import { createHash, randomUUID } from 'node:crypto';
import { createWriteStream } from 'node:fs';
import { link, mkdir, readdir, rm, stat, statfs, utimes } from 'node:fs/promises';
import { join } from 'node:path';
import type { Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import { isDiskFull, noRoomToKeep } from '../../library/core/errors/disk-full.ts';
import { EarshotError } from '../../library/core/errors/errors.ts';
import { renameFile } from '../../library/core/files/rename-file.ts';
import { ownerOf, ownerPrefix } from '../../library/core/machine/owner-names.ts';
import { createKeyedMutex } from '../rules/shared/keyed-mutex.ts';
import type { CheckedOutFile } from '../rules/files/object-store.ts';

/** One version of an object. */
export interface RemoteObject {
  readonly key: string;
  /** Changes with the bytes. */
  readonly etag: string;
  readonly sizeBytes: number;
  /** Hex; null: not known. */
  readonly sha256: string | null;
  /** Its bytes; must fail when the object has changed since. */
  read(): Promise<Readable>;
}

/**
 * Local files of objects, for job processes. Each borrower gets a hard link of its own, so that a copy may be evicted,
 * also by another process of this machine, while somebody reads it. Copies stay for the next job, up to a bound; the
 * least recently used go first.
 */
export class LocalCopies {
  private readonly kept: string;
  private readonly lent: string;
  private readonly boundBytes: number;
  private readonly reserveBytes: number;
  private readonly lock = createKeyedMutex();
  /** Bytes of running downloads of this process. */
  private arrivingBytes = 0;
  private prepared: Promise<void> | undefined;

  /**
   * @param folder of this machine; shared by its processes
   * @param boundBytes of all copies
   * @param reserveBytes of the disk that stay free
   */
  constructor(folder: string, boundBytes: number, reserveBytes: number) {
    this.kept = join(folder, 'kept');
    this.lent = join(folder, 'lent');
    this.boundBytes = boundBytes;
    this.reserveBytes = reserveBytes;
  }

  /** @throws EarshotError internal_error (HTTP 507) when the disk has no room for the bytes */
  async checkOut(object: RemoteObject): Promise<CheckedOutFile> {
    this.prepared ??= this.prepare();
    await this.prepared;
    const copy = join(this.kept, createHash('sha256').update(`${object.key}\n${object.etag}`).digest('hex'));
    const path = join(this.lent, `${ownerPrefix('lent')}${randomUUID().replaceAll('-', '')}`);
    const borrow = (): Promise<boolean> =>
      link(copy, path).then(
        () => true,
        () => false,
      );
    await this.lock(copy, async () => {
      if (await borrow()) return utimes(copy, new Date(), new Date()).catch(() => undefined);
      await this.download(object, path);
      if (object.sizeBytes > this.boundBytes) return;
      // Where links cannot be had (FAT, some network file systems), the file is this borrower's alone.
      await this.keep(path, copy).catch(() => undefined);
    });
    return { path, release: () => rm(path, { force: true }).catch(() => undefined) };
  }

  /** Two processes may have fetched it: the later one's copy replaces the earlier. */
  private async keep(path: string, copy: string): Promise<void> {
    const draft = `${path}-kept`;
    await link(path, draft);
    await renameFile(draft, copy);
    await this.evict();
  }

  private async download({ sizeBytes, sha256, read }: RemoteObject, path: string): Promise<void> {
    const { bavail, bsize } = await statfs(this.lent);
    // Bytes that other downloads have already written count twice, which errs on the safe side.
    if (bavail * bsize < sizeBytes + this.arrivingBytes + this.reserveBytes) throw noRoomToKeep();
    this.arrivingBytes += sizeBytes;
    const hash = createHash('sha256');
    try {
      await pipeline(
        await read(),
        async function* (source: AsyncIterable<Buffer>) {
          for await (const chunk of source) {
            if (sha256 !== null) hash.update(chunk);
            yield chunk;
          }
        },
        createWriteStream(path, { flags: 'wx', mode: 0o600 }),
      );
      const received = (await stat(path)).size;
      if (received !== sizeBytes) throw new Error(`Expected ${sizeBytes} bytes of an object but received ${received}`);
      const found = hash.digest('hex');
      if (sha256 !== null && found !== sha256)
        throw new EarshotError(
          'internal_error',
          `Expected an object with the SHA-256 ${sha256} but received one with ${found}`,
          { retryable: true },
        );
    } catch (thrown) {
      await rm(path, { force: true });
      throw isDiskFull(thrown) ? noRoomToKeep(thrown) : thrown;
    } finally {
      this.arrivingBytes -= sizeBytes;
    }
  }

  /** Makes the folders, and removes what ended processes had borrowed. */
  private async prepare(): Promise<void> {
    for (const folder of [this.kept, this.lent]) await mkdir(folder, { recursive: true, mode: 0o700 });
    for (const name of await readdir(this.lent))
      if (ownerOf(name.replace(/-kept$/, ''), 'lent')?.running === false)
        await rm(join(this.lent, name), { force: true });
  }

  private async evict(): Promise<void> {
    const copies = await Promise.all(
      (await readdir(this.kept)).map(async (name) => {
        const path = join(this.kept, name);
        // null: another process evicted it.
        return await stat(path).then(
          ({ size, mtimeMs }) => ({ path, size, mtimeMs }),
          () => null,
        );
      }),
    );
    const oldestFirst = copies.filter((copy) => copy !== null).sort((a, b) => a.mtimeMs - b.mtimeMs);
    let bytes = oldestFirst.reduce((sum, { size }) => sum + size, 0);
    for (const { path, size } of oldestFirst) {
      if (bytes <= this.boundBytes) return;
      await rm(path, { force: true });
      bytes -= size;
    }
  }
}
