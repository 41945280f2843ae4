import type { CreatedFile, FileRecord } from './api-types.ts';
import { found } from './arrival.ts';
import { ApiError, ConnectionError } from './errors.ts';
import { createPartLinks } from './part-links.ts';
import type { Requests, RetrySettings } from './request.ts';
import { sendInto } from './send-parts.ts';
import { filenameOf, partsOf, sizeOf, type UploadSource } from './upload-source.ts';

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
   * 8 to 200 characters. The same key with the same file goes on where an earlier upload broke off, also from another
   * process: parts that have arrived are not sent again. Default: a new one, and for a Blob whose upload has broken off
   * before through this client, that upload's
   */
  readonly idempotencyKey?: string;
  /**
   * Called at the start and as bytes are sent; where the platform does not tell (a `fetch` of your own, Deno, Bun),
   * after each part. Default: none
   */
  readonly onProgress?: (progress: UploadProgress) => void;
  /** Aborts the upload; what has arrived is dropped. Default: none */
  readonly signal?: AbortSignal;
}

/** Progress of an upload. */
export interface UploadProgress {
  /** Bytes that were sent; fewer than before when a part is sent again. */
  readonly sentBytes: number;
  /** Bytes of the whole file. */
  readonly totalBytes: number;
}

/** How uploads are retried. */
export interface UploadDeps {
  readonly requests: Requests;
  readonly retry: Partial<RetrySettings>;
  newKey(): string;
}

/** Creates the file and sends its bytes, in one PUT or in parts, with retries for each part. */
export function createUploads({ requests, retry, newKey }: UploadDeps) {
  /** Keys of uploads that broke off. A Blob keeps its bytes, so that it can go on. */
  const broken = new WeakMap<Blob, string>();

  async function create(
    source: UploadSource,
    options: UploadOptions,
    sizeBytes: number,
  ): Promise<CreatedFile & { readonly key: string; readonly isNew: boolean }> {
    const filename = options.filename ?? filenameOf(source);
    const contentType = options.contentType ?? (source instanceof Blob && source.type !== '' ? source.type : undefined);
    const ask = async (idempotencyKey: string, isNew: boolean) => ({
      ...(await requests.json<CreatedFile>({
        method: 'POST',
        to: '/api/v1/files',
        json: { filename, sizeBytes, contentType, idempotencyKey },
        signal: options.signal,
        retry,
      })),
      key: idempotencyKey,
      isNew,
    });
    if (options.idempotencyKey !== undefined) return ask(options.idempotencyKey, false);
    const known = source instanceof Blob ? broken.get(source) : undefined;
    return known === undefined ? ask(newKey(), true) : ((await found(() => ask(known, false))) ?? ask(newKey(), true));
  }

  return async function upload(source: UploadSource, options: UploadOptions): Promise<FileRecord> {
    const { signal, onProgress, partsAtOnce } = options;
    const sizeBytes = options.sizeBytes ?? sizeOf(source);
    const { file, upload: whole, multipart, key, isNew } = await create(source, options, sizeBytes);
    // The same key returns the same file, which may have arrived already.
    if (file.status !== 'awaiting_upload') return file;
    let told = -1;
    try {
      const sent = await sendInto(
        requests,
        partsOf(source),
        { upload: whole, multipart },
        {
          sizeBytes,
          mayHaveArrived: !isNew,
          partsAtOnce,
          signal,
          retry,
          ...(multipart === null ? {} : { links: createPartLinks(requests, multipart, signal) }),
          onSent(sentBytes) {
            if (sentBytes !== told) onProgress?.({ sentBytes, totalBytes: sizeBytes });
            told = sentBytes;
          },
        },
      );
      if (source instanceof Blob) broken.delete(source);
      return sent ?? file;
    } catch (thrown) {
      if (!signal?.aborted && isPassing(thrown)) {
        // What has arrived stays, for the next call.
        if (source instanceof Blob) broken.set(source, key);
        throw thrown instanceof ConnectionError
          ? new ConnectionError(`${thrown.message}. Upload again with idempotencyKey "${key}" to go on`, {
              cause: thrown.cause,
            })
          : thrown;
      }
      // The service reserves a slot for a running upload.
      await requests
        .json({ method: 'POST', to: `/api/v1/files/${file.id}/abort`, timeoutSeconds: 5, retry: { attempts: 2 } })
        .catch(() => undefined);
      throw thrown;
    }
  };
}

/** Did the connection fail, or the service, for a while? */
const isPassing = (thrown: unknown): thrown is ApiError | ConnectionError =>
  thrown instanceof ConnectionError || (thrown instanceof ApiError && thrown.retryable);
