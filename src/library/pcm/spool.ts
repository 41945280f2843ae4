import { closeSync, openSync, readSync, rmSync, writeSync } from 'node:fs';
import { dirname } from 'node:path';
import { isDiskFull, noRoomToWork } from '../core/errors/disk-full.ts';
import type { AudioBlock, AudioFormat } from './block.ts';

/** Sound stored on disk as exact float32, to be read more than once. */
export interface Spool {
  readonly format: AudioFormat;
  /** @throws EarshotError internal_error when the disk is full; the spool is then useless */
  write(block: AudioBlock): void;
  /** Reads it from the start. Any number may be open, after the last write. */
  read(): SpoolReader;
  /** Removes the file. */
  remove(): void;
}

export interface SpoolReader {
  readonly format: AudioFormat;
  readonly expectedFrames: number;
  /** Valid until the next call; null at the end. */
  next(): AudioBlock | null;
  close(): void;
}

const bytesOf = (plane: Float32Array, frames: number): Uint8Array =>
  new Uint8Array(plane.buffer, plane.byteOffset, frames * 4);

function writeAll(file: number, bytes: Uint8Array): void {
  for (let at = 0; at < bytes.length;) at += writeSync(file, bytes, at, bytes.length - at);
}

function readAll(file: number, bytes: Uint8Array, position: number): void {
  for (let at = 0; at < bytes.length;) {
    const got = readSync(file, bytes, at, bytes.length - at, position + at);
    if (got === 0) throw new Error('The stored sound is shorter than what was written');
    at += got;
  }
}

/** Reports a full disk. */
function withRoom<Result>(path: string, work: () => Result): Result {
  try {
    return work();
  } catch (thrown) {
    throw isDiskFull(thrown) ? noRoomToWork(dirname(path), thrown) : thrown;
  }
}

/**
 * @param path of a new file; 4 bytes a sample
 * @throws EarshotError internal_error when the disk is full
 */
export function createSpool(path: string, format: AudioFormat): Spool {
  let file: number | null = withRoom(path, () => openSync(path, 'wx'));
  /** Frames of each block: a number a second, even for the longest recordings. */
  const lengths: number[] = [];
  return {
    format,
    write({ planes, frames }) {
      if (file === null) throw new TypeError('Expected no write after read');
      const open = file;
      withRoom(path, () => {
        for (const plane of planes) writeAll(open, bytesOf(plane, frames));
      });
      lengths.push(frames);
    },
    read() {
      if (file !== null) closeSync(file);
      file = null;
      const source = openSync(path, 'r');
      let planes = Array.from({ length: format.channels }, () => new Float32Array(lengths[0] ?? 0));
      let index = 0;
      let position = 0;
      return {
        format,
        expectedFrames: lengths.reduce((sum, frames) => sum + frames, 0),
        next() {
          const frames = lengths[index];
          if (frames === undefined) return null;
          index += 1;
          if (frames > (planes[0]?.length ?? 0)) planes = planes.map(() => new Float32Array(frames));
          for (const plane of planes) {
            readAll(source, bytesOf(plane, frames), position);
            position += frames * 4;
          }
          return { planes: planes.map((plane) => plane.subarray(0, frames)), frames };
        },
        close: () => closeSync(source),
      };
    },
    remove() {
      if (file !== null) closeSync(file);
      file = null;
      rmSync(path, { force: true });
    },
  };
}
