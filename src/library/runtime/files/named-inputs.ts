import { chmod, constants, copyFile, link, realpath, symlink } from 'node:fs/promises';
import { extname, join } from 'node:path';
import type { FilesByField, InputFile } from '../../contract/tool-inputs.ts';
import { keptByWindows } from '../../core/machine/windows-names.ts';
import { isOpenFile } from '../confine/job-users.ts';
import { inPartOf } from './work-folder.ts';

/** File systems allow 255 bytes; outputs add a number or a role to the name. */
const longestNameBytes = 180;
/** In characters. Longer ones are part of a name. */
const longestExtension = 16;

function extensionOf(name: string): string {
  const extension = extname(name);
  return extension.length <= longestExtension ? extension : '';
}

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
  const extension = extensionOf(flat);
  let stem = flat.slice(0, flat.length - extension.length);
  while (Buffer.byteLength(stem + extension) > longestNameBytes) stem = Array.from(stem).slice(0, -1).join('');
  // A lone surrogate, half of an emoji that a client has cut through, would become another name on disk.
  const whole = Buffer.from(`${stem}${extension}`).toString();
  return /^\.*$/.test(whole) ? 'file' : whole;
}

/** How inputs are linked into a run's folder, see `linkInputs`. */
export type LinkKind = 'hard' | 'symbolic' | 'for-all';

async function openTo(path: string, linked: string): Promise<void> {
  if (await isOpenFile(path)) {
    try {
      return await link(path, linked);
    } catch {
      // Another file system, or one without links.
    }
  }
  // The copy shares the bytes where the file system can.
  await copyFile(path, linked, constants.COPYFILE_FICLONE);
  await chmod(linked, 0o444);
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
 * Puts inputs into `in` of the run's folder under neutral names, so that no path tells what users call their files:
 * in/1.wav. The extension stays: some formats differ in nothing else.
 * @param how hard: a hard link to the file, which a process confined to the run's folder can read.
 * symbolic: links only inputs whose name has another extension than the path; the others keep their paths. See
 * `giveName` for Windows.
 * for-all: readable for all users who reach it: a hard link where possible, else a copy
 * @returns null when the file system refuses a hard link: another file system, or another owner's file
 */
export async function linkInputs(
  folder: string,
  inputs: FilesByField<InputFile>,
  how: 'symbolic' | 'for-all',
): Promise<FilesByField<InputFile>>;
export async function linkInputs(
  folder: string,
  inputs: FilesByField<InputFile>,
  how: LinkKind,
): Promise<FilesByField<InputFile> | null>;
export async function linkInputs(
  folder: string,
  inputs: FilesByField<InputFile>,
  how: LinkKind,
): Promise<FilesByField<InputFile> | null> {
  let count = 0;
  const linkOne = async ({ path, name }: InputFile): Promise<InputFile> => {
    if (how === 'symbolic' && extname(path) === extname(name)) return { path, name };
    count += 1;
    const linked = join(inPartOf(folder), `${count}${extensionOf(name)}`);
    if (how === 'symbolic') await giveName(path, linked);
    // A hard link to a symbolic link would be a symbolic link, too.
    else if (how === 'hard') await link(await realpath(path), linked);
    else await openTo(await realpath(path), linked);
    return { path: linked, name };
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
