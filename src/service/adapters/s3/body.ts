import { PassThrough, type Readable } from 'node:stream';
import { once } from 'node:events';
import type { BodyLength } from '../body-length.ts';
import { drain } from '../drain.ts';

/**
 * Passes a source on as the body of a request. When the source fails, is too long or too short, or is aborted, the body
 * breaks off, and the store keeps nothing of it.
 * @param send makes the request; its signal fires when the body has broken off
 * @throws the error of `length`, the source or the request; AbortError
 */
export async function sendBody<Answer>(
  source: Readable,
  length: BodyLength,
  signal: AbortSignal | undefined,
  send: (body: Readable, signal: AbortSignal) => Promise<Answer>,
): Promise<Answer> {
  const body = new PassThrough({ highWaterMark: 1024 * 1024 });
  // The request reports it, or has ended.
  body.on('error', () => undefined);
  const broken = new AbortController();
  const stop = signal === undefined ? broken.signal : AbortSignal.any([signal, broken.signal]);
  const drained = drain(
    source,
    (chunk) => {
      length.add(chunk);
      // `once` rejects when the request has destroyed the body.
      return body.write(chunk) ? null : once(body, 'drain', { signal: stop }).then(() => undefined);
    },
    stop,
  )
    .then(() => length.finish())
    .then(
      () => void body.end(),
      (thrown: unknown) => {
        body.destroy(thrown as Error);
        broken.abort();
        throw thrown;
      },
    );
  const sent = send(body, broken.signal).catch((thrown: unknown) => {
    broken.abort();
    throw thrown;
  });
  const [ofSource, ofRequest] = await Promise.allSettled([drained, sent]);
  // The request fails with whatever broke the body: that says more.
  if (ofRequest.status === 'rejected')
    throw ofSource.status === 'rejected' && (signal?.aborted || !isAbort(ofSource.reason))
      ? ofSource.reason
      : ofRequest.reason;
  if (ofSource.status === 'rejected') throw ofSource.reason;
  return ofRequest.value;
}

const isAbort = (thrown: unknown): boolean => thrown instanceof Error && thrown.name === 'AbortError';
