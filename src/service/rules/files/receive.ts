import type { Readable } from 'node:stream';
import { isDeepStrictEqual } from 'node:util';
import { isAbortError } from '../../../library/core/abort.ts';
import { EarshotError } from '../../../library/core/errors.ts';
import { requireDiskRoom } from '../disk-room.ts';
import type { PartReceipt } from '../ports.ts';
import type { StoredFile } from '../records.ts';
import type { Files } from '../service.ts';
import type { Arrivals } from './arrivals.ts';
import type { FilesDeps } from './deps.ts';
import { deleted, expired, requireAwaiting } from './guards.ts';
import { arrivalKey, joinedKey } from './object-keys.ts';
import { isLostParts, lostParts, openUpload, receiptsOf, uploadOf } from './part-uploads.ts';
import { notInParts, partPlace } from './upload-tickets.ts';

type Receiving = Pick<Files, 'acceptUpload' | 'acceptPart' | 'completeUpload'>;

/** Receives the bytes of uploads. The token is the credential. */
export function createReceiving(
  deps: FilesDeps,
  arrivals: Arrivals,
  now: () => Date,
): Receiving & { byToken(token: string): Promise<StoredFile> } {
  const { files, objects, tokens, config } = deps;

  /** @throws EarshotError not_found, file_expired */
  const byToken = async (token: string): Promise<StoredFile> => {
    const at = now();
    const reading = await tokens.read('upload', token, at);
    if (!reading.ok && reading.reason === 'expired')
      throw new EarshotError('file_expired', 'This upload link has expired', {
        nextAction: 'Create the file again for a new link.',
      });
    const file = reading.ok ? await files.get(reading.id) : null;
    if (file === null)
      throw new EarshotError('not_found', 'There is no such upload link', {
        nextAction: 'Check that the link is complete.',
      });
    if (file.expiresAt <= at) throw expired(file);
    return file;
  };

  const awaiting = async (token: string): Promise<StoredFile & { readonly sizeBytes: number }> => {
    const file = await byToken(token);
    requireAwaiting(file);
    const { sizeBytes } = file;
    if (sizeBytes === null || file.upload === null)
      throw new EarshotError('conflict', `The file ${file.id} has no name and size yet`, {
        details: { id: file.id },
        nextAction: 'Name the file with its filename and sizeBytes first.',
      });
    return { ...file, sizeBytes };
  };

  /**
   * Loads the record again after the arrival was registered: a deletion marks the record first and then stops
   * registered arrivals.
   */
  const stillAwaiting = async (file: StoredFile): Promise<StoredFile> => {
    const current = await files.get(file.id);
    if (current === null) throw deleted(file);
    requireAwaiting(current);
    return current;
  };

  /** All bytes have arrived; the first of several concurrent uploads wins. */
  const arrived = async (file: StoredFile, objectKey: string, sha256: string | null): Promise<StoredFile | null> =>
    await files.update(file.id, ['awaiting_upload'], { status: 'processing', objectKey, sha256 }, 'check');

  /** The file after another request has changed it. @throws EarshotError file_expired */
  const superseded = async (file: StoredFile): Promise<StoredFile> => {
    const current = await files.get(file.id);
    if (current === null || current.status === 'deleted') throw deleted(file);
    return current;
  };

  /**
   * Joins the parts. Returns null on success, otherwise the file as another request has changed it meanwhile.
   * @throws EarshotError conflict with details.missingParts
   */
  const join = async (file: StoredFile, partCount: number): Promise<StoredFile | null> => {
    const upload = uploadOf(file);
    let { receipts, missing } = await receiptsOf(files, file, partCount);
    for (;;) {
      if (upload === null || missing.length > 0) throw missingParts(file, missing);
      try {
        await objects.completeUpload(upload, receipts);
        return null;
      } catch (thrown) {
        if (!(thrown instanceof EarshotError) || thrown.code !== 'conflict') throw thrown;
      }
      const used = receipts;
      ({ receipts, missing } = await receiptsOf(files, file, partCount));
      // A part was sent again meanwhile: retry with its new receipt.
      if (missing.length > 0 || !isDeepStrictEqual(receipts, used)) continue;
      // Another request has just joined them, or the store has lost the parts: then all must be sent again.
      const current = await superseded(file);
      if (current.status !== 'awaiting_upload') return current;
      await files.forgetUpload(file.id, upload.uploadId);
      await objects.abortUpload(upload);
      throw missingParts(
        file,
        Array.from({ length: partCount }, (_, index) => index + 1),
      );
    }
  };

  return {
    byToken,

    async acceptUpload(token, body, contentLength, signal) {
      const file = await awaiting(token);
      requireLength(contentLength, file.sizeBytes);
      if (file.sizeBytes > config.singlePutBytes) {
        throw new EarshotError(
          'file_too_large',
          `Expected at most ${config.singlePutBytes} bytes in one PUT but the file has ${file.sizeBytes}`,
          { details: { maxBytes: config.singlePutBytes }, nextAction: 'Send the file in parts.' },
        );
      }
      await requireDiskRoom(objects, config, file.sizeBytes);
      return await arrivals.take(file, null, signal, async (both) => {
        await stillAwaiting(file);
        const key = arrivalKey(file.id);
        const { sha256 } = await unbroken(
          body,
          objects.write(key, body, { maxBytes: config.singlePutBytes, exactBytes: file.sizeBytes, signal: both }),
        );
        const uploaded = await arrived(file, key, sha256);
        if (uploaded === null) {
          await objects.remove(key);
          requireAwaiting(await superseded(file));
          throw new EarshotError('conflict', `The file ${file.id} changed while it arrived`, { retryable: true });
        }
        // The client had begun to send parts before this PUT.
        const left = uploadOf(uploaded);
        if (left !== null) await objects.abortUpload(left);
        return uploaded;
      });
    },

    async acceptPart(token, number, body, contentLength, signal) {
      const file = await awaiting(token);
      const place = partPlace(file, number);
      requireLength(contentLength, place.exactBytes);
      // Joined already, but not recorded yet: a new part would begin a second upload.
      if ((await objects.stat(joinedKey(file.id))) !== null)
        throw new EarshotError('conflict', `The parts of ${file.id} are already joined`, {
          nextAction: 'Complete the upload again.',
        });
      await requireDiskRoom(objects, config, place.exactBytes);
      await arrivals.take(file, number, signal, async (both) => {
        const write = async (current: StoredFile): Promise<PartReceipt> => {
          const upload = await openUpload(files, objects, current);
          await files.beginPart(file.id, number);
          try {
            return await unbroken(body, objects.writePart(upload, place, body, both));
          } catch (thrown) {
            if (!(thrown instanceof EarshotError) || thrown.code !== 'not_found') throw thrown;
            await files.forgetUpload(file.id, upload.uploadId);
            throw lostParts(file, thrown);
          }
        };
        const receipt = await write(await stillAwaiting(file)).catch(async (thrown: unknown) => {
          // The upload was lost before this body was read: begin a new one.
          if (!isLostParts(thrown) || body.readableDidRead) throw thrown;
          return await write(await stillAwaiting(file));
        });
        await files.endPart(file.id, receipt);
      });
    },

    async completeUpload(token) {
      const file = await byToken(token);
      if (file.upload?.mode !== 'multipart' || file.upload.partCount === null || file.sizeBytes === null)
        throw file.status === 'deleted' ? deleted(file) : notInParts(file);
      if (file.status === 'deleted') throw deleted(file);
      if (file.status !== 'awaiting_upload') return file;
      const { partCount } = file.upload;
      const key = joinedKey(file.id);
      if ((await objects.stat(key))?.sizeBytes !== file.sizeBytes) {
        const current = await join(file, partCount);
        if (current !== null) return current;
      }
      const uploaded = await arrived(file, key, null);
      if (uploaded !== null) return uploaded;
      const current = await superseded(file).catch(async (thrown: unknown) => {
        await objects.remove(key);
        throw thrown;
      });
      if (current.objectKey !== key) await objects.remove(key);
      return current;
    },
  };
}

/** @param contentLength null: chunked */
function requireLength(contentLength: number | null, expected: number): void {
  if (contentLength === null || contentLength === expected) return;
  throw new EarshotError('bad_request', `Expected a body of ${expected} bytes but Content-Length is ${contentLength}`, {
    details: { field: 'Content-Length', expected, received: contentLength },
  });
}

const missingParts = (file: StoredFile, missing: readonly number[]): EarshotError =>
  new EarshotError('conflict', `${missing.length} of ${file.upload?.partCount} parts of ${file.id} are missing`, {
    details: { missingParts: missing },
    nextAction: 'Send the parts that details.missingParts lists, then complete again.',
  });

/** Reports an incomplete body as the client's error: the upload can be repeated. */
async function unbroken<Value>(body: Readable, work: Promise<Value>): Promise<Value> {
  try {
    return await work;
  } catch (thrown) {
    const broken = body.errored !== null || (body.destroyed && !body.readableEnded);
    if (!broken || thrown instanceof EarshotError || isAbortError(thrown)) throw thrown;
    throw new EarshotError('bad_request', 'The connection was closed before the upload was complete', {
      retryable: true,
      nextAction: 'Send it again.',
      cause: thrown,
    });
  }
}
