import { createReadStream } from 'node:fs';
import { open } from 'node:fs/promises';
import { basename } from 'node:path/posix';
import { createGunzip } from 'node:zlib';
import { extract } from 'tar-stream';
import { EarshotError } from '../core/errors/errors.ts';
import { flushFile } from '../core/files/flush-folder.ts';

/** A file to extract: the first whose path ends in this name, in any folder. */
export interface WantedMember {
  readonly name: string;
  /** Larger files are refused before they are written. */
  readonly bytes: number;
  readonly path: string;
}

async function write(bytes: AsyncIterable<Buffer>, path: string): Promise<void> {
  const handle = await open(path, 'wx');
  try {
    for await (const piece of bytes) await handle.writeFile(piece);
    await flushFile(handle);
  } finally {
    await handle.close();
  }
}

/** Why an archive cannot be read; null: another failure. */
function faultOf({ code, message }: NodeJS.ErrnoException): string | null {
  if (message === 'Unexpected end of data') return 'it is cut off';
  return code?.startsWith('Z_') || message.startsWith('Invalid tar header') ? 'it is damaged' : null;
}

/**
 * Extracts files from a .tar.gz by name. Nothing else is written, and paths in the archive are not followed: the caller
 * chooses the destinations.
 * @throws EarshotError file_invalid when the archive is damaged, or a file is missing or too large
 */
export async function takeFromTarGz(archivePath: string, wanted: readonly WantedMember[]): Promise<void> {
  const invalid = (why: string, cause?: unknown): EarshotError =>
    new EarshotError(
      'file_invalid',
      `Expected a .tar.gz with ${wanted.map(({ name }) => name).join(', ')} but ${why}`,
      { cause },
    );
  const missing = new Map(wanted.map((member) => [member.name, member]));
  const file = createReadStream(archivePath);
  const gunzip = createGunzip();
  const members = extract();
  // The reader of a member learns only that its stream was destroyed.
  let broken = null as Error | null;
  const fail = (error: Error): void => {
    broken ??= error;
    members.destroy(error);
  };
  file.on('error', fail);
  gunzip.on('error', fail);
  file.pipe(gunzip).pipe(members);
  try {
    for await (const entry of members) {
      const { name, size = 0, type } = entry.header;
      const member = type === 'file' ? missing.get(basename(name)) : undefined;
      if (member === undefined) {
        entry.resume();
        continue;
      }
      if (size > member.bytes) throw invalid(`${member.name} in it has ${size} bytes instead of ${member.bytes}`);
      await write(entry as AsyncIterable<Buffer>, member.path);
      missing.delete(member.name);
      if (missing.size === 0) return;
    }
  } catch (thrown) {
    const cause = broken ?? (thrown as Error);
    const fault = faultOf(cause);
    throw fault === null ? cause : invalid(fault, cause);
  } finally {
    file.destroy();
    gunzip.destroy();
  }
  throw invalid(`${[...missing.keys()].join(', ')} is not in it`);
}
