import { mkdir, symlink } from 'node:fs/promises';
import { extname, join } from 'node:path';
import type { FilesByField } from '../contract/tool-inputs.ts';
import type { ResolvedInput } from './inputs.ts';

/** File systems take 255 bytes; outputs put a number or a role behind the name. */
const longestNameBytes = 180;

/**
 * A name that people gave a file as one that any folder takes: without folders, control characters and excess length.
 */
export function safeFileName(name: string): string {
  const flat = name
    .normalize('NFC')
    // oxlint-disable-next-line no-control-regex -- they are what is looked for
    .replaceAll(/[\u0000-\u001f\u007f/\\]/g, '_')
    .trim();
  const extension = extname(flat).length <= 16 ? extname(flat) : '';
  let stem = flat.slice(0, flat.length - extension.length);
  while (Buffer.byteLength(stem + extension) > longestNameBytes) stem = Array.from(stem).slice(0, -1).join('');
  // A lone surrogate, the end of an emoji that a client cut through, would become another name on disk.
  const whole = Buffer.from(`${stem}${extension}`).toString();
  return /^\.*$/.test(whole) ? 'file' : whole;
}

/**
 * Gives inputs the names that people know them by, as links in the run's work folder, each in a folder of its own:
 * tools name their outputs after the path that they read, and some formats are only told apart by the extension.
 */
export async function linkInputs(workDir: string, inputs: FilesByField<ResolvedInput>): Promise<FilesByField<string>> {
  let count = 0;
  const link = async ({ path, name }: ResolvedInput): Promise<string> => {
    if (name === null) return path;
    count += 1;
    const folder = join(workDir, '.inputs', String(count));
    await mkdir(folder, { recursive: true });
    const named = join(folder, safeFileName(name));
    await symlink(path, named);
    return named;
  };
  const linked = Object.entries(inputs).map(
    async ([field, files]) => [field, await Promise.all(files.map(link))] as const,
  );
  return Object.fromEntries(await Promise.all(linked));
}
