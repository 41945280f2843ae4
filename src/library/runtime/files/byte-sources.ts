// Inputs other than files: bytes in memory and streams of any kind.
import { abortErrorOf } from '../../core/abort.ts';
import { EarshotError } from '../../core/errors/errors.ts';

/** A WHATWG ReadableStream, as `fetch` answers it: the platform's or another one. */
export interface ByteStream {
  /** Locks the stream for one reader. */
  getReader(): unknown;
  /** Tells the source that reading has stopped. */
  cancel(reason?: unknown): Promise<void>;
}

/** Bytes in memory (a Buffer, for example), a Node stream, any async iterable of chunks, or a WHATWG stream. */
export type ByteSource = Uint8Array | ByteChunks;

/** A stream that can be read once. */
export type ByteChunks = AsyncIterable<Uint8Array | string> | ByteStream;

/** The parts of a WHATWG reader that are used. */
interface ByteReader {
  read(): Promise<{ readonly done: boolean; readonly value?: unknown }>;
  cancel(reason?: unknown): Promise<void>;
}

interface Chunks {
  next(): Promise<{ readonly done?: boolean | undefined; readonly value?: unknown }>;
  return?(): unknown;
}

const isObject = (value: unknown): value is object => typeof value === 'object' && value !== null;

const isIterable = (value: object): value is AsyncIterable<unknown> =>
  typeof (value as Partial<AsyncIterable<unknown>>)[Symbol.asyncIterator] === 'function';

const isByteStream = (value: object): value is ByteStream =>
  typeof (value as Partial<ByteStream>).getReader === 'function';

export const isByteSource = (value: unknown): value is ByteSource =>
  isObject(value) && (value instanceof Uint8Array || isIterable(value) || isByteStream(value));

function readChunks(source: AsyncIterable<unknown> | ByteStream): Chunks {
  if (isIterable(source)) return source[Symbol.asyncIterator]();
  const reader = source.getReader() as ByteReader;
  return { next: () => reader.read(), return: () => reader.cancel() };
}

/** The answer, or the signal's reason as soon as it fires: a source may never answer. */
function orAborted<T>(answer: Promise<T>, signal: AbortSignal): Promise<T> {
  return new Promise((resolve, reject) => {
    const onAbort = (): void => reject(abortErrorOf(signal));
    if (signal.aborted) onAbort();
    signal.addEventListener('abort', onAbort, { once: true });
    // Remove the listener after each chunk: a stream has hundreds of thousands of them.
    answer.then(resolve, reject).finally(() => signal.removeEventListener('abort', onAbort));
  });
}

/** @param what the input's name */
const streamFailed = (what: string, cause: unknown): EarshotError =>
  new EarshotError(
    'bad_request',
    `The stream for ${what} failed: ${cause instanceof Error ? cause.message : String(cause)}`,
    { nextAction: 'See the cause. Pass a stream that has not been read yet.', cause, details: { field: what } },
  );

/**
 * Reads a stream of bytes to its end.
 * @param what the input's name, for messages
 * @throws EarshotError bad_request when the source fails or yields something other than bytes; AbortError
 */
export async function* chunksOf(
  source: ByteChunks,
  what: string,
  signal: AbortSignal,
): AsyncGenerator<Uint8Array, void, void> {
  for await (const value of itemsOf(source, what, signal)) {
    if (typeof value === 'string') yield Buffer.from(value);
    else if (value instanceof Uint8Array) yield value;
    else throw streamFailed(what, new TypeError(`expected bytes but received a chunk of type ${typeof value}`));
  }
}

/**
 * Reads a stream of anything to its end.
 * @param what the input's name, for messages
 * @throws EarshotError bad_request when the source fails; AbortError
 */
export async function* itemsOf(
  source: ByteChunks,
  what: string,
  signal: AbortSignal,
): AsyncGenerator<unknown, void, void> {
  let chunks: Chunks | undefined;
  try {
    for (;;) {
      let chunk: Awaited<ReturnType<Chunks['next']>>;
      try {
        chunks ??= readChunks(source);
        chunk = await orAborted(chunks.next(), signal);
      } catch (thrown) {
        throw signal.aborted ? abortErrorOf(signal) : streamFailed(what, thrown);
      }
      if (chunk.done) return;
      yield chunk.value;
    }
  } finally {
    // Not awaited: a source that never answers would block here.
    const left = async (): Promise<unknown> => chunks?.return?.();
    left().catch(() => undefined);
  }
}

/** A Node stream: an error without a listener would end the program. */
interface NodeStream {
  on(event: 'error', listener: () => void): unknown;
  destroy(): unknown;
}

const isNodeStream = (source: unknown): source is NodeStream =>
  isObject(source) &&
  typeof (source as Partial<NodeStream>).on === 'function' &&
  typeof (source as Partial<NodeStream>).destroy === 'function';

/** From here on the source is ours. Errors before the first read are reported when it is read. */
export function adopt(source: ByteSource): void {
  if (isNodeStream(source)) source.on('error', () => undefined);
}

/** Tells a source that reading has stopped. Harmless after its end. */
export function abandon(source: ByteSource): void {
  if (isNodeStream(source)) source.destroy();
  else if (isByteStream(source)) source.cancel().catch(() => undefined);
}
