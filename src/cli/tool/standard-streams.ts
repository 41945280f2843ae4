// `-` as a file: standard input as an input, and standard output as a destination.
import type { Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import { AbortError } from '../../library/core/abort.ts';
import { EarshotError } from '../../library/core/errors/errors.ts';
import type { InputRole } from '../../library/contract/tool-inputs.ts';
import { isFifo } from '../../library/runtime/files/fifo-source.ts';
import type { RunInput } from '../../library/runtime/files/inputs.ts';
import type { OutputStream } from '../../library/runtime/files/output-streams.ts';

/** Standard input among the inputs, and standard output after -o. A file of that name is ./- */
export const standardStream = '-';

/** Outputs are named after this when the input has no name. */
export const standardInputName = 'stdin';
const pipeName = 'pipe';

/** Is it one of a shell's `<(command)`? */
const isSubstitution = (file: string): boolean => /^\/(?:dev|proc\/self)\/fd\/\d+$/u.test(file) && isFifo(file);

/** Can it be read only once: standard input, or a FIFO? */
export const isPipe = (file: string): boolean => file === standardStream || isFifo(file);

/** A file's name in messages and, with the folder, for outputs beside it. */
export function nameOf(file: string): string {
  if (file === standardStream) return standardInputName;
  return isSubstitution(file) ? pipeName : file;
}

const usage = (message: string, nextAction: string): EarshotError =>
  new EarshotError('bad_request', message, { nextAction });

/** @throws EarshotError bad_request: standard input can be read only once, and must not be a terminal */
export function checkStandardInput(files: readonly string[]): void {
  const count = files.filter((file) => file === standardStream).length;
  if (count > 1)
    throw usage(
      'Expected - once, since standard input can be read only once, but received it several times',
      'Name files.',
    );
  if (count === 1 && process.stdin.isTTY)
    throw usage('Expected a file on standard input but it is a terminal', 'Use a pipe or `< file`, or name a file.');
}

/** The input for a typed file name. */
export function inputOf(file: string, role: InputRole): RunInput {
  const known = nameOf(file);
  if (known === file) return file;
  const [extension] = role.extensions;
  const name = `${known}${extension === undefined ? '' : `.${extension}`}`;
  return file === standardStream ? { data: process.stdin, name } : { path: file, name };
}

/** The output that goes to standard output: the one that is not a by-product. */
function mainOutput(outputs: readonly OutputStream[]): OutputStream | null {
  const main = outputs.length === 1 ? outputs : outputs.filter(({ role, format }) => role === null || role === format);
  return main.length === 1 ? (main[0] as OutputStream) : null;
}

/**
 * Writes the output of a run to standard output, and nothing else.
 * @returns names of the by-products, which are not written
 * @throws EarshotError bad_request when there are several outputs, or a terminal would get binary data
 */
export async function writeToStandardOutput(outputs: readonly OutputStream[], signal: AbortSignal): Promise<string[]> {
  try {
    const main = mainOutput(outputs);
    if (main === null)
      throw usage(
        `Expected one file for standard output but the run has ${outputs.length}`,
        'Choose one with --formats if the tool has it, or name a folder with -o.',
      );
    if (process.stdout.isTTY && !/^text\/|json|subrip/.test(main.contentType))
      throw usage(
        `Expected a file or a pipe for standard output, because ${main.format} is binary, but it is a terminal`,
        'Add `> file`, or name a file with -o.',
      );
    await writeAll(main.stream, signal);
    return outputs.filter((output) => output !== main).map(({ filename }) => filename);
  } finally {
    for (const { stream } of outputs) stream.destroy();
  }
}

const writeAll = (stream: Readable, signal: AbortSignal): Promise<void> =>
  pipeline(stream, process.stdout, { end: false, signal }).catch((thrown: NodeJS.ErrnoException) => {
    // start.ts says that standard output is full.
    if (thrown.syscall === 'write') throw new AbortError(thrown.message);
    throw thrown;
  });
