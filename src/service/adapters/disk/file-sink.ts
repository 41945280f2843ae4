import type { FileHandle } from 'node:fs/promises';

/** Bytes per write, and most bytes buffered during a write. */
const batchBytes = 512 * 1024;
/** Most chunks per write, for clients that send very small chunks. */
const batchChunks = 64;

/**
 * Writes chunks in batches, from `position` on, and collects the next batch during a write. `take` returns a promise
 * when the source should pause until it resolves, so at most two batches are in memory.
 */
export function createFileSink(
  handle: FileHandle,
  position: number,
): {
  take(chunk: Buffer): Promise<void> | null;
  /** Writes the rest. @throws the error of a write */
  finish(): Promise<void>;
  /** Resolves when no write is in progress, so that the file may be closed. Never rejects. */
  idle(): Promise<void>;
} {
  let waiting: Buffer[] = [];
  let waitingBytes = 0;
  let writing: Promise<void> | null = null;
  let at = position;

  const full = (): boolean => waitingBytes >= batchBytes || waiting.length >= batchChunks;

  const writeWaiting = async (): Promise<void> => {
    while (waiting.length > 0) {
      const batch = waiting;
      waiting = [];
      waitingBytes = 0;
      at = await writeAll(handle, batch, at);
      if (!full()) break;
    }
    writing = null;
  };

  return {
    take(chunk) {
      waiting.push(chunk);
      waitingBytes += chunk.length;
      if (!full()) return null;
      if (writing !== null) return writing;
      writing = writeWaiting();
      // The next await gets the error; until then it must not count as unhandled.
      writing.catch(() => {});
      return null;
    },
    async finish() {
      await writing;
      while (waiting.length > 0) await writeWaiting();
    },
    async idle() {
      await writing?.catch(() => {});
    },
  };
}

/** A write may be partial, for example on a full disk: the rest is written again, which then throws the reason. */
async function writeAll(handle: FileHandle, chunks: Buffer[], position: number): Promise<number> {
  let at = position;
  let left = chunks;
  while (left.length > 0) {
    let { bytesWritten } = await handle.writev(left, at);
    at += bytesWritten;
    const rest: Buffer[] = [];
    for (const chunk of left) {
      if (bytesWritten >= chunk.length) bytesWritten -= chunk.length;
      else {
        rest.push(bytesWritten === 0 ? chunk : chunk.subarray(bytesWritten));
        bytesWritten = 0;
      }
    }
    left = rest;
  }
  return at;
}
