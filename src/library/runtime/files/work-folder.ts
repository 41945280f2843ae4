import { chmod, chown, lchown, link, lstat, mkdir, mkdtemp, readdir, realpath, stat } from 'node:fs/promises';
import { basename, dirname, extname, isAbsolute, join, sep } from 'node:path';
import { ownerOf, ownerPrefix } from '../../core/machine/owner-names.ts';
import { removeFolder } from '../../core/files/remove-folder.ts';
import { renameFile } from '../../core/files/rename-file.ts';
import { EarshotError } from '../../core/errors/errors.ts';
import { refuseUnkeptName } from '../../core/machine/windows-names.ts';
import { pathError } from '../../core/errors/file-errors.ts';
import { fittingPath, nameKey } from './output-names.ts';
import { outputPlace, writeInto } from './special-files.ts';
import type { Carried, ToolOutput } from '../../contract/media-work.ts';
import type { RunOutput } from '../../tools/declare/run.ts';

const kind = '.earshot';

/** A folder of a host with another name, which may be this host's former name, is unused after this time. */
const forgottenMilliseconds = 7 * 24 * 3600 * 1000;

/**
 * Makes a folder for one run, with `in` for its inputs and `run` for its work. Its name identifies the owning process,
 * so that a later one can tell when it is orphaned.
 */
export async function makeWorkFolder(parent: string): Promise<string> {
  try {
    const folder = await mkdtemp(join(parent, ownerPrefix(kind)));
    await Promise.all([mkdir(inPartOf(folder)), mkdir(workPartOf(folder))]);
    return folder;
  } catch (thrown) {
    throw pathError(thrown, parent, 'output');
  }
}

/** The part with inputs under other names than their paths. */
export const inPartOf = (folder: string): string => join(folder, 'in');

/** The part where the tool works. */
export const workPartOf = (folder: string): string => join(folder, 'run');

/**
 * Lets a job's own user read `in` and own `run`. The folder itself stays the host's and closed: neither part leads to
 * the folders above.
 */
export async function giveWorkFolder(folder: string, user: number): Promise<void> {
  await Promise.all([chmod(inPartOf(folder), 0o755), chown(workPartOf(folder), user, user)]);
}

export const removeWorkFolder = (folder: string): Promise<void> => removeFolder(folder);

/**
 * Removes from `parent` the work folders of dead processes of this machine, and others without changes for a week.
 * Never fails.
 */
export async function removeStaleWorkFolders(parent: string): Promise<void> {
  const names = await readdir(parent).catch(() => []);
  for (const name of names) {
    const owner = ownerOf(name, kind);
    if (owner === null || owner.running) continue;
    const isStale = owner.running === false || (await isForgotten(join(parent, name)));
    if (isStale) await removeWorkFolder(join(parent, name)).catch(() => undefined);
  }
}

async function isForgotten(folder: string): Promise<boolean> {
  const parts = [folder, inPartOf(folder), workPartOf(folder)];
  const changed = await Promise.all(
    parts.map((part) =>
      stat(part).then(
        ({ mtimeMs }) => mtimeMs,
        () => 0,
      ),
    ),
  );
  return Date.now() - Math.max(...changed) > forgottenMilliseconds;
}

/** Where the files of a run go. */
export interface Destination {
  /** Exact path of the first output; further ones go beside it. */
  readonly output?: string | undefined;
  /** An existing folder. */
  readonly outputDir: string;
  /** `output` is a FIFO or a device: written into, never replaced. */
  readonly intoStream?: boolean | undefined;
  /** Maps the tool's suggested name to the one to use in `outputDir`; default: unchanged. */
  readonly nameOutput?: ((suggested: string) => string) | undefined;
  /** true: an existing file is replaced. Default false: it is a conflict. */
  readonly overwrite?: boolean | undefined;
}

/** One published file of a run. */
export interface OutputFile extends ToolOutput {
  readonly sizeBytes: number;
  /** Tells several outputs apart: "part-1", of text its format ("json", "srt") or what it is; null for other ones. */
  readonly role: string | null;
}

