import type { Readable } from 'node:stream';
import { isAbortError } from '../../../library/core/abort.ts';
import { EarshotError } from '../../../library/core/errors/errors.ts';
import { requireDiskRoom } from './disk-room.ts';
import type { PartReceipt } from './object-store.ts';
import type { StoredFile } from './stored-file.ts';
import type { Files } from './file-use-cases.ts';
import type { Arrivals } from './arrivals.ts';
import type { ArrivingFiles } from './arriving-files.ts';
import type { FilesDeps } from './deps.ts';
import { requireAwaiting } from './guards.ts';
import { arrivalKey, joinedKey } from './object-keys.ts';
import { isLostParts, lostParts, openUpload, uploadOf } from './part-uploads.ts';
import { partPlace } from './upload-tickets.ts';

/** Receives the bytes of uploads. The token is the credential. */
export function createReceiving(
  { files, objects, config }: FilesDeps,
  arrivals: Arrivals,
  arriving: ArrivingFiles,
): Pick<Files, 'acceptUpload' | 'acceptPart'> {
  return {
    async acceptUpload(token, body, contentLength, signal) {
      const file = await arriving.awaiting(token);
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
        await arriving.stillAwaiting(file);
        const key = arrivalKey(file.id);
        const { sha256 } = await unbroken(
          body,
          objects.write(key, body, { maxBytes: config.singlePutBytes, exactBytes: file.sizeBytes, signal: both }),
        );
        const uploaded = await arriving.arrived(file, key, sha256);
        if (uploaded === null) {
          await objects.remove(key);
          requireAwaiting(await arriving.superseded(file));
          throw new EarshotError('conflict', `The file ${file.id} changed while it arrived`, { retryable: true });
        }
        // The client had begun to send parts before this PUT.
        const left = uploadOf(uploaded);
        if (left !== null) await objects.abortUpload(left);
        return uploaded;
      });
    },

    async acceptPart(token, number, body, contentLength, signal) {
      const file = await arriving.awaiting(token);
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
        const receipt = await write(await arriving.stillAwaiting(file)).catch(async (thrown: unknown) => {
          // The upload was lost before this body was read: begin a new one.
          if (!isLostParts(thrown) || body.readableDidRead) throw thrown;
          return await write(await arriving.stillAwaiting(file));
        });
        await files.endPart(file.id, receipt);
      });
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
