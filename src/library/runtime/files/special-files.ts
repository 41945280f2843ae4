// Outputs that go into a pipe or a device instead of a file.
import { constants, createReadStream, type Stats } from 'node:fs';
import { type FileHandle, lstat, open, realpath, stat } from 'node:fs/promises';
import { pipeline } from 'node:stream/promises';
import { setTimeout as delay } from 'node:timers/promises';
import { throwIfAborted } from '../../core/abort.ts';
import { EarshotError } from '../../core/errors/errors.ts';
import { pathError } from '../../core/errors/file-errors.ts';

const readerPollMilliseconds = 100;

/** A target that is written into and never replaced: a FIFO, a terminal, /dev/null. */
const isStream = (facts: Stats): boolean => facts.isFIFO() || facts.isCharacterDevice();

/**
 * What is at the path of an output, and the path that a file may be renamed to: the target, if it is a symbolic link.
 * @throws EarshotError bad_request for a name that is too long, a folder, and what can be neither replaced nor written
 *   into
 */
export async function outputPlace(
  output: string,
): Promise<{ readonly path: string; readonly kind: 'nothing' | 'file' | 'stream' }> {
  const details = { field: 'output', expected: 'file, FIFO or character device', received: output };
  const own = await lstat(output).catch((thrown: unknown) => {
    if ((thrown as NodeJS.ErrnoException).code === 'ENOENT') return null;
    throw pathError(thrown, output, 'output');
  });
  if (own === null) return { path: output, kind: 'nothing' };
  const facts = await stat(output).catch((thrown: unknown) => {
    throw (thrown as NodeJS.ErrnoException).code === 'ENOENT'
      ? new EarshotError('bad_request', `${output} is a broken symbolic link`, { details })
      : pathError(thrown, output, 'output');
  });
  if (isStream(facts)) return { path: output, kind: 'stream' };
  if (facts.isFile()) return { path: own.isSymbolicLink() ? await realpath(output) : output, kind: 'file' };
  throw new EarshotError(
    'bad_request',
    facts.isDirectory()
      ? `Expected a file for output but ${output} is a folder; use outputDir for a folder`
      : `Expected a file, a FIFO or a character device for output but ${output} is ` +
          `a ${facts.isSocket() ? 'socket' : 'block device'}`,
    { details },
  );
}

/** Opens for writing; a FIFO as soon as it has a reader. */
async function openStream(path: string, signal: AbortSignal): Promise<FileHandle> {
  // A plain open of a FIFO without a reader would block a thread forever.
  for (;;) {
    throwIfAborted(signal);
    try {
      const first = await open(path, constants.O_WRONLY | constants.O_NONBLOCK);
      try {
        return await open(path, constants.O_WRONLY);
      } finally {
        await first.close();
      }
    } catch (thrown) {
      if ((thrown as NodeJS.ErrnoException).code !== 'ENXIO') throw thrown;
    }
    await delay(readerPollMilliseconds, undefined, { signal }).catch(() => undefined);
  }
}

/**
 * Copies a finished file into a FIFO or a device.
 * @throws EarshotError bad_request when it cannot be written or its reader closes it; AbortError
 */
export async function writeInto(path: string, from: string, signal: AbortSignal): Promise<void> {
  try {
    const handle = await openStream(path, signal);
    await pipeline(createReadStream(from), handle.createWriteStream(), { signal });
  } catch (thrown) {
    throwIfAborted(signal);
    throw pathError(thrown, path, 'output');
  }
}
