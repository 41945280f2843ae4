// Outputs returned as streams: no file stays on the disk, also if the streams are not read.
import { createReadStream } from 'node:fs';
import { type FileHandle, open, rm } from 'node:fs/promises';
import { dirname } from 'node:path';
import type { Readable } from 'node:stream';
import type { OutputFile } from './work-folder.ts';

/** One output of a run as a stream. */
export interface OutputStream extends Omit<OutputFile, 'path'> {
  /** Read it to its end, or destroy it: until then its bytes take space in the engine's `tempDir`. */
  readonly stream: Readable;
}

/**
 * Opens the outputs in a run's fresh folder and removes the folder: on most systems an open file needs no name. On
 * Windows the folder is removed when the last stream is closed.
 */
export async function openOutputs(outputs: readonly OutputFile[]): Promise<OutputStream[]> {
  const [first] = outputs;
  if (first === undefined) return [];
  const folder = dirname(first.path);
  const removed = (): Promise<boolean> =>
    rm(folder, { recursive: true, force: true }).then(
      () => true,
      () => false,
    );
  const handles: FileHandle[] = [];
  try {
    for (const { path } of outputs) handles.push(await open(path));
  } catch (thrown) {
    await Promise.all(handles.map((handle) => handle.close()));
    await removed();
    throw thrown;
  }
  const isGone = await removed();
  let left = outputs.length;
  return outputs.map((output, index) => {
    const { path: _, ...facts } = output;
    const stream = createReadStream('', { fd: handles[index] as FileHandle });
    if (!isGone)
      stream.once('close', () => {
        left -= 1;
        if (left === 0) void removed();
      });
    return { ...facts, stream };
  });
}
