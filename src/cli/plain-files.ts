// Files of commands that do no run: read from a path or standard input, written to a path or standard output.
import { writeFile } from 'node:fs/promises';
import { basename, dirname, extname, join } from 'node:path';
import { EarshotError } from '../library/core/errors/errors.ts';
import { pathError } from '../library/core/errors/file-errors.ts';
import { refuseExisting, refuseInput } from './tool/destination.ts';
import { checkStandardInput, isPipe, nameOf, standardStream } from './tool/standard-streams.ts';

/** @throws EarshotError bad_request where the output is the input, conflict where it exists and may not be replaced */
export function refusePlace(path: string, input: string, overwrite: boolean): void {
  if (input !== standardStream) refuseInput(path, { allInputs: [input] });
  refuseExisting(path, overwrite);
}

/**
 * Where a copy goes in which nothing is encoded again.
 * @param kind in its name by default: <name>.<kind>.<extension>
 * @throws EarshotError bad_request for another ending; as `refusePlace`
 */
export function placeOfCopy(
  file: string,
  kind: string,
  { output, overwrite = false }: { readonly output?: string; readonly overwrite?: boolean },
): string {
  const extension = extname(file);
  const path = output ?? join(dirname(file), `${basename(file, extension)}.${kind}${extension}`);
  if (file === standardStream || path === standardStream || extname(path).toLowerCase() !== extension.toLowerCase())
    throw new EarshotError(
      'bad_request',
      `Expected a file ending in ${extension || 'its format'} for the copy but received ${path}`,
      { nextAction: 'Nothing is encoded again: give the copy the ending of the recording.' },
    );
  refusePlace(path, file, overwrite);
  return path;
}

/** Writes to a file or to standard output. */
export async function writeTo(path: string, content: Buffer | string): Promise<void> {
  if (path === standardStream) process.stdout.write(content);
  else await writeFile(path, content);
}

/** Calls `use` with a file's path and name; what comes through a pipe is copied to a file first. */
export async function withInput<T>(
  file: string,
  signal: AbortSignal,
  use: (path: string, name: string) => T | Promise<T>,
): Promise<T> {
  if (!isPipe(file)) return use(file, file);
  checkStandardInput([file]);
  const { withFile } = await import('../library/runtime/files/spooled-inputs.ts');
  return withFile(file === standardStream ? process.stdin : file, (path) => use(path, nameOf(file)), signal);
}

/** A picture or JSON file that cannot be written is an error of the caller. */
export function asFileError(thrown: unknown): unknown {
  const { code, path } = thrown as NodeJS.ErrnoException;
  if (thrown instanceof EarshotError || code === undefined || path === undefined) return thrown;
  const { message } = pathError(thrown, path, 'output') as EarshotError;
  return new EarshotError('bad_request', `Cannot write ${path}: ${message}`, {
    nextAction: 'Choose an existing, writable folder.',
    cause: thrown,
  });
}
