import type { FileHandle } from 'node:fs/promises';
import type { Readable } from 'node:stream';
import { AbortError } from '../../../library/core/abort.ts';

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

/** Until `drain` is called, an error of the source must not be an uncaught exception; `drain` reports it. */
export function awaitDrain(source: Readable): void {
  source.on('error', () => undefined);
}

/**
 * Passes every chunk of a stream to `take`, which may throw, or return a promise to wait for. After an error the source
 * is paused and not destroyed: it may be a request that still needs a response.
 * @throws the error of the source or of `take`; AbortError
 */
export function drain(
  source: Readable,
  take: (chunk: Buffer) => Promise<void> | null,
  signal: AbortSignal | undefined,
): Promise<void> {
  return new Promise((resolve, reject) => {
    let settled = false;
    let holding = false;
    let ended = false;
    const settle = (finish: () => void): void => {
      if (settled) return;
      settled = true;
      source.off('data', onData).off('end', onEnd).off('close', onClose);
      signal?.removeEventListener('abort', onAbort);
      source.pause();
      finish();
    };
    const fail = (thrown: unknown): void => settle(() => reject(thrown));
    const onAbort = (): void => fail(new AbortError());
    const onEnd = (): void => {
      ended = true;
      if (!holding) settle(resolve);
    };
    const onClose = (): void => {
      if (!ended) fail(source.errored ?? new Error('The stream was closed before its end'));
    };
    const onTaken = (): void => {
      holding = false;
      if (ended) settle(resolve);
      else if (!settled) source.resume();
    };
    const onData = (chunk: Buffer | string): void => {
      let busy: Promise<void> | null;
      try {
        busy = take(typeof chunk === 'string' ? Buffer.from(chunk) : chunk);
      } catch (thrown) {
        fail(thrown);
        return;
      }
      if (busy === null) return;
      holding = true;
      source.pause();
      busy.then(onTaken, fail);
    };
    // Never removed: a late error must not crash the process.
    source.on('error', fail);
    if (signal?.aborted) onAbort();
    else if (source.destroyed) onClose();
    else if (source.readableEnded) onEnd();
    else {
      signal?.addEventListener('abort', onAbort, { once: true });
      source.on('data', onData).on('end', onEnd).on('close', onClose);
      source.resume();
    }
  });
}
