// Inputs that are no files: bytes in memory, and streams of any kind.
import { abortErrorOf } from '../core/abort.ts';
import { EarshotError } from '../core/errors.ts';

/** A WHATWG ReadableStream, as `fetch` answers it: the platform's or another one. */
export interface ByteStream {
  /** Takes the stream for the one who reads it. */
  getReader(): unknown;
  /** Says that nobody will read on. */
  cancel(reason?: unknown): Promise<void>;
}

/** Bytes in memory (a Buffer is one such), a Node stream, any other source of chunks, or a WHATWG stream. */
export type ByteSource = Uint8Array | AsyncIterable<Uint8Array | string> | ByteStream;

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

/** The answer, or the signal's reason as soon as that fires: a source may stay silent for ever. */
function orAborted<T>(answer: Promise<T>, signal: AbortSignal): Promise<T> {
  return new Promise((resolve, reject) => {
    const onAbort = (): void => reject(abortErrorOf(signal));
    if (signal.aborted) onAbort();
    signal.addEventListener('abort', onAbort, { once: true });
    // A listener for each chunk and none that stays: a stream has hundreds of thousands.
    answer.then(resolve, reject).finally(() => signal.removeEventListener('abort', onAbort));
  });
}

/**
 * Reads a stream to its end.
 * @param what the input's name, for messages
 * @throws EarshotError bad_request when the source fails or hands out something else than bytes; AbortError
 */
export async function* chunksOf(
  source: Exclude<ByteSource, Uint8Array>,
  what: string,
  signal: AbortSignal,
): AsyncGenerator<Uint8Array, void, void> {
  const fails = (cause: unknown): EarshotError =>
    new EarshotError(
      'bad_request',
      `The stream for ${what} failed: ${cause instanceof Error ? cause.message : String(cause)}`,
      { nextAction: 'Look at the cause, and pass a stream that nobody has read yet.', cause, details: { field: what } },
    );
  let chunks: Chunks | undefined;
  try {
    for (;;) {
      let chunk: Awaited<ReturnType<Chunks['next']>>;
      try {
        chunks ??= readChunks(source);
        chunk = await orAborted(chunks.next(), signal);
      } catch (thrown) {
        throw signal.aborted ? abortErrorOf(signal) : fails(thrown);
      }
      if (chunk.done) return;
      const { value } = chunk;
      if (typeof value === 'string') yield Buffer.from(value);
      else if (value instanceof Uint8Array) yield value;
      else throw fails(new TypeError(`expected bytes but received a chunk of type ${typeof value}`));
    }
  } finally {
    // Not waited for: whoever reads on a silent source would wait for ever.
    const left = async (): Promise<unknown> => chunks?.return?.();
    left().catch(() => undefined);
  }
}

/** Node's streams: an error that nobody listens to would end the program. */
interface NodeStream {
  on(event: 'error', listener: () => void): unknown;
  destroy(): unknown;
}

const isNodeStream = (source: unknown): source is NodeStream =>
  isObject(source) &&
  typeof (source as Partial<NodeStream>).on === 'function' &&
  typeof (source as Partial<NodeStream>).destroy === 'function';

/** From here on the source is ours: what happens to it before it is read is found out when it is. */
export function adopt(source: ByteSource): void {
  if (isNodeStream(source)) source.on('error', () => undefined);
}

/** Says to a source that nobody will read on; one that was read to its end does not mind. */
export function abandon(source: ByteSource): void {
  if (isNodeStream(source)) source.destroy();
  else if (isByteStream(source)) source.cancel().catch(() => undefined);
}
