// A back-up is a tar: manifest.json, database/<table>.jsonl, objects/<key>, and SHA256SUMS of all of them at its end,
// as sha256sum writes and checks it.
import { createHash } from 'node:crypto';
import { createReadStream, createWriteStream } from 'node:fs';
import { open, rm, stat } from 'node:fs/promises';
import { Readable } from 'node:stream';
import { finished, pipeline } from 'node:stream/promises';
import { extract, pack, type Entry } from 'tar-stream';
import { EarshotError } from '../../../library/core/errors/errors.ts';
import { flushFile } from '../../../library/core/files/flush-folder.ts';
import { renameFile } from '../../../library/core/files/rename-file.ts';

const sumsName = 'SHA256SUMS';
/** Bytes; it is a list of some 50 names. */
const longestManifest = 1_000_000;

/** Writes the members of an archive, one after the other. */
export interface ArchiveWriter {
  /** @param source exactly so many bytes; more or fewer fail */
  add(name: string, bytes: number, source: AsyncIterable<Uint8Array> | Iterable<Uint8Array>): Promise<void>;
}

/**
 * Writes an archive that is at its path only when it is whole.
 * @throws EarshotError conflict when the path is there already; whatever `work` throws
 */
export async function writeArchive(path: string, work: (archive: ArchiveWriter) => Promise<void>): Promise<number> {
  if (await stat(path).catch(() => null))
    throw new EarshotError('conflict', `Expected a new file for the back-up but ${path} is there already`, {
      nextAction: 'Name another file, or remove this one.',
    });
  const part = `${path}.part-${process.pid}`;
  const tar = pack();
  const file = createWriteStream(part, { flags: 'wx', mode: 0o600 });
  const written = pipeline(tar, file);
  // The writer of a member learns of it too.
  written.catch(() => {});
  const sums: string[] = [];
  const add = async (name: string, bytes: number, source: Parameters<ArchiveWriter['add']>[2]): Promise<void> => {
    const hash = createHash('sha256');
    const entry = tar.entry({ name, size: bytes, mode: 0o600 });
    for await (const chunk of source) {
      hash.update(chunk);
      if (!entry.write(chunk)) await Promise.race([new Promise((resume) => entry.once('drain', resume)), written]);
    }
    entry.end();
    await finished(entry);
    sums.push(`${hash.digest('hex')}  ${name}\n`);
  };
  try {
    await work({ add });
    const listed = Buffer.from(sums.join(''));
    await add(sumsName, listed.length, [listed]);
    tar.finalize();
    await written;
    const handle = await open(part, 'r+');
    try {
      await flushFile(handle);
    } finally {
      await handle.close();
    }
    await renameFile(part, path);
    return (await stat(path)).size;
  } catch (thrown) {
    tar.destroy();
    await written.catch(() => undefined);
    await rm(part, { force: true });
    throw thrown;
  }
}

/** A member of an archive. Its bytes must be read before the next. */
export interface ArchiveMember {
  readonly name: string;
  readonly bytes: number;
  readonly source: Readable;
}

async function* membersOf(path: string): AsyncGenerator<ArchiveMember, void> {
  const members = extract();
  const file = createReadStream(path);
  file.on('error', (error) => members.destroy(error));
  file.pipe(members);
  try {
    for await (const entry of members as AsyncIterable<Entry>) {
      const { name, size = 0 } = entry.header;
      const unread = { is: true };
      // Readers of Node know the end of one of Node's streams.
      const source = Readable.from(
        (async function* (): AsyncGenerator<Buffer, void> {
          unread.is = false;
          try {
            yield* entry as AsyncIterable<Buffer>;
          } catch (thrown) {
            throw damaged(path, thrown);
          }
        })(),
        { objectMode: false },
      );
      yield { name, bytes: size, source };
      if (unread.is) entry.resume();
    }
  } catch (thrown) {
    throw damaged(path, thrown);
  } finally {
    file.destroy();
    members.destroy();
  }
}

/** What to do about an archive that is none, or damaged: nothing is written before it is read whole. */
export const nextBackup = { nextAction: 'Check the name, or take another back-up; nothing was restored.' };

const damaged = (path: string, cause: unknown): EarshotError =>
  cause instanceof EarshotError
    ? cause
    : (cause as NodeJS.ErrnoException).code === 'ENOENT'
      ? new EarshotError('not_found', `Expected a back-up but there is no ${path}`, { cause })
      : new EarshotError('file_invalid', `Expected a back-up of earshot backup but ${path} is none, or is cut off`, {
          ...nextBackup,
          cause,
        });

/**
 * Reads a whole archive and compares every byte with its sums, so that nothing is restored from half of one.
 * @returns its manifest
 * @throws EarshotError file_invalid when a member is missing, altered, there twice, or not listed;
 *   not_found
 */
export async function checkArchive(path: string): Promise<unknown> {
  const sums = new Map<string, string>();
  let listed: string | null = null;
  let manifest = 'null';
  let sumsBytes = 0;
  for await (const { name, bytes, source } of membersOf(path)) {
    const hash = createHash('sha256');
    const kept: Buffer[] = [];
    const isKept = name === sumsName || name === 'manifest.json';
    if (sums.has(name) || (isKept && bytes > (name === sumsName ? sumsBytes : longestManifest)))
      throw damaged(path, name);
    sumsBytes += 64 + 2 + Buffer.byteLength(name) + 1;
    for await (const chunk of source as AsyncIterable<Buffer>) {
      hash.update(chunk);
      if (isKept) kept.push(chunk);
    }
    const text = Buffer.concat(kept).toString();
    if (name === sumsName) listed = text;
    else sums.set(name, hash.digest('hex'));
    if (name === 'manifest.json') manifest = text;
  }
  const now = Array.from(sums, ([name, sum]) => `${sum}  ${name}\n`).join('');
  if (listed !== now)
    throw new EarshotError(
      'file_invalid',
      listed === null
        ? `Expected ${sumsName} at the end of the back-up ${path} but it is cut off`
        : `Expected the members of ${path} to be as ${sumsName} lists them but they have changed`,
      nextBackup,
    );
  try {
    return JSON.parse(manifest) as unknown;
  } catch (thrown) {
    throw damaged(path, thrown);
  }
}

/** The members, in order. Check the archive first. */
export const readArchive = (path: string): AsyncGenerator<ArchiveMember, void> => membersOf(path);
