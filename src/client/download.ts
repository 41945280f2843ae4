import type { DownloadLink } from './api-types.ts';
import { ConnectionError } from './errors.ts';
import { pause, type Requests } from './request.ts';

/** A file being downloaded. Read it once, in one of these ways. */
export interface Download {
  /** Name with extension. */
  readonly filename: string;
  /** Media type of the bytes. */
  readonly contentType: string;
  /** Total bytes; null: unknown. */
  readonly sizeBytes: number | null;
  /** The bytes as they arrive. Continues after a broken connection. */
  readonly body: ReadableStream<Uint8Array>;
  /** All bytes as a Blob, to save or to play. */
  blob(): Promise<Blob>;
  /** All bytes, in memory. */
  bytes(): Promise<Uint8Array<ArrayBuffer>>;
  /** For a transcript or a subtitle file. */
  text(): Promise<string>;
  /** For a report or a transcript. */
  json<Value = unknown>(): Promise<Value>;
}

/** Progress of a download. */
export interface DownloadProgress {
  /** Bytes that have arrived. */
  readonly receivedBytes: number;
  /** Total bytes; null: unknown. */
  readonly totalBytes: number | null;
}

/** Options of a download. */
export interface DownloadOptions {
  /** Called with every piece that arrives. Default: none */
  readonly onProgress?: (progress: DownloadProgress) => void;
  /** Aborts it. Default: none */
  readonly signal?: AbortSignal;
}

const tries = 5;

export async function openDownload(
  requests: Requests,
  link: DownloadLink,
  { onProgress, signal }: DownloadOptions,
): Promise<Download> {
  const first = await requests.send({ method: 'GET', to: link.url, headers: { accept: '*/*' }, signal });
  const contentType = first.headers.get('content-type') ?? 'application/octet-stream';
  const length = first.headers.get('content-length');
  const sizeBytes = length === null ? null : Number(length);
  const chunks = goOn(requests, link.url, first, signal, (receivedBytes) =>
    onProgress?.({ receivedBytes, totalBytes: sizeBytes }),
  );
  // ReadableStream.from is missing in some browsers.
  const body = new ReadableStream<Uint8Array>(
    {
      async pull(controller) {
        const { value, done } = await chunks.next();
        if (done) controller.close();
        else controller.enqueue(value);
      },
      cancel: async () => void (await chunks.return(undefined)),
    },
    { highWaterMark: 0 },
  );
  const whole = (): Response => new Response(body, { headers: { 'content-type': contentType } });
  return {
    filename: link.filename,
    contentType,
    sizeBytes,
    body,
    blob: () => whole().blob(),
    bytes: async () => new Uint8Array(await whole().arrayBuffer()),
    text: () => whole().text(),
    json: async <Value>() => (await whole().json()) as Value,
  };
}

/** The bytes of the response; after a break the rest, as long as the file has not changed. */
async function* goOn(
  requests: Requests,
  url: string,
  first: Response,
  signal: AbortSignal | undefined,
  tell: (receivedBytes: number) => void,
): AsyncGenerator<Uint8Array<ArrayBuffer>, void> {
  const etag = first.headers.get('etag');
  let response = first;
  let received = 0;
  for (let failures = 0; ;) {
    try {
      for await (const chunk of chunksOf(response)) {
        received += chunk.byteLength;
        tell(received);
        failures = 0;
        yield chunk;
      }
      return;
    } catch (thrown) {
      signal?.throwIfAborted();
      failures += 1;
      if (etag === null || failures >= tries)
        throw new ConnectionError(`The download broke off after ${received} bytes`, { cause: thrown });
      await pause(300 * failures, signal);
    }
    response = await requests.send({
      method: 'GET',
      to: url,
      headers: { accept: '*/*', range: `bytes=${received}-`, 'if-range': etag },
      signal,
    });
    if (response.status !== 206)
      throw new ConnectionError(`The download broke off after ${received} bytes and the file has changed`, {
        cause: response.status,
      });
  }
}

/** Also where streams are not async iterable, as in some browsers. */
async function* chunksOf({ body }: Response): AsyncGenerator<Uint8Array<ArrayBuffer>, void> {
  if (body === null) return;
  const reader = body.getReader();
  try {
    for (;;) {
      const { value, done } = await reader.read();
      if (done) return;
      yield value as Uint8Array<ArrayBuffer>;
    }
  } finally {
    await reader.cancel().catch(() => undefined);
  }
}
