// Hashing a hundred megabytes of weights takes a quarter of a second in every job. So hashes are remembered by the
// file's path, size, times, inode and device.
import { createReadStream } from 'node:fs';
import { type FileHandle, mkdir, open, readFile, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { renameFile } from '../core/files/rename-file.ts';
import { cacheFolder } from './folders.ts';

/** A file changed within this time before it was read may change again within one tick of its file system's clock. */
const settledMilliseconds = 2000;

/** Loaded where there is something to hash: the list of commands looks at sizes alone. */
const newHash = async (): Promise<import('node:crypto').Hash> => (await import('node:crypto')).createHash('sha256');

const sha256Of = async (bytes: Uint8Array): Promise<string> => (await newHash()).update(bytes).digest('hex');

const entryPath = async (path: string): Promise<string> =>
  join(cacheFolder(), 'hashed-models', `${(await sha256Of(Buffer.from(path))).slice(0, 32)}.json`);

interface Entry {
  readonly path: string;
  /** The file's size, times, inode and device as one text. */
  readonly identity: string;
  readonly sha256: string;
}

async function remembered(path: string, identity: string): Promise<string | null> {
  try {
    const entry = JSON.parse(await readFile(await entryPath(path), 'utf8')) as Partial<Entry>;
    const isOurs = entry.path === path && entry.identity === identity && typeof entry.sha256 === 'string';
    return isOurs ? (entry.sha256 ?? null) : null;
  } catch {
    return null;
  }
}

let tellUnremembered: (path: string) => void = () => undefined;

/**
 * Sets a listener for files whose hash could not be saved: a confined process may not write, but its host may.
 * @param tell called with the file's path
 */
export function onUnremembered(tell: (path: string) => void): void {
  tellUnremembered = tell;
}

/** Where nothing can be written, the next run hashes again. */
async function remember(entry: Entry): Promise<void> {
  const target = await entryPath(entry.path);
  const partial = `${target}.${process.pid}`;
  try {
    await mkdir(join(cacheFolder(), 'hashed-models'), { recursive: true });
    await writeFile(partial, JSON.stringify(entry));
    await renameFile(partial, target);
  } catch {
    await rm(partial, { force: true }).catch(() => undefined);
    tellUnremembered(entry.path);
  }
}

/** SHA-256 of a file, read in pieces, always from the disk. */
export async function sha256OfFile(path: string, signal?: AbortSignal): Promise<string> {
  const hash = await newHash();
  for await (const piece of createReadStream(path, signal ? { signal } : {})) hash.update(piece as Buffer);
  return hash.digest('hex');
}

interface Identity {
  readonly size: bigint;
  readonly text: string;
  /** Was the last change so long ago that another one would show in its times? */
  readonly settled: boolean;
}

async function identityOf(file: FileHandle): Promise<Identity> {
  const { size, mtimeNs, ctimeNs, ino, dev, ctimeMs } = await file.stat({ bigint: true });
  return {
    size,
    text: [size, mtimeNs, ctimeNs, ino, dev].join(' '),
    settled: Date.now() - Number(ctimeMs) > settledMilliseconds,
  };
}

/**
 * A file's bytes and their SHA-256: computed, or remembered while size, times, inode and device are the same.
 * @param path absolute
 */
export async function readHashed(
  path: string,
): Promise<{ readonly bytes: Uint8Array<ArrayBuffer>; readonly sha256: string }> {
  const file = await open(path);
  try {
    const identity = await identityOf(file);
    const known = await remembered(path, identity.text);
    const bytes = await file.readFile();
    if (known !== null && BigInt(bytes.length) === identity.size) return { bytes, sha256: known };
    const sha256 = await sha256Of(bytes);
    if (identity.settled) await remember({ path, identity: identity.text, sha256 });
    return { bytes, sha256 };
  } finally {
    await file.close();
  }
}

/** As `readHashed`, without the bytes: a file of gigabytes takes no memory. */
export async function knownHash(path: string, signal?: AbortSignal): Promise<string> {
  const file = await open(path);
  try {
    const identity = await identityOf(file);
    const known = await remembered(path, identity.text);
    if (known !== null) return known;
    const sha256 = await sha256OfFile(path, signal);
    if (identity.settled) await remember({ path, identity: identity.text, sha256 });
    return sha256;
  } finally {
    await file.close();
  }
}
