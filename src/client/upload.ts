import type { CreatedFile, FileRecord, MultipartUpload, PartLinks } from './api-types.ts';
import { ApiError } from './errors.ts';
import type { Requests } from './request.ts';

/** A File of a form, `await fs.openAsBlob(path)` of Node, bytes, or a stream of a known size. */
export type UploadSource = Blob | ArrayBuffer | Uint8Array | ReadableStream<Uint8Array>;

/** Options of an upload. */
export interface UploadOptions {
  /** Name with extension. Default: that of a File; required for others. */
  readonly filename?: string;
  /** Media type. Default: the Blob's, else the service decides by the extension. */
  readonly contentType?: string;
  /** Size in bytes; required for a stream. Default: as many as there are. */
  readonly sizeBytes?: number;
  /** Parts sent at the same time, 1 to 4. Default: 3 */
  readonly partsAtOnce?: number;
  /**
   * Called at the start and after each part (16 MB, or the whole file if smaller), since fetch reports no more.
   * Default: none
   */
  readonly onProgress?: (progress: UploadProgress) => void;
  /** Aborts the upload; what has arrived is dropped. Default: none */
  readonly signal?: AbortSignal;
}

/** Progress of an upload. */
export interface UploadProgress {
  /** Bytes of parts that have arrived. */
  readonly sentBytes: number;
  /** Bytes of the whole file. */
  readonly totalBytes: number;
}

interface Part {
  readonly number: number;
  readonly bytes: Blob | Uint8Array<ArrayBuffer>;
}

/** Creates the file and sends its bytes, in one PUT or in parts, with retries for each part. */
export async function sendFile(
  requests: Requests,
  source: UploadSource,
  options: UploadOptions,
  idempotencyKey: string,
): Promise<FileRecord> {
  const { signal, onProgress } = options;
  const totalBytes = options.sizeBytes ?? sizeOf(source);
  const filename = options.filename ?? nameOf(source);
  const contentType = options.contentType ?? (source instanceof Blob && source.type !== '' ? source.type : undefined);
  const { file, upload, multipart } = await requests.json<CreatedFile>({
    method: 'POST',
    to: '/api/v1/files',
    json: { filename, sizeBytes: totalBytes, contentType, idempotencyKey },
    signal,
  });
  // The same key returns the same file, which may have arrived already.
  if (file.status !== 'awaiting_upload') return file;
  try {
    onProgress?.({ sentBytes: 0, totalBytes });
    if (multipart !== null) return await sendParts(requests, source, multipart, { ...options, totalBytes });
    if (upload === null) throw new ApiError('unexpected_answer', 'The service did not say where to send the file');
    const { value: only } = await partsOf(source, totalBytes).next();
    const response = await requests.send({
      method: 'PUT',
      to: upload.url,
      headers: upload.headers,
      body: only?.bytes ?? new Uint8Array(0),
      signal,
      timeoutSeconds: uploadSeconds,
    });
    onProgress?.({ sentBytes: totalBytes, totalBytes });
    // An object store answers a PUT with an empty body.
    const isRecord = response.headers.get('content-type')?.includes('json') === true;
    return isRecord ? ((await response.json()) as FileRecord) : file;
  } catch (thrown) {
    // The service reserves a slot for a running upload.
    await requests
      .json({ method: 'POST', to: `/api/v1/files/${file.id}/abort`, timeoutSeconds: 5 })
      .catch(() => undefined);
    throw thrown;
  }
}

/** By default, no upload link is valid for longer. */
const uploadSeconds = 6 * 3600;

