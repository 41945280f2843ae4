// `-` as a file: what comes on standard input, and standard output as the place of a result.
import type { Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import { EarshotError } from '../../library/core/errors.ts';
import type { InputRole } from '../../library/contract/tool-inputs.ts';
import type { RunInput } from '../../library/runtime/inputs.ts';
import type { OutputStream } from '../../library/runtime/output-streams.ts';

/** Stands for standard input among the inputs, and for standard output behind -o. A file of that name is ./- */
export const standardStream = '-';

/** What outputs are named after when the input has no name. */
export const standardInputName = 'stdin';

const usage = (message: string, nextAction: string): EarshotError =>
  new EarshotError('bad_request', message, { nextAction });

/** @throws EarshotError bad_request: standard input can be read once only, and must not be a terminal */
export function checkStandardInput(files: readonly string[]): void {
  const count = files.filter((file) => file === standardStream).length;
  if (count > 1)
    throw usage('Expected - once, since standard input can be read once, but received it several times', 'Name files.');
  if (count === 1 && process.stdin.isTTY)
    throw usage(
      'Expected a file on standard input but it is the keyboard',
      'Send one with a pipe or with `< file`, or name a file.',
    );
}

/** The input that a typed file name stands for. */
export function inputOf(file: string, role: InputRole): RunInput {
  if (file !== standardStream) return file;
  const [extension] = role.extensions;
  return { data: process.stdin, name: `${standardInputName}${extension === undefined ? '' : `.${extension}`}` };
}

/** The one output that goes to standard output: what the others only come along with. */
function mainOutput(outputs: readonly OutputStream[]): OutputStream | null {
  const main = outputs.length === 1 ? outputs : outputs.filter(({ role }) => role === null);
  return main.length === 1 ? (main[0] as OutputStream) : null;
}

/**
 * Writes the output of a run to standard output, and nothing else.
 * @returns names of the outputs that came along and are left out
 * @throws EarshotError bad_request when there are several, or a terminal would have to show what is no text
 */
export async function writeToStandardOutput(outputs: readonly OutputStream[], signal: AbortSignal): Promise<string[]> {
  try {
    const main = mainOutput(outputs);
    if (main === null)
      throw usage(
        `Expected one file for standard output but the run has ${outputs.length}`,
        'Choose one with --formats where the tool has that, or name a folder with -o.',
      );
    if (process.stdout.isTTY && !/^text\/|json|subrip/.test(main.contentType))
      throw usage(
        `Expected a file or a pipe for standard output, because ${main.format} is no text, but it is a terminal`,
        'Add `> file`, or name a file with -o.',
      );
    await writeAll(main.stream, signal);
    return outputs.filter((output) => output !== main).map(({ filename }) => filename);
  } finally {
    for (const { stream } of outputs) stream.destroy();
  }
}

const writeAll = (stream: Readable, signal: AbortSignal): Promise<void> =>
  pipeline(stream, process.stdout, { end: false, signal });