/**
 * Moves the outputs of a finished run to their destination, each by one rename on the same file system; a single one
 * into the given FIFO or device.
 * @param inputs paths of the run's inputs: no output replaces one
 * @throws EarshotError conflict, bad_request: then none of them was moved
 */
export async function publish(
  outputs: readonly (RunOutput & Carried)[],
  workDir: string,
  destination: Destination,
  inputs: readonly string[],
  signal: AbortSignal,
): Promise<OutputFile[]> {
  const realWorkDir = await realpath(workDir);
  const sizes = await Promise.all(outputs.map((output) => checkOutput(output, realWorkDir)));
  const paths = destinationPaths(outputs, destination);
  const { overwrite = false, intoStream = false } = destination;
  if (!intoStream) for (const path of paths) await refusePlace(path, inputs, overwrite);
  const files: OutputFile[] = [];
  for (const [index, output] of outputs.entries()) {
    const path = paths[index] as string;
    await (destination.intoStream ? writeInto(path, output.path, signal) : move(output.path, path, overwrite));
    const { contentType, format, durationSeconds, hasVideo, hasAudio, media } = output;
    files.push({
      path,
      filename: basename(path),
      contentType,
      format,
      sizeBytes: sizes[index] as number,
      durationSeconds,
      role: output.role ?? (durationSeconds === null ? format : null),
      hasVideo,
      hasAudio,
      media,
    });
  }
  return files;
}

/** Renames a file on one file system. @throws EarshotError conflict where `to` exists and may not be replaced */
export async function move(from: string, to: string, overwrite: boolean): Promise<void> {
  try {
    await (overwrite ? renameFile(from, to) : moveWithoutReplacing(from, to));
  } catch (thrown) {
    throw pathError(thrown, to, 'output');
  }
}

/** `link` is the only call that never replaces; a file system without links gets the next best. */
async function moveWithoutReplacing(from: string, to: string): Promise<void> {
  try {
    await link(from, to);
  } catch (thrown) {
    if ((thrown as NodeJS.ErrnoException).code === 'EEXIST') throw alreadyThere(to);
    await refuseExisting(to);
    await renameFile(from, to);
  }
}

async function refuseExisting(path: string): Promise<void> {
  const existing = await stat(path).catch(() => null);
  if (existing) throw alreadyThere(path);
}

function alreadyThere(path: string): EarshotError {
  return new EarshotError('conflict', `The file ${path} exists already`, {
    nextAction: 'Choose another name, or replace it with overwrite: true (-y on the command line).',
    details: { field: 'output', path },
  });
}

/**
 * Refuses a path that a run may not write: an existing file, unless it may be replaced, and an input under any name:
 * another spelling, a link, other case where the file system ignores it. On Windows also a name that it does not keep.
 * @throws EarshotError conflict, bad_request
 */
export async function refusePlace(path: string, inputs: readonly string[], overwrite: boolean): Promise<void> {
  refuseUnkeptName(basename(path), 'output');
  if (await isOneOf(path, inputs))
    throw new EarshotError('bad_request', `The output ${path} is an input of this run`, {
      nextAction: 'Choose another name for the output.',
      details: { field: 'output', expected: 'a file that is not an input', received: path },
    });
  if (!overwrite) await refuseExisting(path);
}

/** Is the path one of these files, by device and inode? */
async function isOneOf(path: string, files: readonly string[]): Promise<boolean> {
  const own = await stat(path, { bigint: true }).catch(() => null);
  if (own === null) return false;
  const others = await Promise.all(files.map((file) => stat(file, { bigint: true }).catch(() => null)));
  return others.some((other) => other?.ino === own.ino && other.dev === own.dev);
}

/**
 * An output must be a regular file in the work folder: no symbolic link, no second hard link. The process that wrote it
 * may be compromised.
 */
