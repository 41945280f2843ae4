import { createHash, randomUUID } from 'node:crypto';
import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Readable } from 'node:stream';
import { AbortError } from '../../src/library/core/abort.ts';
import { EarshotError } from '../../src/library/core/errors/errors.ts';
import {
  checkKey,
  type ObjectStore,
  type PartReceipt,
  type UploadInParts,
} from '../../src/service/rules/files/object-store.ts';

interface Kept {
  readonly bytes: Buffer;
  readonly writtenAt: Date;
}

interface Upload {
  readonly key: string;
  readonly begunAt: Date;
  readonly parts: Map<number, { readonly bytes: Buffer; readonly etag: string }>;
}

/**
 * An object store as S3 is one, in memory: parts are joined by number from copies of their own, an etag follows from
 * the bytes, a part that breaks off leaves the one before it, and lending makes a file. For tests, and as the smallest
 * example of an implementation of the port.
 */
export function createMemoryObjects(): ObjectStore {
  const objects = new Map<string, Kept>();
  const uploads = new Map<string, Upload>();
  const keep = (key: string, bytes: Buffer): void => void objects.set(key, { bytes, writtenAt: new Date() });
  const get = (key: string): Buffer => {
    const kept = objects.get(checkKey(key));
    if (kept === undefined) throw new EarshotError('not_found', `There are no bytes under ${key}`);
    return kept.bytes;
  };
  const find = ({ key, uploadId }: UploadInParts): Upload | undefined => {
    const upload = uploads.get(uploadId);
    return upload?.key === key ? upload : undefined;
  };
  const stored = (bytes: Buffer) => ({ sizeBytes: bytes.length, sha256: hash('sha256', bytes) });

  return {
    check: () => Promise.resolve(),
    freeBytes: () => Promise.resolve(null),
    async write(key, source, { maxBytes, exactBytes, signal }) {
      checkKey(key);
      const bytes = await collect(source, { maxBytes, ...(exactBytes !== undefined && { exactBytes }) }, signal);
      keep(key, bytes);
      return stored(bytes);
    },
    async adopt(key, path) {
      checkKey(key);
      const bytes = await readFile(path);
      keep(key, bytes);
      await rm(path);
      return stored(bytes);
    },
    async read(key, range) {
      const bytes = get(key);
      const wanted = range === undefined ? bytes : bytes.subarray(range.start, range.end + 1);
      return Promise.resolve(Readable.from(wanted.length === 0 ? [] : [wanted], { objectMode: false }));
    },
    async stat(key) {
      const kept = objects.get(checkKey(key));
      return Promise.resolve(kept === undefined ? null : { sizeBytes: kept.bytes.length });
    },
    async checkOut(key) {
      const bytes = get(key);
      const folder = await mkdtemp(join(tmpdir(), 'earshot-lent-'));
      const path = join(folder, 'object');
      await writeFile(path, bytes);
      return { path, release: () => rm(folder, { recursive: true, force: true }) };
    },
    async remove(key) {
      objects.delete(checkKey(key));
      return Promise.resolve();
    },
    async *stale(olderThan) {
      for (const [key, { writtenAt }] of objects)
        if (writtenAt < olderThan)
          yield { key, kind: 'object', writtenAt, remove: () => Promise.resolve(void objects.delete(key)) };
      for (const [id, { key, begunAt }] of uploads)
        if (begunAt < olderThan)
          yield { key, kind: 'upload', writtenAt: begunAt, remove: () => Promise.resolve(void uploads.delete(id)) };
    },

    async beginUpload(key) {
      const uploadId = randomUUID();
      uploads.set(uploadId, { key: checkKey(key), begunAt: new Date(), parts: new Map() });
      return Promise.resolve(uploadId);
    },
    async writePart(upload, { number, exactBytes }, source, signal) {
      if (find(upload) === undefined) throw noSuchUpload();
      const bytes = await collect(source, { maxBytes: exactBytes, exactBytes }, signal);
      // It may have ended meanwhile.
      const found = find(upload);
      if (found === undefined) throw noSuchUpload();
      const etag = hash('md5', bytes);
      found.parts.set(number, { bytes, etag });
      return { number, sizeBytes: bytes.length, etag };
    },
    async completeUpload(upload, receipts) {
      const found = find(upload);
      const sizeBytes = receipts.reduce((sum, receipt) => sum + receipt.sizeBytes, 0);
      if (found === undefined) {
        if (objects.get(upload.key)?.bytes.length !== sizeBytes || receipts.length === 0)
          throw conflict('The upload is not there');
        return Promise.resolve({ sizeBytes });
      }
      const ordered = [...receipts].sort((a, b) => a.number - b.number);
      const parts = ordered.map((receipt, index) => partOf(found, receipt, index + 1));
      if (parts.length === 0 || parts.length !== found.parts.size) throw conflict('Not every part has a receipt');
      keep(upload.key, Buffer.concat(parts));
      uploads.delete(upload.uploadId);
      return Promise.resolve({ sizeBytes });
    },
    async abortUpload(upload) {
      if (find(upload) !== undefined) uploads.delete(upload.uploadId);
      return Promise.resolve();
    },
  };
}

const hash = (algorithm: string, bytes: Buffer): string => createHash(algorithm).update(bytes).digest('hex');
const conflict = (message: string): EarshotError => new EarshotError('conflict', message);
const noSuchUpload = (): EarshotError => new EarshotError('not_found', 'The upload is not there');

function partOf(upload: Upload, { number, sizeBytes, etag }: PartReceipt, expected: number): Buffer {
  const part = upload.parts.get(number);
  if (number !== expected || part === undefined || part.etag !== etag || part.bytes.length !== sizeBytes)
    throw conflict(`Part ${expected} is not the one that the receipt is of`);
  return part.bytes;
}

/** All bytes of the source, which stays alive when this fails. */
function collect(
  source: Readable,
  { maxBytes, exactBytes }: { readonly maxBytes: number; readonly exactBytes?: number },
  signal?: AbortSignal,
): Promise<Buffer> {
  return new Promise((resolve, reject) => {
    const chunks: Buffer[] = [];
    let sizeBytes = 0;
    let ended = false;
    const settle = (finish: () => void): void => {
      source.off('data', onData).off('end', onEnd).off('close', onClose);
      signal?.removeEventListener('abort', onAbort);
      source.pause();
      finish();
    };
    const fail = (thrown: unknown): void => settle(() => reject(thrown));
    const wrongSize = (): void =>
      fail(
        new EarshotError('bad_request', `Expected ${exactBytes} bytes but received ${sizeBytes} or more`, {
          details: { expected: exactBytes ?? null },
        }),
      );
    const onAbort = (): void => fail(new AbortError());
    const onData = (chunk: Buffer | string): void => {
      const bytes = typeof chunk === 'string' ? Buffer.from(chunk) : chunk;
      sizeBytes += bytes.length;
      if (exactBytes !== undefined && sizeBytes > exactBytes) wrongSize();
      else if (sizeBytes > maxBytes) fail(new EarshotError('file_too_large', `Expected at most ${maxBytes} bytes`));
      else chunks.push(bytes);
    };
    const onEnd = (): void => {
      ended = true;
      if (exactBytes !== undefined && sizeBytes !== exactBytes) wrongSize();
      else settle(() => resolve(Buffer.concat(chunks)));
    };
    const onClose = (): void => {
      if (!ended) fail(source.errored ?? new Error('The stream was closed before its end'));
    };
    if (signal?.aborted) return onAbort();
    signal?.addEventListener('abort', onAbort, { once: true });
    source.on('error', fail).on('data', onData).on('end', onEnd).on('close', onClose);
  });
}
