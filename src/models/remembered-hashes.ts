// A hundred megabytes of weights take a quarter of a second to hash, in every job. What was hashed once is remembered by
// the file's path, size, times and number on its disk.
import { createHash } from 'node:crypto';
import { mkdir, open, readFile, rename, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { cacheFolder } from './folders.ts';

/** A file that changed as late as this before it was read may change again within the same tick of its disk's clock. */
const settledMilliseconds = 2000;

const entryPath = (path: string): string =>
  join(cacheFolder(), 'hashed-models', `${createHash('sha256').update(path).digest('hex').slice(0, 32)}.json`);

interface Entry {
  readonly path: string;
  /** What the disk says of the file, as one text. */
  readonly identity: string;
  readonly sha256: string;
}

async function remembered(path: string, identity: string): Promise<string | null> {
  try {
    const entry = JSON.parse(await readFile(entryPath(path), 'utf8')) as Partial<Entry>;
    const isOurs = entry.path === path && entry.identity === identity && typeof entry.sha256 === 'string';
    return isOurs ? (entry.sha256 as string) : null;
  } catch {
    return null;
  }
}

/** Where nothing can be written, the next run hashes again. */
async function remember(entry: Entry): Promise<void> {
  const target = entryPath(entry.path);
  const partial = `${target}.${process.pid}`;
  try {
    await mkdir(join(cacheFolder(), 'hashed-models'), { recursive: true });
    await writeFile(partial, JSON.stringify(entry));
    await rename(partial, target);
  } catch {
    await rm(partial, { force: true }).catch(() => undefined);
  }
}

/**
 * A file's bytes and their SHA-256: computed, or remembered while size, times, number and disk of the file are those of
 * the day it was computed.
 * @param path absolute
 */
export async function readHashed(
  path: string,
): Promise<{ readonly bytes: Uint8Array<ArrayBuffer>; readonly sha256: string }> {
  const file = await open(path);
  try {
    const { size, mtimeNs, ctimeNs, ino, dev, ctimeMs } = await file.stat({ bigint: true });
    const identity = [size, mtimeNs, ctimeNs, ino, dev].join(' ');
    const known = await remembered(path, identity);
    const bytes = await file.readFile();
    if (known !== null && BigInt(bytes.length) === size) return { bytes, sha256: known };
    const sha256 = createHash('sha256').update(bytes).digest('hex');
    if (Date.now() - Number(ctimeMs) > settledMilliseconds) await remember({ path, identity, sha256 });
    return { bytes, sha256 };
  } finally {
    await file.close();
  }
}
