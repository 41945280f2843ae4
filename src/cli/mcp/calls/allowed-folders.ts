import { mkdir, realpath, stat } from 'node:fs/promises';
import { homedir } from 'node:os';
import { dirname, join, resolve, sep } from 'node:path';
import { EarshotError } from '../../../library/core/errors/errors.ts';
import { pathError } from '../../../library/core/errors/file-errors.ts';
import { shortPath } from '../../../library/core/files/short-path.ts';

/** The files and folders that an assistant may use. */
export interface AllowedFolders {
  /** Real paths. */
  readonly roots: readonly string[];
  /** null: beside the input. */
  readonly outputDir: string | null;
  /**
   * The real path of an existing file or folder.
   * @param given absolute, with ~, or relative to the first root
   * @throws EarshotError forbidden when it lies outside the allowed folders, also through a symbolic link; not_found
   */
  existing(given: string): Promise<string>;
  /** As `existing`. @throws EarshotError bad_request for a folder, and for a pipe or device, which may never end */
  file(given: string): Promise<string>;
  /**
   * The folder for the results of a file.
   * @param given undefined: the usual one
   * @throws EarshotError as `existing`
   */
  folderFor(file: string, given: string | undefined): Promise<string>;
}

/**
 * @param folders to allow
 * @param outputDir made when missing, and allowed
 * @throws EarshotError not_found for a folder that does not exist; bad_request for a file
 */
export async function allowedFolders(folders: readonly string[], outputDir: string | null): Promise<AllowedFolders> {
  const wanted = outputDir === null ? null : resolve(expanded(outputDir));
  if (wanted !== null) await mkdir(wanted, { recursive: true });
  const roots = await Promise.all(
    [...folders.map((folder) => resolve(expanded(folder))), ...(wanted === null ? [] : [wanted])].map(realFolder),
  );
  const out = wanted === null ? null : await realpath(wanted);
  const inside = (path: string): boolean =>
    roots.some((root) => path === root || path.startsWith(root.endsWith(sep) ? root : root + sep));

  const existing = async (given: string): Promise<string> => {
    const path = resolve(roots[0] ?? '.', expanded(given));
    // Paths outside are refused before they are looked up, so the error does not reveal whether they exist.
    if (!inside(path) && !inside(await realParent(path))) throw outside(given, roots);
    const real = await realpath(path).catch((thrown: unknown) => {
      throw pathError(thrown, shortPath(path), 'file');
    });
    if (!inside(real)) throw outside(given, roots);
    return real;
  };

  return {
    roots,
    outputDir: out,
    existing,
    async file(given) {
      const path = await existing(given);
      const facts = await stat(path);
      if (facts.isFile()) return path;
      const kind = facts.isDirectory() ? 'a folder' : 'a pipe, socket or device';
      throw new EarshotError('bad_request', `Expected a file but ${shortPath(path)} is ${kind}`, {
        nextAction: 'Name a file; list_files shows those of a folder.',
      });
    },
    folderFor: async (file, given) => (given === undefined ? (out ?? dirname(file)) : existing(given)),
  };
}

const expanded = (path: string): string => (/^~(?=$|[/\\])/.test(path) ? join(homedir(), path.slice(1)) : path);

async function realFolder(folder: string): Promise<string> {
  const real = await realpath(folder).catch((thrown: unknown) => {
    throw pathError(thrown, shortPath(folder), 'allow');
  });
  if ((await stat(real)).isDirectory()) return real;
  throw new EarshotError('bad_request', `Expected a folder to allow but ${shortPath(folder)} is a file`);
}

/** The allowed folder may itself be a symbolic link, such as /tmp on macOS. */
const realParent = (path: string): Promise<string> => realpath(dirname(path)).catch(() => '');

const outside = (given: string, roots: readonly string[]): EarshotError =>
  new EarshotError('forbidden', `Expected a file in ${roots.join(' or ')} but received ${given.slice(0, 300)}`, {
    nextAction: 'Use a file of an allowed folder, or start earshot mcp with --allow and its folder.',
  });
