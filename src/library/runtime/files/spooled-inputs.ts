// Writes bytes and streams to files: tools read inputs more than once, and formats need to seek.
import { open } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { basename, join } from 'node:path';
import { throwIfAborted } from '../../core/abort.ts';
import { EarshotError } from '../../core/errors/errors.ts';
import { pathError } from '../../core/errors/file-errors.ts';
import type { FilesByField, InputFile } from '../../contract/tool-inputs.ts';
import { abandon, adopt, type ByteChunks, type ByteSource, chunksOf, isByteSource } from './byte-sources.ts';
import { fifoSource, isFifo } from './fifo-source.ts';
import { isPending, type PendingInput, type RunInput, type RunInputs } from './inputs.ts';
import { isSound, streamOf, waveBytesOf } from './sound-inputs.ts';
import { makeWorkFolder, removeWorkFolder } from './work-folder.ts';

/** 16 GiB: more than ten hours of the largest PCM that tools accept. */
export const defaultMaxSpooledBytes = 16 * 1024 ** 3;

/** Inputs as files, and how to remove those made for the run. */
export interface Spooled {
  readonly inputs: FilesByField<InputFile>;
  /** Never fails; more calls do nothing. */
  remove(): Promise<void>;
}

/** Takes over all byte sources among a run's inputs. */
export function adoptSources(inputs: RunInputs): readonly ByteSource[] {
  const found: ByteSource[] = [];
  const look = (value: unknown, depth: number): void => {
    if (typeof value !== 'object' || value === null || depth > 3) return;
    if (isByteSource(value)) found.push(value);
    // Millions of samples.
    else if (ArrayBuffer.isView(value)) return;
    else for (const inner of Object.values(value)) look(inner, depth + 1);
  };
  if (typeof inputs !== 'string') look(inputs, 0);
  for (const source of found) adopt(source);
  return found;
}

/** Stops reading from these. */
export function abandonAll(sources: readonly ByteSource[]): void {
  for (const source of sources) abandon(source);
}

async function writeSource(
  { data, field, what, maxBytes }: PendingInput,
  path: string,
  mostBytes: number,
  signal: AbortSignal,
): Promise<void> {
  const most = Math.min(mostBytes, maxBytes ?? Infinity);
  const tooLarge = (): EarshotError =>
    new EarshotError('file_too_large', `Expected at most ${most} bytes for ${what} but received more`, {
      details: { field, expected: most },
    });
  throwIfAborted(signal);
  if (data instanceof Uint8Array && data.byteLength > most) throw tooLarge();
  const handle = await open(path, 'wx', 0o600);
  try {
    if (data instanceof Uint8Array) return await handle.writeFile(data);
    const wave = 'header' in data ? data : null;
    if (wave !== null) await handle.writeFile(wave.header(null));
    let bytes = 0;
    for await (const chunk of wave?.chunks(what, signal) ?? chunksOf(data as ByteChunks, what, signal)) {
      bytes += chunk.byteLength;
      if (bytes > most) throw tooLarge();
      await handle.writeFile(chunk);
    }
    if (wave !== null) await handle.write(wave.header(bytes), 0, null, 0);
  } catch (thrown) {
    throw pathError(thrown, path, field);
  } finally {
    await handle.close();
  }
}

/**
 * Reads bytes and streams into a folder of their own, all at the same time.
 * @param tempDir where that folder is made
 * @param mostBytes limit of each source
 * @throws EarshotError file_too_large, bad_request when a source fails; AbortError. Leaves no files behind then
 */
export async function spoolInputs(
  resolved: FilesByField<InputFile | PendingInput>,
  tempDir: string,
  mostBytes: number,
  signal: AbortSignal,
): Promise<Spooled> {
  const files = Object.values(resolved).flat();
  if (!files.some(isPending)) return { inputs: resolved as FilesByField<InputFile>, remove: () => Promise.resolve() };
  const folder = await makeWorkFolder(tempDir);
  const remove = async (): Promise<void> => removeWorkFolder(folder).catch(() => undefined);
  // A failing source ends the others.
  const failed = new AbortController();
  const together = AbortSignal.any([signal, failed.signal]);
  const writing = files.filter(isPending).map(async (input, index) => {
    const path = join(folder, 'in', String(index + 1));
    await writeSource(input, path, mostBytes, together);
    return [input, { path, name: input.name }] as const;
  });
  try {
    const written = new Map<InputFile | PendingInput, InputFile>(await Promise.all(writing));
    const inputs = Object.fromEntries(
      Object.entries(resolved).map(([field, each]) => [
        field,
        each.map((file) => written.get(file) ?? (file as InputFile)),
      ]),
    );
    return { inputs, remove };
  } catch (thrown) {
    failed.abort(thrown);
    await Promise.allSettled(writing);
    await remove();
    throw thrown;
  }
}

function asBytes(input: RunInput): Pick<PendingInput, 'data' | 'name'> {
  if (typeof input === 'string') return { data: fifoSource(input), name: basename(input) };
  if (isByteSource(input)) return { data: input, name: 'input' };
  if (isSound(input)) {
    const wave = waveBytesOf(input);
    return { data: wave, name: wave.name };
  }
  return 'path' in input ? { data: fifoSource(input.path), name: input.name } : input;
}

/**
 * Calls `use` with the path of a file that holds the input: the input itself, or a copy that is removed afterwards.
 * @throws EarshotError bad_request when a source fails, file_too_large; AbortError; and whatever `use` throws
 */
export async function withFile<T>(
  input: RunInput,
  use: (path: string, name: string | null) => T | Promise<T>,
  signal: AbortSignal = new AbortController().signal,
): Promise<T> {
  if (typeof input === 'string' && !isFifo(input)) return use(input, null);
  if (typeof input === 'object' && 'path' in input && !isFifo(input.path)) return use(input.path, input.name);
  const { data, name } = asBytes(input);
  const stream = streamOf(data);
  if (stream !== null) adopt(stream);
  const pending: PendingInput = { data, name, field: 'file', what: 'file', maxBytes: null };
  try {
    const { inputs, remove } = await spoolInputs({ file: [pending] }, tmpdir(), defaultMaxSpooledBytes, signal);
    try {
      return await use(inputs['file']?.[0]?.path ?? '', name);
    } finally {
      await remove();
    }
  } finally {
    if (stream !== null) abandon(stream);
  }
}
