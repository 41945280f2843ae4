/** A File of a form, `await fs.openAsBlob(path)` of Node, bytes, or a stream of a known size. */
export type UploadSource = Blob | ArrayBuffer | Uint8Array | ReadableStream<Uint8Array>;

/** One of the parts of a source. */
export interface Part {
  /** Counting from 1. */
  readonly number: number;
  readonly bytes: Blob | Uint8Array<ArrayBuffer>;
}

/** Reads parts of a source. */
export interface PartReader {
  /** These parts, in their order. @throws TypeError for a stream that was read already or has another size */
  parts(wanted: ReadonlySet<number>): AsyncGenerator<Part, void>;
  /** Ends reading; for a stream that no one reads any more. */
  close(): Promise<void>;
}

/** Reads parts of equal size except the last. Only those being sent are in memory. */
export type ReadParts = (sizeBytes: number, partSizeBytes: number) => PartReader;

/** Of a source whose bytes are there, in any order. */
export const partsOfWhole =
  (whole: Blob | Uint8Array<ArrayBuffer>): ReadParts =>
  (sizeBytes, partSizeBytes) => ({
    async *parts(wanted) {
      for (const number of wanted) {
        const [start, end] = [(number - 1) * partSizeBytes, Math.min(sizeBytes, number * partSizeBytes)];
        yield { number, bytes: whole instanceof Blob ? whole.slice(start, end) : whole.subarray(start, end) };
      }
    },
    close: async () => undefined,
  });

/** Of any source. */
export function partsOf(source: UploadSource): ReadParts {
  if (source instanceof ReadableStream) return (...sizes) => streamParts(source, ...sizes);
  return partsOfWhole(
    source instanceof ArrayBuffer ? new Uint8Array(source) : (source as Blob | Uint8Array<ArrayBuffer>),
  );
}

function streamParts(stream: ReadableStream<Uint8Array>, sizeBytes: number, partSizeBytes: number): PartReader {
  let reader: ReadableStreamDefaultReader<Uint8Array> | undefined;
  const wrongSize = (why: string): TypeError =>
    new TypeError(`Expected a stream of ${sizeBytes} bytes, as sizeBytes says, but it ${why}`);
  return {
    async *parts(wanted) {
      if (reader !== undefined)
        throw new TypeError(
          `Expected the parts that were sent to stay with the service, but it misses ${[...wanted].join(', ')}, and ` +
            'a stream cannot be read again. Call upload again with the same idempotencyKey and a new stream.',
        );
      reader = stream.getReader();
      let number = 1;
      let pieces: Uint8Array<ArrayBuffer>[] = [];
      let [held, read] = [0, 0];
      const take = (): Part | null => {
        const part = wanted.has(number) ? { number, bytes: new Blob(pieces) } : null;
        [pieces, held] = [[], 0];
        number += 1;
        return part;
      };
      for (;;) {
        const { value, done } = await reader.read();
        if (done) break;
        read += value.byteLength;
        if (read > sizeBytes) throw wrongSize('has more');
        for (let rest = value as Uint8Array<ArrayBuffer>; rest.byteLength > 0;) {
          const piece = rest.subarray(0, partSizeBytes - held);
          rest = rest.subarray(piece.byteLength);
          // What has arrived before is read, and dropped.
          if (wanted.has(number)) pieces.push(piece);
          held += piece.byteLength;
          const part = held === partSizeBytes ? take() : null;
          if (part !== null) yield part;
        }
      }
      if (read < sizeBytes) throw wrongSize(`ended after ${read}`);
      const last = held > 0 ? take() : null;
      if (last !== null) yield last;
    },
    async close() {
      await (reader ?? stream).cancel().catch(() => undefined);
    },
  };
}

/** Bytes of a source. @throws TypeError for a stream, whose size is not known */
export function sizeOf(source: UploadSource): number {
  if (source instanceof Blob) return source.size;
  if (source instanceof ReadableStream)
    throw new TypeError('Expected sizeBytes for the upload of a stream but received none');
  return source.byteLength;
}

/** The name of a File. @throws TypeError for others */
export function filenameOf(source: UploadSource): string {
  const { name } = source as { readonly name?: unknown };
  if (typeof name === 'string' && name !== '') return name;
  throw new TypeError('Expected filename for an upload that is no File but received none');
}