async function checkOutput(output: RunOutput, realWorkDir: string): Promise<number> {
  const name = basename(output.path);
  const real = await realpath(output.path).catch(() => '');
  if (!real.startsWith(realWorkDir + sep) || !isAbsolute(output.path))
    throw new EarshotError('internal_error', `The tool promised ${name} but did not write it into its work folder`);
  const facts = await lstat(output.path);
  if (!facts.isFile()) throw new EarshotError('internal_error', `The tool returned ${name}, which is not a file`);
  if (facts.nlink !== 1)
    throw new EarshotError('internal_error', `The tool returned ${name}, which is a second name of another file`);
  // Owned by the job's own user so far; a later user with that number must not own it.
  const own = process.getuid?.();
  if (own === 0 && facts.uid !== own) await lchown(output.path, own, process.getgid?.() ?? own);
  return facts.size;
}

function destinationPaths(
  outputs: readonly RunOutput[],
  { output: exact, outputDir, nameOutput = basename, intoStream = false }: Destination,
): string[] {
  if (intoStream && outputs.length > 1)
    throw new EarshotError(
      'bad_request',
      `The run has ${outputs.length} outputs, which cannot all go into ${exact}; name a folder`,
      { details: { field: 'output', expected: 'folder', received: exact } },
    );
  const taken = new Set<string>();
  return outputs.map((output, index) => {
    const suggested = basename(output.filename);
    let wanted = join(outputDir, nameOutput(suggested));
    let suffix = '';
    if (exact !== undefined && index === 0) wanted = exact;
    else if (exact !== undefined) {
      wanted = join(dirname(exact), `${basename(exact, extname(exact))}${extname(suggested) || extname(exact)}`);
      // One result in several formats: the extensions differ.
      suffix = wanted === exact || output.role !== undefined ? `-${output.role ?? index + 1}` : '';
    }
    let path = fittingPath(wanted, suffix);
    // Two outputs of one run must not overwrite each other, also on file systems that ignore case.
    for (let copy = 2; taken.has(nameKey(path)); copy++) path = fittingPath(wanted, `${suffix}-${copy}`);
    taken.add(nameKey(path));
    return path;
  });
}

/**
 * Finds or makes the folder for a run's work folder and, later, its outputs.
 * @param inputs paths of the run's inputs
 * @param expected file names of outputs in `outputDir`, as far as known: refused now rather than after the work
 */
export async function prepareDestination(
  given: { readonly [Field in keyof Destination]?: Destination[Field] | undefined },
  inputs: readonly string[],
  expected: readonly string[],
): Promise<Destination | null> {
  const { output, outputDir, nameOutput, overwrite } = given;
  if (output !== undefined && outputDir !== undefined) {
    throw new EarshotError('bad_request', 'Expected either output or outputDir but received both', {
      details: { field: 'output', expected: 'output or outputDir', received: 'both' },
    });
  }
  if (outputDir !== undefined) {
    await mkdir(outputDir, { recursive: true }).catch((cause: unknown) => {
      throw new EarshotError(
        'bad_request',
        `Expected a writable folder for outputDir but ${outputDir} cannot be made`,
        { cause, details: { field: 'outputDir', expected: 'folder', received: outputDir } },
      );
    });
    const wanted = expected.map((name) => fittingPath(join(outputDir, nameOutput?.(name) ?? name)));
    for (const path of wanted) await refusePlace(path, inputs, overwrite ?? false);
    return { outputDir, nameOutput, overwrite };
  }
  if (output === undefined) return null;
  const folder = await stat(dirname(output)).catch((thrown: unknown) => {
    if (['ENOENT', 'ENOTDIR'].includes((thrown as NodeJS.ErrnoException).code ?? '')) return null;
    throw pathError(thrown, dirname(output), 'output');
  });
  if (!folder?.isDirectory())
    throw new EarshotError('not_found', `The folder ${dirname(output)} for the output does not exist`, {
      details: { field: 'output', expected: 'existing folder', received: dirname(output) },
    });
  const place = await outputPlace(output);
  if (place.kind !== 'stream') await refusePlace(output, inputs, overwrite ?? false);
  return { output: place.path, outputDir: dirname(place.path), overwrite, intoStream: place.kind === 'stream' };
}