async function sendParts(
  requests: Requests,
  source: UploadSource,
  multipart: MultipartUpload,
  { totalBytes, partsAtOnce = 3, onProgress, signal }: UploadOptions & { readonly totalBytes: number },
): Promise<FileRecord> {
  const { partSizeBytes, partUrl, completeUrl } = multipart;
  const parts = partsOf(source, partSizeBytes);
  const links = createPartLinks(requests, multipart, signal);
  let sentBytes = 0;
  let failed = false;
  const sendOneByOne = async (): Promise<void> => {
    for (;;) {
      const { value: part, done } = await parts.next();
      if (done || failed) return;
      const { number, bytes } = part;
      const put = { method: 'PUT', body: bytes, signal, timeoutSeconds: uploadSeconds } as const;
      const link = await links.of(number);
      try {
        await requests.send({ ...put, to: link ?? partUrl.replace('{n}', String(number)) });
      } catch (thrown) {
        if (link === null || signal?.aborted) throw thrown;
        // The store cannot be reached from this client; the service can reach it.
        links.drop();
        await requests.send({ ...put, to: partUrl.replace('{n}', String(number)) });
      }
      sentBytes += bytes instanceof Blob ? bytes.size : bytes.byteLength;
      onProgress?.({ sentBytes, totalBytes });
    }
  };
  const lanes = Array.from({ length: Math.min(4, Math.max(1, partsAtOnce)) }, () =>
    sendOneByOne().catch((thrown: unknown) => {
      failed = true;
      throw thrown;
    }),
  );
  try {
    await Promise.all(lanes);
  } finally {
    // Nothing is sent after this returns.
    await Promise.allSettled(lanes);
    await parts.return(undefined);
  }
  return requests.json({ method: 'POST', to: completeUrl, signal, timeoutSeconds: 600 });
}

/** Links asked for at a time. */
const linksAtOnce = 100;

/** Links for sending parts directly to the object store. Older services offer none. */
function createPartLinks(
  requests: Requests,
  { completeUrl, partCount }: MultipartUpload,
  signal: AbortSignal | undefined,
) {
  const to = completeUrl.replace(/\/complete$/, '/links');
  const pages = new Map<number, Promise<ReadonlyMap<number, string>>>();
  let dropped = to === completeUrl;
  const ask = async (first: number): Promise<ReadonlyMap<number, string>> => {
    const length = Math.min(linksAtOnce, partCount - first + 1);
    const parts = Array.from({ length }, (_, index) => first + index);
    const { links } = await requests.json<PartLinks>({ method: 'POST', to, json: { parts }, signal });
    return new Map(links.map(({ part, url }) => [part, url]));
  };
  return {
    /** null: send the part to the service. */
    async of(number: number): Promise<string | null> {
      if (dropped) return null;
      const first = number - ((number - 1) % linksAtOnce);
      const page = pages.get(first) ?? ask(first);
      pages.set(first, page);
      try {
        return (await page).get(number) ?? null;
      } catch (thrown) {
        if (signal?.aborted) throw thrown;
        dropped = true;
        return null;
      }
    },
    drop(): void {
      dropped = true;
    },
  };
}

/** Pieces of equal size except the last. Only those being sent are in memory. */
async function* partsOf(source: UploadSource, partSizeBytes: number): AsyncGenerator<Part, void> {
  if (source instanceof ReadableStream) {
    yield* partsOfStream(source, partSizeBytes);
    return;
  }
  const whole = source instanceof ArrayBuffer ? new Uint8Array(source) : (source as Blob | Uint8Array<ArrayBuffer>);
  const totalBytes = sizeOf(whole);
  for (let start = 0, number = 1; start < totalBytes; start += partSizeBytes, number++) {
    const end = Math.min(totalBytes, start + partSizeBytes);
    yield { number, bytes: whole instanceof Blob ? whole.slice(start, end) : whole.subarray(start, end) };
  }
}

async function* partsOfStream(stream: ReadableStream<Uint8Array>, partSizeBytes: number): AsyncGenerator<Part, void> {
  const reader = stream.getReader();
  let number = 1;
  let chunks: Uint8Array<ArrayBuffer>[] = [];
  let held = 0;
  try {
    for (;;) {
      const { value, done } = await reader.read();
      if (done) break;
      for (let rest = value as Uint8Array<ArrayBuffer>; rest.byteLength > 0;) {
        const piece = rest.subarray(0, partSizeBytes - held);
        rest = rest.subarray(piece.byteLength);
        chunks.push(piece);
        held += piece.byteLength;
        if (held < partSizeBytes) continue;
        yield { number: number++, bytes: new Blob(chunks) };
        chunks = [];
        held = 0;
      }
    }
    if (held > 0) yield { number, bytes: new Blob(chunks) };
  } finally {
    await reader.cancel().catch(() => undefined);
  }
}

function sizeOf(source: UploadSource): number {
  if (source instanceof Blob) return source.size;
  if (source instanceof ReadableStream)
    throw new TypeError('Expected sizeBytes for the upload of a stream but received none');
  return source.byteLength;
}

function nameOf(source: UploadSource): string {
  const { name } = source as { readonly name?: unknown };
  if (typeof name === 'string' && name !== '') return name;
  throw new TypeError('Expected filename for an upload that is no File but received none');
}
