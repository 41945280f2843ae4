import type { FileHandle } from 'node:fs/promises';
import type { Readable } from 'node:stream';
import { AbortError } from '../../../library/core/abort.ts';

/** Bytes that are gathered before they are written in one go, and the most that wait while a write is under way. */
const batchBytes = 512 * 1024;
/** A client that sends byte by byte fills the list of chunks long before it fills a batch. */
const batchChunks = 64;

/**
 * Writes what comes, from `position` on: one gathered write at a time, the next batch collected meanwhile. `take`
 * answers a promise when the source should pause until it resolves, so at most two batches are in memory.
 */
export function createFileSink(
  handle: FileHandle,
  position: number,
): {
  take(chunk: Buffer): Promise<void> | null;
  /** Writes the rest. @throws what writing failed with */
  finish(): Promise<void>;
  /** Resolves when no write is under way, so that the file may be closed, however the writing went. */
  rest(): Promise<void>;
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
      // Whoever awaits it next gets the failure; until then it must not count as unhandled.
      writing.catch(() => {});
      return null;
    },
    async finish() {
      await writing;
      while (waiting.length > 0) await writeWaiting();
    },
    async rest() {
      await writing?.catch(() => {});
    },
  };
}

/** The system may write less than it is given, when the disk gets full: the rest is tried again, and then says why. */
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

/** For the time until a source is drained: should it fail meanwhile, `drain` says so, and nothing comes down before. */
export function awaitDrain(source: Readable): void {
  source.on('error', () => undefined);
}

/**
 * Hands every chunk of a stream to `take`, which may throw, or answer a promise to be waited for. The source is left
 * paused but alive on failure: it may be a request that still has to be answered.
 * @throws what the source or `take` failed with; AbortError
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
    // Stays on after the end: an error that comes late must not bring the process down.
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
