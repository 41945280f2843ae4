// Files of commands that do no run: read from a path or standard input, written to a path or standard output.
import { writeFile } from 'node:fs/promises';
import { EarshotError } from '../library/core/errors.ts';
import { pathError } from '../library/core/file-errors.ts';
import { refuseExisting, refuseInput } from './tool/destination.ts';
import { checkStandardInput, standardInputName, standardStream } from './tool/standard-streams.ts';

/** A file's name in messages. */
export const nameOf = (file: string): string => (file === standardStream ? standardInputName : file);

/** @throws EarshotError bad_request where the output is the input, conflict where it exists and may not be replaced */
export function refusePlace(path: string, input: string, overwrite: boolean): void {
  if (input !== standardStream) refuseInput(path, { allInputs: [input] });
  refuseExisting(path, overwrite);
}

/** Writes to a file or to standard output. */
export async function writeTo(path: string, content: Buffer | string): Promise<void> {
  if (path === standardStream) process.stdout.write(content);
  else await writeFile(path, content);
}

/** Calls `use` with a file's path and name; standard input is copied to a file first. */
export async function withInput<T>(
  file: string,
  signal: AbortSignal,
  use: (path: string, name: string) => Promise<T>,
): Promise<T> {
  if (file !== standardStream) return use(file, file);
  checkStandardInput([file]);
  const { withFile } = await import('../library/runtime/spooled-inputs.ts');
  return withFile(process.stdin, (path) => use(path, standardInputName), signal);
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
