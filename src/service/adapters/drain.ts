import type { Readable } from 'node:stream';
import { AbortError } from '../../library/core/abort.ts';

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
