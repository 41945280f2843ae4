import { chmod, constants, copyFile, link, mkdir, realpath, symlink } from 'node:fs/promises';
import { basename, extname, join } from 'node:path';
import type { FilesByField } from '../contract/tool-inputs.ts';
import { keptByWindows } from '../core/windows-names.ts';
import { isOpenFile } from './confine/job-users.ts';
import type { ResolvedInput } from './inputs.ts';

/** File systems allow 255 bytes; outputs add a number or a role to the name. */
const longestNameBytes = 180;

/**
 * A file name from users, made safe for every file system: without folders, control characters and excess length, and
 * on Windows without what it does not keep.
 */
export function safeFileName(name: string, system: NodeJS.Platform = process.platform): string {
  const clean = name
    .normalize('NFC')
    // oxlint-disable-next-line no-control-regex -- they are what is replaced
    .replaceAll(/[\u0000-\u001f\u007f/\\]/g, '_')
    .trim();
  const flat = system === 'win32' ? keptByWindows(clean) : clean;
  const extension = extname(flat).length <= 16 ? extname(flat) : '';
  let stem = flat.slice(0, flat.length - extension.length);
  while (Buffer.byteLength(stem + extension) > longestNameBytes) stem = Array.from(stem).slice(0, -1).join('');
  // A lone surrogate, half of an emoji that a client has cut through, would become another name on disk.
  const whole = Buffer.from(`${stem}${extension}`).toString();
  return /^\.*$/.test(whole) ? 'file' : whole;
}

/** How inputs are linked into a run's folder, see `linkInputs`. */
export type LinkKind = 'hard' | 'symbolic' | 'for-all';

async function openTo(path: string, named: string): Promise<void> {
  if (await isOpenFile(path)) {
    try {
      return await link(path, named);
    } catch {
      // Another file system, or one without links.
    }
  }
  // The copy shares the bytes where the file system can.
  await copyFile(path, named, constants.COPYFILE_FICLONE);
  await chmod(named, 0o444);
}

/**
 * Another name for a file that only this user reads. Windows lets only administrators and developers make symbolic
 * links;
 * hard links are allowed within a drive.
 * @param system for tests
 */
export async function giveName(path: string, named: string, system: NodeJS.Platform = process.platform): Promise<void> {
  if (system !== 'win32') return symlink(path, named);
  try {
    await link(await realpath(path), named);
  } catch {
    await copyFile(path, named, constants.COPYFILE_FICLONE);
  }
}

/**
 * Puts inputs into `in` of the run's folder, each in a folder of its own, under the names that users know: tools name
 * their outputs after the path they read, and some formats differ only in their extension.
 * @param how hard: a hard link to the file, which a process confined to the run's folder can read.
 * symbolic: links only inputs that need another name; the others keep their paths. See `giveName` for Windows.
 * for-all: readable for all users who reach it: a hard link where possible, else a copy
 * @returns null when the file system refuses a hard link: another file system, or another owner's file
 */
export async function linkInputs(
  folder: string,
  inputs: FilesByField<ResolvedInput>,
  how: 'symbolic' | 'for-all',
): Promise<FilesByField<string>>;
export async function linkInputs(
  folder: string,
  inputs: FilesByField<ResolvedInput>,
  how: LinkKind,
): Promise<FilesByField<string> | null>;
export async function linkInputs(
  folder: string,
  inputs: FilesByField<ResolvedInput>,
  how: LinkKind,
): Promise<FilesByField<string> | null> {
  let count = 0;
  const linkOne = async ({ path, name }: ResolvedInput): Promise<string> => {
    if (name === null && how === 'symbolic') return path;
    count += 1;
    const own = join(folder, 'in', String(count));
    await mkdir(own, { recursive: true });
    const named = join(own, name === null ? basename(path) : safeFileName(name));
    if (how === 'symbolic') await giveName(path, named);
    // A hard link to a symbolic link would be a symbolic link, too.
    else if (how === 'hard') await link(await realpath(path), named);
    else {
      await chmod(own, 0o755);
      await openTo(await realpath(path), named);
    }
    return named;
  };
  try {
    const linked = Object.entries(inputs).map(
      async ([field, files]) => [field, await Promise.all(files.map(linkOne))] as const,
    );
    return Object.fromEntries(await Promise.all(linked));
  } catch (thrown) {
    if (how !== 'hard') throw thrown;
    return null;
  }
}
